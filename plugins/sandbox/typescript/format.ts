import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { runTool, withFolder } from '../tool.js'
import type { Scope, Site } from '../toolchain.js'
import { lintFlags, sourcesOf } from './lint.js'

// What is imported and exported keeps its order. The names of the sources are numbers: none is called so.
const STYLE = { name: 'style.json', text: JSON.stringify({ fmt: { sortNamedImports: 'maintain', sortNamedExports: 'maintain' } }) }

/** `deno lint --fix`, then `deno fmt`. A file that does not parse, or that a tool could not finish, stays as it was. */
export async function format (files: Files, fix: boolean, site: Site, scope: Scope): Promise<Files> {
  const { texts, names } = sourcesOf(files)
  if (names.size === 0) return files
  return await withFolder({ ...texts, [STYLE.name]: STYLE.text }, site, async folder => {
    if (fix) {
      const { excess } = await runTool([site.deno, ...lintFlags(), '--fix', ...names.keys()], { folder, site, scope })
      if (excess !== undefined) return files
    }
    const { excess } = await runTool([site.deno, 'fmt', '--quiet', '--config', STYLE.name, ...names.keys()], { folder, site, scope })
    if (excess !== undefined) return files
    const formatted = await Promise.all([...names].map(async ([name, path]) => [path, await readFile(join(folder, name), 'utf8')] as const))
    return { ...files, ...Object.fromEntries(formatted) }
  })
}

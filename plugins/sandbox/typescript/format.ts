import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { runTool, withFolder } from '../tool.js'
import type { Scope, Site } from '../toolchain.js'
import { lintFlags, sourcesOf } from './lint.js'

/** `deno lint --fix`, then `deno fmt`. A file that does not parse, or that a tool could not finish, stays as it was. */
export async function format (files: Files, fix: boolean, site: Site, scope: Scope): Promise<Files> {
  const sources = sourcesOf(files)
  const paths = Object.keys(sources)
  if (paths.length === 0) return files
  return await withFolder(sources, site, async folder => {
    if (fix) {
      const { excess } = await runTool([site.deno, ...lintFlags(), '--fix', ...paths], { folder, site, scope })
      if (excess !== undefined) return files
    }
    const { excess } = await runTool([site.deno, 'fmt', '--quiet', '--no-config', ...paths], { folder, site, scope })
    if (excess !== undefined) return files
    const formatted = await Promise.all(paths.map(async path => [path, await readFile(join(folder, path), 'utf8')] as const))
    return { ...files, ...Object.fromEntries(formatted) }
  })
}

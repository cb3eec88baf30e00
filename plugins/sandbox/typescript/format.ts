import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { runTool, withFolder } from '../tool.js'
import type { Host, Operation } from '../toolchain.js'
import { lintFlags, sourcesOf } from './lint.js'

// Imports and exports keep their order. No source has the name of this file, since sources are numbered.
const STYLE = { name: 'style.json', text: JSON.stringify({ fmt: { sortNamedImports: 'maintain', sortNamedExports: 'maintain' } }) }

/** Runs `deno lint --fix` and `deno fmt`. A file that does not parse, or that a tool cannot finish, stays as it was. */
export async function format (files: Files, fix: boolean, host: Host, operation: Operation): Promise<Files> {
  const { texts, names } = sourcesOf(files)
  if (names.size === 0) return files
  const commands = [...(fix ? [[...lintFlags(), '--fix']] : []), ['fmt', '--quiet', '--config', STYLE.name]]
  return await withFolder({ ...texts, [STYLE.name]: STYLE.text }, host, async folder => {
    for (const command of commands) {
      const { excess } = await runTool([host.deno, ...command, ...names.keys()], folder, host, operation)
      if (excess !== undefined) return files
    }
    const formatted = await Promise.all([...names].map(async ([name, path]) => [path, await readFile(join(folder, name), 'utf8')] as const))
    return { ...files, ...Object.fromEntries(formatted) }
  })
}

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The path of a tool in the folder `shared` next to the checkout, which exists only on the machines of the authors. */
export function pathInShared (...path: string[]): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'shared', ...path)
    if (existsSync(found)) return found
  }
  return undefined
}

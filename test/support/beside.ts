import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What lies in the folder `shared` beside a checkout where somebody works on the service; nowhere else is it there. */
export function beside (...path: string[]): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'shared', ...path)
    if (existsSync(found)) return found
  }
  return undefined
}

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** Where the things lie that are not part of the service's own program. */
export interface Places {
  /** What runs inside a cell, as it stands in the sources. */
  runner: string
  /** The wheels of pytest and of what it needs, as the Python registry has them: `SHA256SUMS` beside them. */
  vendor: string
  pyodide: string
  pyright: string
  /** Stubs of what the runner brings along, for the type checker. */
  stubs: string
}

export function findPlaces (): Places {
  const python = sourcesFrom(dirname(fileURLToPath(import.meta.url)))
  return {
    runner: join(python, 'runner'),
    vendor: join(python, 'vendor'),
    pyodide: dirname(require.resolve('pyodide/package.json')),
    pyright: dirname(require.resolve('pyright/package.json')),
    stubs: join(python, 'stubs')
  }
}

// The service may run from its sources, or from a build in a folder beside them.
function sourcesFrom (folder: string): string {
  const python = join(folder, 'plugins', 'sandbox', 'python')
  if (existsSync(join(python, 'runner', 'worker.mjs'))) return python
  const parent = dirname(folder)
  if (parent === folder) throw new Error('plugins/sandbox/python/runner is not there: the clone is not whole')
  return sourcesFrom(parent)
}

/** Another one whenever something is that the snapshot is made of. */
export async function keyOf ({ runner, vendor, pyodide }: Places, deno: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [join(pyodide, 'package.json'), join(dirname(deno), 'package.json'), join(vendor, 'SHA256SUMS')]) hash.update(await readFile(file))
  for (const name of (await readdir(runner, { recursive: true })).filter(name => /\.(?:py|mjs)$/.test(name)).sort()) hash.update(name).update(await readFile(join(runner, name)))
  return hash.digest('hex').slice(0, 20)
}

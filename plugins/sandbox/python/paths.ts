import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** The folders of what is not part of the service's own program. */
export interface Paths {
  /** What runs inside a worker. */
  runner: string
  /** The wheels of pytest and of what it needs, from the Python registry. */
  vendor: string
  pyodide: string
  pyright: string
  /** Type stubs of what the runner brings along. */
  stubs: string
}

export function findPaths (): Paths {
  const python = sourcesFrom(dirname(fileURLToPath(import.meta.url)))
  return {
    runner: join(python, 'runner'),
    vendor: join(python, 'vendor'),
    pyodide: dirname(require.resolve('pyodide/package.json')),
    pyright: dirname(require.resolve('pyright/package.json')),
    stubs: join(python, 'stubs')
  }
}

// The service runs from its sources, or from a build in a folder beside them.
function sourcesFrom (folder: string): string {
  const python = join(folder, 'plugins', 'sandbox', 'python')
  if (existsSync(join(python, 'runner', 'worker.mjs'))) return python
  const parent = dirname(folder)
  if (parent === folder) throw new Error('plugins/sandbox/python/runner does not exist: the clone is not complete')
  return sourcesFrom(parent)
}

/** Changes whenever anything changes that the snapshot is made from. */
export async function snapshotKey ({ runner, vendor, pyodide }: Paths, deno: string): Promise<string> {
  const hash = createHash('sha256')
  const versions = [join(pyodide, 'package.json'), join(dirname(deno), 'package.json'), join(vendor, 'SHA256SUMS')]
  for (const file of versions) hash.update(await readFile(file))
  const names = (await readdir(runner, { recursive: true })).filter(name => /\.(?:py|mjs)$/.test(name)).sort()
  for (const name of names) hash.update(name).update(await readFile(join(runner, name)))
  return hash.digest('hex').slice(0, 20)
}

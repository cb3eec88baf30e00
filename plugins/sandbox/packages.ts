import { realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SandboxUnavailable } from './errors.js'

/** The given node_modules folder, or the one inside the given folder. */
export async function packagesFolder (named: string): Promise<string> {
  for (const folder of [join(named, 'node_modules'), named]) {
    const real = await realpath(folder).catch(() => undefined) // it does not exist
    if (real !== undefined && basename(real) === 'node_modules' && (await stat(real)).isDirectory()) return real
  }
  throw new SandboxUnavailable(`--packages ${named}: there is no node_modules folder. Name one, or a folder with one in it`)
}

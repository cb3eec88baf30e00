import { realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SandboxUnavailable } from './errors.js'

/** The node_modules folder that was named, or that lies in the folder that was named. */
export async function packagesFolder (named: string): Promise<string> {
  for (const folder of [join(named, 'node_modules'), named]) {
    const real = await realpath(folder).catch(() => undefined) // not there
    if (real !== undefined && basename(real) === 'node_modules' && (await stat(real)).isDirectory()) return real
  }
  throw new SandboxUnavailable(`--packages ${named}: there is no node_modules folder. Name one, or a folder with one in it`)
}

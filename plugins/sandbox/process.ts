import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files } from '../../agents/types.js'
import { denoEnvironment } from './deno.js'
import type { Host } from './toolchain.js'

/** Starts a process as the leader of a group of its own. The guardian ends that group should the service be killed. */
export function startProcess (command: string[], folder: string, { deno, guardian }: Host): ChildProcessWithoutNullStreams {
  const [file = deno, ...args] = command
  const options = { cwd: folder, env: denoEnvironment(deno), stdio: 'pipe' as const, detached: process.platform !== 'win32' }
  const child = spawn(file, args, options)
  child.stdin.on('error', () => {}) // it ended before it had read everything: its exit is handled
  const { pid } = child
  if (pid !== undefined) {
    guardian.watch(pid)
    child.once('close', () => guardian.forget(pid))
  }
  return child
}

/** Kills a process and all that it started. */
export function killGroup (child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL') // its group does not exist yet, or no longer
  }
}

export async function writeFiles (folder: string, files: Files): Promise<void> {
  const paths = Object.entries(files).map(([path, text]) => [join(folder, path), text] as const)
  for (const parent of new Set(paths.map(([path]) => dirname(path)))) if (parent !== folder) await mkdir(parent, { recursive: true })
  await Promise.all(paths.map(([path, text]) => writeFile(path, text)))
}

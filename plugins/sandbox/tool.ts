import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files } from '../../agents/types.js'
import { denoEnvironment } from './deno.js'
import type { Scope, Site } from './toolchain.js'
import { type Excess, watchUse } from './use.js'

// It is read as one JSON text, for which the service stands still.
const MAX_OUTPUT = 2 * 1024 * 1024

export interface ToolRun {
  stdout: string
  stderr: string
  code: number | null
  excess: Excess | 'output' | undefined
}

/** Runs a tool of ours on text that it only parses: no code of a job runs in it, but such text may still be made to cost. */
export async function runTool (command: string[], { folder, input, site, scope: { limits, signal } }: { folder: string, input?: string, site: Site, scope: Scope }): Promise<ToolRun> {
  signal.throwIfAborted()
  const child = spawn(command[0] ?? '', command.slice(1), { cwd: folder, env: denoEnvironment(site.deno), stdio: 'pipe', detached: process.platform !== 'win32' })
  const { pid } = child
  let excess: ToolRun['excess']
  const kill = () => {
    if (pid === undefined) return
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
    } catch {
      child.kill('SIGKILL') // its group is not there yet, or no more
    }
  }
  const stop = (why?: ToolRun['excess']) => {
    excess ??= why
    kill()
  }
  const onAbort = () => stop()
  signal.addEventListener('abort', onAbort, { once: true })
  const unwatch = pid === undefined ? undefined : watchUse(pid, limits, stop)
  if (pid !== undefined) site.guardian.watch(pid)
  const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  let length = 0
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > MAX_OUTPUT) stop('output')
      else parts[name].push(chunk)
    })
  }
  child.stdin.on('error', () => {}) // it ended before it had read all
  child.stdin.end(input ?? '')
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    signal.throwIfAborted()
    return { stdout: Buffer.concat(parts.stdout).toString('utf8'), stderr: Buffer.concat(parts.stderr).toString('utf8'), code, excess }
  } finally {
    unwatch?.()
    signal.removeEventListener('abort', onAbort)
    if (pid !== undefined) site.guardian.forget(pid)
  }
}

/** Has `work` done on the files as they lie in a folder of their own, which is gone afterwards. */
export async function withFolder<T> (files: Files, site: Site, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(site.folder, `files-${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(folder)
    const paths = Object.entries(files).map(([path, text]) => [join(folder, path), text] as const)
    for (const parent of new Set(paths.map(([path]) => dirname(path)))) if (parent !== folder) await mkdir(parent, { recursive: true })
    await Promise.all(paths.map(([path, text]) => writeFile(path, text)))
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

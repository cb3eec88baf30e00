import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../agents/types.js'
import { killGroup, startProcess, writeFiles } from './process.js'
import type { Host, Operation } from './toolchain.js'
import { type Excess, watchUsage } from './usage.js'

// It is parsed as one JSON text, and the service does nothing else meanwhile.
const MAX_OUTPUT = 2 * 1024 * 1024

export interface ToolRun {
  stdout: string
  stderr: string
  /** The limit that the tool passed. */
  excess: Excess | 'output' | undefined
}

/** Runs one of our tools on files of a job. The tool only parses them, but a file can still make it slow or large. */
export async function runTool (command: string[], folder: string, host: Host, { limits, signal }: Operation): Promise<ToolRun> {
  signal.throwIfAborted()
  const child = startProcess(command, folder, host)
  let excess: ToolRun['excess']
  const stop = (why?: ToolRun['excess']) => {
    excess ??= why
    killGroup(child)
  }
  const onAbort = () => stop()
  signal.addEventListener('abort', onAbort, { once: true })
  const unwatch = watchUsage(child.pid, limits, stop)
  const output: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  let length = 0
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > MAX_OUTPUT) stop('output')
      else output[name].push(chunk)
    })
  }
  child.stdin.end()
  try {
    await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    signal.throwIfAborted()
    return { stdout: Buffer.concat(output.stdout).toString('utf8'), stderr: Buffer.concat(output.stderr).toString('utf8'), excess }
  } finally {
    unwatch()
    signal.removeEventListener('abort', onAbort)
  }
}

/** Calls `work` with a temporary folder that holds the files. */
export async function withFolder<T> (files: Files, host: Host, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(host.folder, `files-${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(folder)
    await writeFiles(folder, files)
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

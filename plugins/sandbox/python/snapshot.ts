import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { denoFlags } from '../deno.js'
import { SandboxUnavailable } from '../errors.js'
import { killGroup, startProcess } from '../process.js'
import type { Host } from '../toolchain.js'
import { type Paths, snapshotKey } from './paths.js'

const BUILD_MS = 120_000
const PART = 256 * 1024
const STALE_MS = 30 * 24 * 3600 * 1000
const FILE = /^python-([\da-f]{20})-([\da-f]{64})\.snapshot$/

/**
 * The path of the snapshot, a started interpreter that every worker continues from. It is made once, by the same walled-in Deno
 * that runs code, and kept under a name with the key of its sources and its checksum. It is renamed into its place when complete,
 * so that neither another service nor an interruption can leave a broken one.
 */
export async function snapshotFile (paths: Paths, host: Host, signal: AbortSignal): Promise<string> {
  const key = await snapshotKey(paths, host.deno)
  const folder = await cacheFolder() ?? host.folder
  const kept = await find(folder, key)
  if (kept !== undefined) return kept
  host.log.info({ folder }, 'preparing Python for its first use, which takes a few seconds and is kept for later starts')
  const since = performance.now()
  const { parts, sum } = await build(paths, host, signal)
  const file = await keep(folder, `python-${key}-${sum}.snapshot`, parts)
  host.log.info({ file, ms: Math.round(performance.now() - since) }, 'Python is prepared')
  return file
}

/** The first folder that only this user can write to; undefined where there is none. */
async function cacheFolder (): Promise<string | undefined> {
  const { XDG_CACHE_HOME: configured = '' } = process.env
  const user = process.getuid?.()
  const usual = join(isAbsolute(configured) ? configured : join(homedir(), '.cache'), 'svc')
  for (const folder of [usual, join(tmpdir(), `svc-cache-${user ?? 'user'}`)]) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const stat = await lstat(folder)
      const isPrivate = user === undefined || (stat.uid === user && (stat.mode & 0o022) === 0)
      if (!stat.isDirectory() || !isPrivate) continue
      const probe = join(folder, `.probe-${randomBytes(6).toString('hex')}`) // another start may try at the same moment
      await (await open(probe, 'w')).close()
      await rm(probe)
      return folder
    } catch {
      continue // it cannot be made or written to
    }
  }
  return undefined
}

/** Finds the snapshot with this key, and removes broken ones and old ones of other versions. */
async function find (folder: string, key: string): Promise<string | undefined> {
  let found: string | undefined
  for (const name of await readdir(folder)) {
    const [, made, sum] = FILE.exec(name) ?? []
    if (made === undefined) continue
    const file = join(folder, name)
    if (made === key && await digest(file) === sum) {
      await utimes(file, new Date(), new Date()).catch(() => {}) // so that it does not look old to another version
      found = file
    } else if (made === key || Date.now() - (await lstat(file)).mtimeMs > STALE_MS) {
      await rm(file, { force: true })
    }
  }
  return found
}

// In parts: as a whole it would block the event loop for 20 ms.
async function digest (file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(file, { highWaterMark: PART })) hash.update(part as Buffer)
  return hash.digest('hex')
}

async function keep (folder: string, name: string, parts: Buffer[]): Promise<string> {
  const file = join(folder, name)
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(temporary, 'w', 0o600)
    try {
      await writeFile(handle, parts)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
    return file
  } catch (error) {
    await rm(temporary, { force: true })
    const reason = error instanceof Error ? error.message : String(error)
    throw new SandboxUnavailable(`the prepared Python could not be written to ${folder}: ${reason}`, { cause: error })
  }
}

/** Runs snapshot.mjs, which prints the snapshot. */
async function build ({ runner, vendor, pyodide }: Paths, host: Host, signal: AbortSignal): Promise<{ parts: Buffer[], sum: string }> {
  const readable = [pyodide, runner, vendor]
  const flags = [...denoFlags(readable, ['--max-old-space-size=256']), '--no-npm', '--deny-env']
  const command = [host.deno, ...flags, join(runner, 'snapshot.mjs'), pyodide, runner, vendor]
  const child = startProcess(host.wall.around(command, { readable, dataMiB: 2048 }), host.folder, host)
  child.stdin.end()
  const parts: Buffer[] = []
  const hash = createHash('sha256')
  let stderr = ''
  child.stdout.on('data', (part: Buffer) => {
    parts.push(part)
    hash.update(part)
  })
  child.stderr.on('data', (part: Buffer) => { if (stderr.length < 4000) stderr += part.toString('utf8') })
  const ending = AbortSignal.any([signal, AbortSignal.timeout(BUILD_MS)])
  const onAbort = () => killGroup(child)
  ending.addEventListener('abort', onAbort, { once: true })
  if (ending.aborted) onAbort()
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  ending.removeEventListener('abort', onAbort)
  signal.throwIfAborted()
  if (code !== 0) throw new SandboxUnavailable(`Python could not be prepared: ${stderr.trim().slice(-500)}`)
  return { parts, sum: hash.digest('hex') }
}

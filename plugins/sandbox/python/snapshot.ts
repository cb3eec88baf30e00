import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { denoEnvironment, denoFlags } from '../deno.js'
import { SandboxUnavailable } from '../errors.js'
import type { Site } from '../toolchain.js'
import { type Places, keyOf } from './places.js'

const BUILD_MS = 120_000
const PART = 256 * 1024
const STALE_MS = 30 * 24 * 3600 * 1000
const FILE = /^python-([\da-f]{20})-([\da-f]{64})\.snapshot$/

/**
 * The file with a started interpreter that every cell wakes: made once, by the same walled-in Deno that runs code, and kept
 * under a name that says what it was made from and what it holds. It appears as a whole or not at all, so that neither
 * another service at the same moment nor an end in the middle can spoil it.
 */
export async function snapshotFile (places: Places, site: Site, signal: AbortSignal): Promise<string> {
  const key = await keyOf(places, site.deno)
  const folder = await cacheFolder() ?? site.folder
  const kept = await find(folder, key)
  if (kept !== undefined) return kept
  site.log.info({ folder }, 'preparing Python for its first use, which takes a few seconds and is kept for later starts')
  const since = performance.now()
  const { parts, sum } = await build(places, site, signal)
  const file = await keep(folder, `python-${key}-${sum}.snapshot`, parts)
  site.log.info({ file, ms: Math.round(performance.now() - since) }, 'Python is prepared')
  return file
}

/** The first place that is ours alone; undefined where there is none. */
async function cacheFolder (): Promise<string | undefined> {
  const { XDG_CACHE_HOME: asked = '' } = process.env
  const user = process.getuid?.()
  for (const folder of [join(isAbsolute(asked) ? asked : join(homedir(), '.cache'), 'svc'), join(tmpdir(), `svc-cache-${user ?? 'user'}`)]) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const found = await lstat(folder)
      // What others may write to, others may have written.
      if (!found.isDirectory() || (user !== undefined && (found.uid !== user || (found.mode & 0o022) !== 0))) continue
      const probe = join(folder, `.probe-${process.pid}`)
      await (await open(probe, 'w')).close()
      await rm(probe)
      return folder
    } catch {
      continue // it cannot be made or written to
    }
  }
  return undefined
}

async function find (folder: string, key: string): Promise<string | undefined> {
  let found: string | undefined
  for (const name of await readdir(folder)) {
    const [, made, sum] = FILE.exec(name) ?? []
    if (made === undefined) continue
    const file = join(folder, name)
    if (made === key) {
      if (await digest(file) === sum) {
        await utimes(file, new Date(), new Date()).catch(() => {}) // only so that it is not taken for stale
        found = file
      } else {
        await rm(file, { force: true })
      }
    } else if (Date.now() - (await lstat(file)).mtimeMs > STALE_MS) {
      await rm(file, { force: true })
    }
  }
  return found
}

// Part by part, as a whole holds up everything else for 20 ms.
async function digest (file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(file, { highWaterMark: PART })) hash.update(part as Buffer)
  return hash.digest('hex')
}

async function keep (folder: string, name: string, parts: Buffer[]): Promise<string> {
  const file = join(folder, name)
  const fresh = `${file}.${process.pid}`
  try {
    const handle = await open(fresh, 'w', 0o600)
    try {
      await writeFile(handle, parts)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(fresh, file)
    return file
  } catch (error) {
    await rm(fresh, { force: true })
    throw new SandboxUnavailable(`the prepared Python could not be written to ${folder}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function build ({ runner, vendor, pyodide }: Places, { deno, wall, guardian, folder }: Site, signal: AbortSignal): Promise<{ parts: Buffer[], sum: string }> {
  const readable = [pyodide, runner, vendor]
  const command = wall.around([deno, ...denoFlags(readable, ['--max-old-space-size=256']), '--no-npm', '--deny-env', join(runner, 'snapshot.mjs'), pyodide, runner, vendor], { readable, dataMiB: 2048 })
  const child = spawn(command[0] ?? deno, command.slice(1), { cwd: folder, env: denoEnvironment(deno), stdio: ['ignore', 'pipe', 'pipe'], signal: AbortSignal.any([signal, AbortSignal.timeout(BUILD_MS)]), killSignal: 'SIGKILL', detached: process.platform !== 'win32' })
  const { pid } = child
  if (pid !== undefined) {
    guardian.watch(pid)
    child.once('close', () => guardian.forget(pid))
  }
  const parts: Buffer[] = []
  const hash = createHash('sha256')
  let stderr = ''
  child.stdout.on('data', (part: Buffer) => {
    parts.push(part)
    hash.update(part)
  })
  child.stderr.on('data', (part: Buffer) => { if (stderr.length < 4000) stderr += part.toString('utf8') })
  return new Promise((resolve, reject) => {
    child.once('error', error => reject(signal.aborted ? signal.reason : new SandboxUnavailable(`Python could not be prepared: ${error.message}`, { cause: error })))
    child.once('close', code => {
      if (code === 0) resolve({ parts, sum: hash.digest('hex') })
      else reject(new SandboxUnavailable(`Python could not be prepared: ${stderr.trim().slice(-500)}`))
    })
  })
}

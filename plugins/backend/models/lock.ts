import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// The process that holds a lock file touches it every 2 s. If it has not been touched for 12 s, that process was killed.
const TOUCH_INTERVAL = 2000
const STALE_AFTER = 12_000
const POLL_INTERVAL = 300

export class LockLost extends Error {
  constructor () { super('another process has taken this download over') }
}

interface LockOptions { signal: AbortSignal, whileWaiting: () => Promise<boolean> }

/**
 * Does work that only one process may do at a time, guarded by a lock file. While another process holds the lock, `whileWaiting` is
 * called repeatedly; if it returns true, the other process has done the work, and the result is undefined.
 */
export async function withLock<T> (
  file: string, work: (signal: AbortSignal) => Promise<T>, { signal, whileWaiting }: LockOptions
): Promise<T | undefined> {
  const mark = `${process.pid} ${randomUUID()}`
  await mkdir(dirname(file), { recursive: true })
  while (!(await take(file, mark))) {
    if (await whileWaiting()) return undefined
    await sleep(POLL_INTERVAL, undefined, { signal })
  }
  const lost = new AbortController()
  const touch = setInterval(() => void keep(file, mark).then(isOurs => { if (!isOurs) lost.abort(new LockLost()) }), TOUCH_INTERVAL)
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(touch)
    if (await read(file) === mark) await rm(file, { force: true })
  }
}

async function take (file: string, mark: string): Promise<boolean> {
  try {
    await writeFile(file, mark, { flag: 'wx' })
    return true
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  const holder = await read(file)
  if (holder === undefined || !(await isAbandoned(file, holder))) return false
  // If two processes take over an abandoned lock, the later one gets it; the other one notices when it touches the file.
  const own = `${file}.${process.pid}`
  await writeFile(own, mark)
  if (await read(file) !== holder) {
    await rm(own, { force: true })
    return false
  }
  await rename(own, file)
  await sleep(50)
  return await read(file) === mark
}

async function isAbandoned (file: string, holder: string): Promise<boolean> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }))
  if (Date.now() - mtimeMs > STALE_AFTER) return true
  const pid = Number(holder.split(' ')[0])
  if (!pid) return false // the file is just being written
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // The folder may be shared with another machine, on which that process is alive and touches the file.
    return isCode(error, 'ESRCH') && Date.now() - mtimeMs > TOUCH_INTERVAL * 2
  }
}

async function keep (file: string, mark: string): Promise<boolean> {
  if (await read(file) !== mark) return false
  const now = new Date()
  await utimes(file, now, now).catch(() => undefined) // if the file is gone, the next touch finds out
  return true
}

async function read (file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(() => undefined)
}

function isCode (error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

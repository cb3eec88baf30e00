import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// A holder touches its lock; one that is not touched any more was left behind by a process that was killed.
const TOUCH = 2000
const STALE = 12_000
const LOOK = 300

export class LockLost extends Error {
  constructor () { super('another process has taken this download over') }
}

/**
 * Does work that only one process may do at a time. While another one does it, `whileWaiting` is called now and then, and
 * says whether the work is done already; then the result is undefined.
 */
export async function alone<T> (file: string, work: (signal: AbortSignal) => Promise<T>, { signal, whileWaiting }: { signal: AbortSignal, whileWaiting: () => Promise<boolean> }): Promise<T | undefined> {
  const mark = `${process.pid} ${randomUUID()}`
  await mkdir(dirname(file), { recursive: true })
  while (!(await take(file, mark))) {
    if (await whileWaiting()) return undefined
    await sleep(LOOK, undefined, { signal })
  }
  const lost = new AbortController()
  const touch = setInterval(() => void keep(file, mark).then(isOurs => { if (!isOurs) lost.abort(new LockLost()) }), TOUCH)
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
  if (holder === undefined || !(await isLeft(file, holder))) return false
  // Of two that see it left behind, the later one has it; the other one finds out when it touches it.
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

async function isLeft (file: string, holder: string): Promise<boolean> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }))
  if (Date.now() - mtimeMs > STALE) return true
  const pid = Number(holder.split(' ')[0])
  if (!pid) return false // it is being written
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return isCode(error, 'ESRCH') && Date.now() - mtimeMs > TOUCH * 2 // the folder may be shared with another machine, where that pid lives
  }
}

async function keep (file: string, mark: string): Promise<boolean> {
  if (await read(file) !== mark) return false
  const now = new Date()
  await utimes(file, now, now).catch(() => undefined) // gone since: found out at the next touch
  return true
}

async function read (file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(() => undefined)
}

function isCode (error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

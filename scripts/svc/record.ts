import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { meets } from './addresses.js'

/** What a running service leaves for `status` and `stop`, one file for each address and port. */
export interface ServiceRecord {
  pid: number
  /** When the process began, as the system counts it; null where it does not tell. Process ids are used again. */
  born: string | null
  instance: string
  scheme: 'http' | 'https'
  host: string
  port: number
  since: string
  agents: string[]
  /** Seconds that runs are given at the end. */
  drain: number
  /** It is on its way out. */
  stopping?: boolean
}

/** The user's own run-time folder. Undefined where somebody else could write to it. */
function folder (): string | undefined {
  const dir = process.env.XDG_RUNTIME_DIR ? join(process.env.XDG_RUNTIME_DIR, 'svc') : join(tmpdir(), `svc-${process.getuid?.() ?? 'user'}`)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(dir)
    const isOurs = process.getuid === undefined || (lstatSync(dir).isDirectory() && uid === process.getuid())
    if (!isOurs) return undefined
    if (process.getuid !== undefined && (mode & 0o077) !== 0) chmodSync(dir, 0o700)
    return dir
  } catch {
    return undefined // no place for it: the service runs all the same
  }
}

function fileOf (dir: string, { host, port }: { host: string, port: number }): string {
  return join(dir, `${port}-${host.replace(/[^\w.-]/g, '_')}.json`)
}

/** False where there is no place for it. */
export function writeRecord (record: ServiceRecord): boolean {
  const dir = folder()
  if (dir === undefined) return false
  const file = fileOf(dir, record)
  try {
    // Somebody may read it just now: it is there as a whole, or as it was.
    writeFileSync(`${file}.${record.pid}`, JSON.stringify(record), { mode: 0o600 })
    renameSync(`${file}.${record.pid}`, file)
    return true
  } catch {
    return false // the caller says so
  }
}

export function removeRecord (record: ServiceRecord): void {
  const dir = folder()
  if (dir !== undefined) rmSync(fileOf(dir, record), { force: true })
}

/** The record of what listens on an address: of that very host, else of one that it leads to. */
export async function findRecord ({ host, port }: { host: string, port: number }): Promise<ServiceRecord | undefined> {
  const dir = folder()
  if (dir === undefined) return undefined
  const onPort = readdirSync(dir).filter(name => name.startsWith(`${port}-`) && name.endsWith('.json')).map(name => read(join(dir, name))).filter(record => record !== undefined)
  // What a killed service left behind must not hide the one that came after it.
  const [living, dead] = [onPort.filter(isCurrent), onPort.filter(record => !isCurrent(record))]
  const exact = living.find(record => record.host === host)
  if (exact) return exact
  for (const record of living) if (await meets(host, record.host)) return record
  return dead.find(record => record.host === host)
}

function isCurrent ({ pid, born }: ServiceRecord): boolean {
  return isAlive(pid) && (born === null || birthOf(pid) === born)
}

function read (file: string): ServiceRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ServiceRecord
  } catch {
    return undefined // cut off while it was written
  }
}

export function isAlive (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** When a process began, in the kernel's ticks: the same pid with another birth is another process. */
export function birthOf (pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null // not Linux, or gone
  }
}

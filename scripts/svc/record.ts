import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

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
}

/** The user's own run-time folder. Undefined where somebody else could write to it. */
function folder (): string | undefined {
  const dir = process.env.XDG_RUNTIME_DIR ? join(process.env.XDG_RUNTIME_DIR, 'svc') : join(tmpdir(), `svc-${userInfo().username}`)
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

/** Gives what removes it again; undefined where there is no place for it. */
export function writeRecord (record: ServiceRecord): (() => void) | undefined {
  const dir = folder()
  if (dir === undefined) return undefined
  const file = fileOf(dir, record)
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

const ANY_ADDRESS = ['0.0.0.0', '::']

/** The record of what listens on an address: its own, else that of a service on all addresses, else the only one on the port. */
export function findRecord ({ host, port }: { host: string, port: number }): ServiceRecord | undefined {
  const dir = folder()
  if (dir === undefined) return undefined
  const onPort = readdirSync(dir).filter(name => name.startsWith(`${port}-`)).map(name => read(join(dir, name))).filter(record => record !== undefined)
  return onPort.find(record => record.host === host) ?? onPort.find(record => ANY_ADDRESS.includes(record.host)) ?? (onPort.length === 1 ? onPort[0] : undefined)
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

import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord } from '../../plugins/backend/json.js'
import { meets } from './addresses.js'
import { birthOf, isAlive } from './process.js'

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

/** Unless a service that came after this one has put its own there. */
export function removeRecord (record: ServiceRecord): void {
  const dir = folder()
  if (dir !== undefined && read(fileOf(dir, record))?.instance === record.instance) rmSync(fileOf(dir, record), { force: true })
}

/** The record of what listens on an address: of that very host, else of one that it leads to. */
export async function findRecord ({ host, port }: { host: string, port: number }): Promise<ServiceRecord | undefined> {
  const onPort = filesOf(port).map(read).filter(record => record !== undefined).filter(record => record.port === port)
  // What a killed service left behind must not hide the one that came after it.
  const [living, dead] = [onPort.filter(isCurrent), onPort.filter(record => !isCurrent(record))]
  const exact = living.find(record => record.host === host)
  if (exact) return exact
  for (const record of living) if (await meets(host, record.host)) return record
  return dead.find(record => record.host === host)
}

/** A file for that very address that holds no record: damaged, or written by something else. */
export function damagedRecord ({ host, port }: { host: string, port: number }): string | undefined {
  const dir = folder()
  const file = dir === undefined ? undefined : fileOf(dir, { host, port })
  return file !== undefined && existsSync(file) && read(file) === undefined ? file : undefined
}

/** Whether its process is still the one that wrote it, as far as this system tells. */
export function isCurrent ({ pid, born }: ServiceRecord): boolean {
  return isAlive(pid) && birthOf(pid) === born
}

function filesOf (port: number): string[] {
  const dir = folder()
  if (dir === undefined) return []
  return readdirSync(dir).filter(name => name.startsWith(`${port}-`) && name.endsWith('.json')).map(name => join(dir, name))
}

function read (file: string): ServiceRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isServiceRecord(value) ? value : undefined
  } catch {
    return undefined // gone, or cut off while it was written
  }
}

/** Its pid is sent a signal: nothing in the file is taken on trust. Pid 0 and those below are groups of processes, and 1 is the system's. */
function isServiceRecord (value: unknown): value is ServiceRecord {
  if (!isRecord(value)) return false
  const { pid, born, instance, scheme, host, port, since, agents, drain, stopping = false } = value
  return isWhole(pid, 2, 2 ** 31) && isWhole(port, 0, 65535) && typeof drain === 'number' && drain >= 0
    && (born === null || isText(born)) && isText(instance) && isText(host) && (scheme === 'http' || scheme === 'https')
    && isText(since) && !Number.isNaN(Date.parse(since)) && Array.isArray(agents) && agents.every(isText) && typeof stopping === 'boolean'
}

function isWhole (value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

function isText (value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

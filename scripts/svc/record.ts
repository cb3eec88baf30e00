import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord } from '../../plugins/backend/json.js'
import { reaches } from './addresses.js'
import { birthOf, isAlive } from './process.js'

/** The record of a running service, for `status` and `stop`: one file per address and port. */
export interface ServiceRecord {
  pid: number
  /** The start time of the process, because process ids are reused; null if the system does not report it. */
  born: string | null
  instance: string
  scheme: 'http' | 'https'
  host: string
  port: number
  since: string
  agents: string[]
  /** How many seconds runs have to finish at the end. */
  drain: number
  /** The service is stopping. */
  stopping?: boolean
}

/** The user's own run-time folder; undefined if another user could write to it. */
function folder (): string | undefined {
  const { XDG_RUNTIME_DIR: runtime } = process.env
  const dir = runtime ? join(runtime, 'svc') : join(tmpdir(), `svc-${process.getuid?.() ?? 'user'}`)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(dir)
    const isOurs = process.getuid === undefined || (lstatSync(dir).isDirectory() && uid === process.getuid())
    if (!isOurs) return undefined
    if (process.getuid !== undefined && (mode & 0o077) !== 0) chmodSync(dir, 0o700)
    return dir
  } catch {
    return undefined // the service can run without a record
  }
}

function fileOf (dir: string, { host, port }: { host: string, port: number }): string {
  return join(dir, `${port}-${host.replace(/[^\w.-]/g, '_')}.json`)
}

/** Writes the record; returns false if that is not possible. */
export function writeRecord (record: ServiceRecord): boolean {
  const dir = folder()
  if (dir === undefined) return false
  const file = fileOf(dir, record)
  try {
    // The file is replaced by renaming, so that readers see either the old or the new record, never a part.
    writeFileSync(`${file}.${record.pid}`, JSON.stringify(record), { mode: 0o600 })
    renameSync(`${file}.${record.pid}`, file)
    return true
  } catch {
    return false // the caller says so
  }
}

/** Removes the record, unless a later service has replaced it by its own. */
export function removeRecord (record: ServiceRecord): void {
  const dir = folder()
  if (dir !== undefined && read(fileOf(dir, record))?.instance === record.instance) rmSync(fileOf(dir, record), { force: true })
}

/** The record of the service on an address: for exactly this host, otherwise for a host that it reaches. */
export async function findRecord ({ host, port }: { host: string, port: number }): Promise<ServiceRecord | undefined> {
  const onPort = filesOf(port).map(read).filter(record => record !== undefined).filter(record => record.port === port)
  // The record of a service that was killed must not hide the record of a later one.
  const [living, dead] = [onPort.filter(isCurrent), onPort.filter(record => !isCurrent(record))]
  const exact = living.find(record => record.host === host)
  if (exact) return exact
  for (const record of living) if (await reaches(host, record.host)) return record
  return dead.find(record => record.host === host)
}

/** The file for exactly this address, if it does not contain a valid record. */
export function damagedRecord ({ host, port }: { host: string, port: number }): string | undefined {
  const dir = folder()
  const file = dir === undefined ? undefined : fileOf(dir, { host, port })
  return file !== undefined && existsSync(file) && read(file) === undefined ? file : undefined
}

/** Whether the process that wrote the record is still running, as far as the system can tell. */
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
    return undefined // gone, or not completely written
  }
}

/** `stop` sends a signal to the pid, so every value is checked. Pids of 0 and below mean groups of processes, and 1 is the system's. */
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

import { host } from '../platform.js'
import type { Works } from './node-fs.js'
import { option } from './paths.js'

type Call = (...args: unknown[]) => unknown
type Failures = Record<string, new (message: string) => Error>

const NAMES: Record<string, string> = {
  ENOENT: 'NotFound',
  EEXIST: 'AlreadyExists',
  ENOTDIR: 'NotADirectory',
  EISDIR: 'IsADirectory',
  EBADF: 'BadResource'
}

interface Found { name: string, size: number, mode: number, mtime: Date, isFile (): boolean }

/** Deno's functions for files, made of those of `node:fs`. */
export function installDenoFiles (sync: Works): void {
  const call = (name: string, ...args: unknown[]): unknown => {
    try {
      return (sync[name] as Call)(...args)
    } catch (error) {
      const made = (host.errors as unknown as Failures)[NAMES[String((error as { code?: unknown }).code)] ?? '']
      throw made ? new made((error as Error).message) : error
    }
  }
  const flagOf = (options: unknown): string => {
    if (option(options, 'createNew') === true) return 'wx'
    if (option(options, 'append') === true) return 'a'
    return option(options, 'create') === false ? 'r+' : 'w'
  }
  const write = (path: unknown, data: unknown, options?: unknown): void => { call('writeFileSync', path, data, { flag: flagOf(options) }) }
  const found = (path: unknown) => call('statSync', path) as Found
  const kind = (entry: Found) => ({ isFile: entry.isFile(), isDirectory: !entry.isFile(), isSymlink: false })
  const stat = (path: unknown): unknown => {
    const entry = found(path)
    const { size, mode, mtime } = entry
    return { ...kind(entry), size, mode, mtime, atime: mtime, birthtime: mtime, ctime: mtime }
  }
  const list = (path: unknown): object[] => {
    const entries = call('readdirSync', path, { withFileTypes: true }) as Found[]
    return entries.map(entry => ({ name: entry.name, ...kind(entry) }))
  }
  const remove = (path: unknown, options?: unknown): void => {
    call(option(options, 'recursive') === true ? 'rmSync' : found(path).isFile() ? 'unlinkSync' : 'rmdirSync', path, options)
  }
  const works: Record<string, Call> = {
    readTextFile: path => call('readFileSync', path, 'utf8'),
    readFile: path => new Uint8Array(call('readFileSync', path) as Buffer),
    writeTextFile: write,
    writeFile: write,
    mkdir: (path, options) => { call('mkdirSync', path, options) },
    remove,
    rename: (from, to) => { call('renameSync', from, to) },
    copyFile: (from, to) => { call('copyFileSync', from, to) },
    stat,
    lstat: stat
  }
  for (const [name, work] of Object.entries(works)) {
    put(`${name}Sync`, work)
    put(name, async (...args) => (await new Promise(setImmediate), work(...args)))
  }
  put('readDirSync', list)
  put('readDir', async function * (path) { yield * list(path) })
}

function put (name: string, value: Call): void {
  Object.defineProperty(host, name, { value, writable: true, configurable: true, enumerable: true })
}

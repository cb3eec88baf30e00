import process from 'node:process'
import { bytesOf, encodingOf, option, pathOf, streamOf } from './paths.js'
import { Stats, entryOf } from './stats.js'
import { type Volume, fail } from './volume.js'

export type Work = (...args: never[]) => unknown
export type Works = Record<string, Work>

interface Opened { path: string, at: number, isAppend: boolean }

/** The synchronous functions of `node:fs` on the volume. `real` serves standard streams and paths outside of it. */
export function syncCalls (volume: Volume, real: Works): Works {
  const opened = new Map<number, Opened>()
  let lastDescriptor = 100
  const open = (descriptor: number) => opened.get(descriptor) ?? fail('EBADF', 'read')
  // Calls the real function for other paths, which the system refuses.
  const outside = (name: string, path: string, args: unknown[]) => {
    if (volume.holds(path)) return undefined
    return { value: (real[name] as (...args: unknown[]) => unknown)(...args) }
  }

  const readFileSync = (name: unknown, options?: unknown): unknown => {
    const stream = streamOf(name)
    if (stream !== undefined) {
      if (stream === 0) void process.stdin // so that needs.ts sees it
      return (real.readFileSync as (...args: unknown[]) => unknown)(stream, options)
    }
    const path = typeof name === 'number' ? open(name).path : pathOf(name)
    const other = outside('readFileSync', path, [name, options])
    if (other) return other.value
    const bytes = Buffer.from(volume.read(path))
    const encoding = encodingOf(options)
    return encoding === undefined ? bytes : bytes.toString(encoding)
  }

  const writeFileSync = (name: unknown, data: unknown, options?: unknown): void => {
    const stream = streamOf(name)
    const bytes = bytesOf(data, encodingOf(options))
    if (stream !== undefined) return void writeSync(stream, bytes)
    const flag = option(options, 'flag')
    const flags = typeof flag === 'string' ? flag : 'w'
    const path = typeof name === 'number' ? open(name).path : pathOf(name)
    volume.write(path, bytes, { append: flags.startsWith('a'), exclusive: flags.includes('x'), mustExist: flags.startsWith('r') })
  }

  const openSync = (name: unknown, flags: unknown = 'r'): number => {
    const stream = streamOf(name)
    if (stream !== undefined) return stream
    const path = pathOf(name)
    const mode = typeof flags === 'string' ? flags : 'r'
    const other = mode.startsWith('r') ? outside('openSync', path, [name, flags]) : undefined
    if (other) return other.value as number
    if (mode.startsWith('w')) volume.write(path, new Uint8Array(0), { exclusive: mode.includes('x') })
    else if (mode.startsWith('a')) volume.write(path, new Uint8Array(0), { append: true, exclusive: mode.includes('x') })
    else volume.read(path)
    opened.set(++lastDescriptor, { path, at: 0, isAppend: mode.startsWith('a') })
    return lastDescriptor
  }

  const writeSync = (descriptor: number, data: unknown, second?: unknown, third?: unknown, fourth?: unknown): number => {
    if (descriptor <= 2) return (real.writeSync as (...args: unknown[]) => number)(descriptor, data, second, third, fourth)
    const file = open(descriptor)
    const isText = typeof data === 'string'
    const from = isText ? 0 : typeof second === 'number' ? second : 0
    const all = bytesOf(data, isText ? third : undefined)
    const bytes = isText ? all : all.subarray(from, typeof third === 'number' ? from + third : undefined)
    const position = isText ? second : fourth
    const at = typeof position === 'number' ? position : file.isAppend ? volume.read(file.path).length : file.at
    volume.writeAt(file.path, bytes, at)
    if (typeof position !== 'number') file.at = at + bytes.length
    return bytes.length
  }

  const readSync = (descriptor: number, buffer: Uint8Array, offset: unknown = 0, length?: unknown, position?: unknown): number => {
    if (descriptor <= 2) {
      if (descriptor === 0) void process.stdin
      return (real.readSync as (...args: unknown[]) => number)(descriptor, buffer, offset, length, position)
    }
    const file = open(descriptor)
    const settings = typeof offset === 'object' && offset !== null ? offset : { offset, length, position }
    const start = Number(option(settings, 'offset') ?? 0)
    const wanted = option(settings, 'position')
    const at = typeof wanted === 'number' ? wanted : file.at
    const count = Number(option(settings, 'length') ?? buffer.byteLength - start)
    const part = volume.read(file.path).subarray(at, at + count)
    buffer.set(part, start)
    if (typeof wanted !== 'number') file.at = at + part.length
    return part.length
  }

  const statSync = (name: unknown, options?: unknown): unknown => {
    const path = pathOf(name)
    const other = outside('statSync', path, [name, options])
    if (other) return other.value
    const found = volume.stat(path)
    if (!found && option(options, 'throwIfNoEntry') === false) return undefined
    return new Stats(found ?? fail('ENOENT', 'stat', path))
  }

  const readdirSync = (name: unknown, options?: unknown): unknown[] => {
    const path = pathOf(name)
    const other = outside('readdirSync', path, [name, options])
    if (other) return other.value as unknown[]
    const isDeep = option(options, 'recursive') === true
    const all = (folder: string, before: string): string[] => volume.list(folder).flatMap(one => {
      const isFolder = volume.stat(`${folder}/${one}`)?.isFile === false
      return isDeep && isFolder ? [before + one, ...all(`${folder}/${one}`, `${before}${one}/`)] : [before + one]
    })
    const names = all(path, '')
    return option(options, 'withFileTypes') === true ? names.map(one => entryOf(volume, path, one)) : names
  }

  const rmSync = (name: unknown, options?: unknown): void => {
    const path = pathOf(name)
    if (option(options, 'force') === true && !volume.stat(path)) return
    const isRecursive = option(options, 'recursive') === true
    const isFolder = volume.stat(path)?.isFile === false
    if (isFolder && !isRecursive) {
      throw Object.assign(new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`), { code: 'ERR_FS_EISDIR' })
    }
    volume.remove(path, { isRecursive, syscall: 'rm' })
  }

  const copyFileSync = (from: unknown, to: unknown, mode?: unknown): void => {
    volume.write(pathOf(to), bytesOf(readFileSync(from)).slice(), { exclusive: mode === 1, syscall: 'copyfile' })
  }

  const existsSync = (name: unknown): boolean => {
    try {
      const path = pathOf(name)
      return volume.stat(path) !== undefined || (!volume.holds(path) && (real.existsSync as (name: unknown) => boolean)(name))
    } catch {
      return false // as in Node, even for arguments of a wrong type
    }
  }

  const check = (name: unknown): void => { statSync(name) }
  const calls: Record<string, (...args: never[]) => unknown> = {
    readFileSync, writeFileSync, openSync, writeSync, readSync,
    statSync, lstatSync: statSync, readdirSync, rmSync, copyFileSync, existsSync,
    appendFileSync: (name: unknown, data: unknown, options?: unknown) => {
      writeFileSync(name, data, { encoding: encodingOf(options), flag: 'a' })
    },
    closeSync: (descriptor: number) => { if (descriptor > 2 && !opened.delete(descriptor)) fail('EBADF', 'close') },
    fstatSync: (descriptor: number) => {
      return descriptor <= 2 ? (real.fstatSync as (fd: number) => unknown)(descriptor) : statSync(open(descriptor).path)
    },
    ftruncateSync: (descriptor: number, size = 0) => { volume.truncate(open(descriptor).path, size) },
    truncateSync: (name: unknown, size = 0) => { volume.truncate(pathOf(name), size) },
    fsyncSync: () => {}, fdatasyncSync: () => {},
    accessSync: check, chmodSync: check, utimesSync: check,
    mkdirSync: (name: unknown, options?: unknown) => volume.mkdir(pathOf(name), option(options, 'recursive') === true),
    mkdtempSync: (prefix: string) => {
      return volume.mkdir(`${pathOf(prefix)}${Math.random().toString(36).slice(2, 8).padEnd(6, 'x')}`, false)
    },
    unlinkSync: (name: unknown) => { volume.remove(pathOf(name)) },
    rmdirSync: (name: unknown) => { volume.remove(pathOf(name), { syscall: 'rmdir' }) },
    renameSync: (from: unknown, to: unknown) => { volume.rename(pathOf(from), pathOf(to)) },
    realpathSync: (name: unknown) => { const path = pathOf(name); check(path); return path }
  }
  return calls
}

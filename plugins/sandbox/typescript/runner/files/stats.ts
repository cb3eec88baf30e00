import type { Found, Volume } from './volume.js'

class Kind {
  readonly #isFile: boolean

  constructor (isFile: boolean) { this.#isFile = isFile }

  isFile (): boolean { return this.#isFile }
  isDirectory (): boolean { return !this.#isFile }
  isSymbolicLink (): boolean { return false }
  isFIFO (): boolean { return false }
  isSocket (): boolean { return false }
  isBlockDevice (): boolean { return false }
  isCharacterDevice (): boolean { return false }
}

/** What `stat` returns. */
export class Stats extends Kind {
  constructor ({ isFile, size, mode, modified, id }: Found) {
    super(isFile)
    const times = { atime: modified, mtime: modified, ctime: modified, birthtime: modified }
    const ms = modified.getTime()
    const inMs = { atimeMs: ms, mtimeMs: ms, ctimeMs: ms, birthtimeMs: ms }
    const fixed = { dev: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: Math.ceil(size / 512) }
    Object.assign(this, { ino: id, mode, size, ...fixed, ...inMs, ...times })
  }
}

class Dirent extends Kind {
  constructor (isFile: boolean, readonly name: string, readonly parentPath: string) { super(isFile) }

  get path (): string { return this.parentPath }
}

export function entryOf (volume: Volume, folder: string, name: string): Dirent {
  const at = name.lastIndexOf('/')
  const isFile = volume.stat(`${folder}/${name}`)?.isFile ?? true
  return new Dirent(isFile, name.slice(at + 1), at < 0 ? folder : `${folder}/${name.slice(0, at)}`)
}

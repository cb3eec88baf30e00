// Files in memory for a program, so that nothing is written to a disk. Paths are absolute, without a slash at the end.

interface File { bytes: Uint8Array, length: number, mode: number, modified: Date, isNew: boolean }
interface Entry { file?: File, modified: Date, id: number }

const WORDS: Record<string, [number: number, text: string]> = {
  ENOENT: [-2, 'no such file or directory'],
  EBADF: [-9, 'bad file descriptor'],
  EEXIST: [-17, 'file already exists'],
  ENOTDIR: [-20, 'not a directory'],
  EISDIR: [-21, 'illegal operation on a directory'],
  EINVAL: [-22, 'invalid argument'],
  ENOTEMPTY: [-39, 'directory not empty']
}

/** Throws an error with the same fields and message as Node's. */
export function fail (code: string, syscall: string, path?: string, to?: string): never {
  const [errno, text] = WORDS[code] ?? [-22, code]
  const where = path === undefined ? '' : ` '${path}'${to === undefined ? '' : ` -> '${to}'`}`
  const paths = { ...(path !== undefined && { path }), ...(to !== undefined && { dest: to }) }
  throw Object.assign(new Error(`${code}: ${text}, ${syscall}${where}`), { errno, code, syscall, ...paths })
}

export interface Found { isFile: boolean, size: number, mode: number, modified: Date, id: number }

export interface WriteOptions { append?: boolean, exclusive?: boolean, mustExist?: boolean, syscall?: string }

export class Volume {
  readonly root: string
  readonly #entries = new Map<string, Entry>()
  #ids = 0

  /** `root`: the program's folder. */
  constructor (root: string) {
    this.root = root
    this.#set(root)
  }

  /** Whether the path is in memory. For any other path, the system answers. */
  holds (path: string): boolean {
    return this.#entries.has(path) || this.#isInside(path)
  }

  /** Adds a file that was given with the program. */
  add (path: string, bytes: Uint8Array): void {
    for (let at = path.indexOf('/', this.root.length + 1); at > 0; at = path.indexOf('/', at + 1)) {
      if (!this.#entries.has(path.slice(0, at))) this.#set(path.slice(0, at))
    }
    this.#set(path, { bytes, length: bytes.length, mode: 0o644, modified: new Date(), isNew: false })
  }

  stat (path: string): Found | undefined {
    const entry = this.#entries.get(path)
    if (!entry) return undefined
    const { file, id } = entry
    if (!file) return { isFile: false, size: 4096, mode: 0o040755, modified: entry.modified, id }
    return { isFile: true, size: file.length, mode: 0o100000 | file.mode, modified: file.modified, id }
  }

  read (path: string, syscall = 'open'): Uint8Array {
    const { bytes, length } = this.#file(path, syscall)
    return bytes.subarray(0, length)
  }

  write (path: string, data: Uint8Array, options: WriteOptions = {}): void {
    const { append = false, exclusive = false, mustExist = false, syscall = 'open' } = options
    const known = this.#entries.get(path)
    if (known && !known.file) fail('EISDIR', syscall, path)
    if (known && exclusive) fail('EEXIST', syscall, path)
    if (!known) {
      if (mustExist) fail('ENOENT', syscall, path)
      this.#checkParent(path, syscall)
    }
    const file = known?.file ?? { bytes: new Uint8Array(0), length: 0, mode: 0o644, modified: new Date(), isNew: true }
    if (!known) this.#set(path, file)
    this.#put(file, append ? file.length : 0, data)
    if (!append) file.length = data.length
  }

  /** Writes at a position. */
  writeAt (path: string, data: Uint8Array, at: number): void {
    this.#put(this.#file(path, 'write'), at, data)
  }

  truncate (path: string, size: number): void {
    const file = this.#file(path, 'ftruncate')
    if (size > file.length) this.#put(file, file.length, new Uint8Array(size - file.length))
    file.length = size
  }

  mkdir (path: string, isRecursive: boolean): string | undefined {
    const known = this.#entries.get(path)
    if (known && (!isRecursive || known.file)) fail('EEXIST', 'mkdir', path)
    if (known) return undefined
    const parent = parentOf(path)
    const first = isRecursive && this.#isInside(parent) && !this.#entries.has(parent) ? this.mkdir(parent, true) : undefined
    this.#checkParent(path, 'mkdir')
    this.#set(path)
    return first ?? path
  }

  list (path: string, syscall = 'scandir'): string[] {
    const entry = this.#entries.get(path)
    if (!entry) fail('ENOENT', syscall, path)
    if (entry.file) fail('ENOTDIR', syscall, path)
    return [...this.#below(path)].map(inside => inside.slice(path.length + 1)).filter(name => !name.includes('/')).sort()
  }

  remove (path: string, { isRecursive = false, syscall = 'unlink' } = {}): void {
    const entry = this.#entries.get(path)
    if (!entry) fail('ENOENT', syscall, path)
    if (!entry.file && syscall === 'unlink') fail('EISDIR', syscall, path)
    if (entry.file && syscall === 'rmdir') fail('ENOTDIR', syscall, path)
    const inside = entry.file ? [] : [...this.#below(path)]
    if (inside.length > 0 && !isRecursive) fail('ENOTEMPTY', syscall, path)
    if (path === this.root) fail('EINVAL', syscall, path)
    for (const one of [path, ...inside]) this.#entries.delete(one)
  }

  rename (from: string, to: string): void {
    const entry = this.#entries.get(from)
    if (!entry) fail('ENOENT', 'rename', from, to)
    this.#checkParent(to, 'rename')
    const known = this.#entries.get(to)
    if (known && !known.file && entry.file) fail('EISDIR', 'rename', from, to)
    if (from === to) return
    if (to.startsWith(`${from}/`) || from === this.root) fail('EINVAL', 'rename', from, to)
    const inside = entry.file ? [] : [...this.#below(from)]
    for (const path of [from, ...inside]) {
      const moved = this.#entries.get(path)
      this.#entries.delete(path)
      if (moved?.file) moved.file.isNew = true
      if (moved) this.#entries.set(to + path.slice(from.length), moved)
    }
  }

  /** The files in the program's folder that the program wrote. */
  * written (): Generator<[path: string, bytes: Uint8Array]> {
    for (const [path, { file }] of this.#entries) {
      if (file?.isNew && this.#isInside(path)) yield [path.slice(this.root.length + 1), file.bytes.subarray(0, file.length)]
    }
  }

  #isInside (path: string): boolean {
    return path === this.root || path.startsWith(`${this.root}/`)
  }

  #set (path: string, file?: File): void {
    this.#entries.set(path, { modified: new Date(), id: ++this.#ids, ...(file && { file }) })
  }

  * #below (folder: string): Generator<string> {
    for (const path of this.#entries.keys()) if (path.startsWith(`${folder}/`)) yield path
  }

  #file (path: string, syscall: string): File {
    const entry = this.#entries.get(path)
    if (!entry) fail('ENOENT', syscall, path)
    return entry.file ?? fail('EISDIR', syscall === 'open' ? 'read' : syscall, path)
  }

  // Folders outside of the program's, such as /tmp, count as existing.
  #checkParent (path: string, syscall: string): void {
    const parent = parentOf(path)
    const known = this.#entries.get(parent)
    if (known?.file) fail('ENOTDIR', syscall, path)
    if (!known && this.#isInside(parent)) fail('ENOENT', syscall, path)
  }

  #put (file: File, at: number, data: Uint8Array): void {
    const end = at + data.length
    if (end > file.bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * file.bytes.length))
      larger.set(file.bytes.subarray(0, file.length))
      file.bytes = larger
    } else if (at > file.length) {
      file.bytes.fill(0, file.length, at)
    }
    file.bytes.set(data, at)
    file.length = Math.max(file.length, end)
    file.modified = new Date()
    file.isNew = true
  }
}

function parentOf (path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}

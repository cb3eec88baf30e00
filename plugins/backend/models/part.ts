import { type Hash, createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/** The part of a file that has been downloaded, with its checksum so far. It stays on the disk if the process ends or is killed. */
export class Part {
  #file: FileHandle
  #hash: Hash = createHash('sha256')
  #length = 0

  private constructor (file: FileHandle) {
    this.#file = file
  }

  /** Opens the part that is there, or an empty one. */
  static async open (path: string, signal: AbortSignal): Promise<Part> {
    const part = new Part(await open(path, 'a+').then(async file => { await file.close(); return await open(path, 'r+') }))
    for await (const chunk of part.#file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1024 * 1024 })) {
      signal.throwIfAborted()
      part.#count(chunk as Buffer)
    }
    return part
  }

  get length (): number { return this.#length }

  get sha256 (): string { return this.#hash.copy().digest('hex') }

  async append (chunk: Buffer): Promise<void> {
    await this.#file.write(chunk, 0, chunk.length, this.#length)
    this.#count(chunk)
  }

  async empty (): Promise<void> {
    await this.#file.truncate(0)
    this.#hash = createHash('sha256')
    this.#length = 0
  }

  async begins (with_: string): Promise<boolean> {
    const start = Buffer.alloc(Buffer.byteLength(with_))
    await this.#file.read(start, 0, start.length, 0)
    return start.toString() === with_
  }

  /** Closes the file; with `sync`, the data is safely on the disk before that. */
  async close ({ sync = false } = {}): Promise<void> {
    if (sync) await this.#file.sync()
    await this.#file.close()
  }

  #count (chunk: Buffer): void {
    this.#hash.update(chunk)
    this.#length += chunk.length
  }
}

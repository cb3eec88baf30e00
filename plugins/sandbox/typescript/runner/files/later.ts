import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { encodingOf, option, wrongType } from './paths.js'
import type { Work, Works } from './node-fs.js'

type Call = (...args: unknown[]) => unknown
type Callback = (error: unknown, ...results: unknown[]) => void

const streams = () => process.getBuiltinModule('node:stream') as unknown as { Readable: typeof Readable, Writable: typeof Writable }

/** The same calls with a callback, which comes last: `readFile` of `readFileSync`. */
export function callbackCalls (sync: Works): Works {
  const made: Record<string, Work> = {}
  for (const [name, work] of Object.entries(sync)) {
    const plain = name.replace(/Sync$/, '')
    made[plain] = (...args: unknown[]): void => {
      const callback = args.pop() as Callback
      if (typeof callback !== 'function') throw wrongType('The "cb" argument must be of type function.')
      if (plain === 'exists') return void setImmediate(() => { callback((work as Call)(...args)) })
      let results: unknown[]
      try {
        const value = (work as Call)(...args)
        results = plain === 'write' || plain === 'read' ? [null, value, args[1]] : [null, value]
      } catch (error) {
        results = [error]
      }
      setImmediate(() => { callback(...results as [unknown]) })
    }
  }
  return made
}

/** `node:fs/promises`. */
export function promisedCalls (sync: Works): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  const nextTurn = () => new Promise(setImmediate)
  for (const [name, work] of Object.entries(sync)) {
    made[name.replace(/Sync$/, '')] = async (...args: unknown[]) => (await nextTurn(), (work as Call)(...args))
  }
  const open = async (...args: unknown[]) => (await nextTurn(), new Handle(sync, (sync.openSync as Call)(...args) as number))
  return { ...made, open }
}

class Handle {
  readonly fd: number
  readonly #sync: Works

  constructor (sync: Works, fd: number) {
    this.#sync = sync
    this.fd = fd
  }

  async readFile (options?: unknown): Promise<unknown> { return await this.#do('readFileSync', options) }
  async writeFile (data: unknown, options?: unknown): Promise<void> { await this.#do('writeFileSync', data, options) }
  async appendFile (data: unknown, options?: unknown): Promise<void> { await this.#do('appendFileSync', data, options) }
  async truncate (size?: number): Promise<void> { await this.#do('ftruncateSync', size) }
  async stat (): Promise<unknown> { return await this.#do('fstatSync') }
  async sync (): Promise<void> { await this.#do('fsyncSync') }
  async close (): Promise<void> { await this.#do('closeSync') }
  async [Symbol.asyncDispose] (): Promise<void> { await this.close() }
  async write (data: unknown, ...more: unknown[]): Promise<unknown> {
    return { bytesWritten: await this.#do('writeSync', data, ...more), buffer: data }
  }

  async read (buffer: unknown, ...more: unknown[]): Promise<unknown> {
    return { bytesRead: await this.#do('readSync', buffer, ...more), buffer }
  }

  async #do (name: string, ...args: unknown[]): Promise<unknown> {
    await new Promise(setImmediate)
    return (this.#sync[name] as Call)(this.fd, ...args)
  }
}

export function streamCalls (sync: Works): Works {
  const call = (name: string, ...args: unknown[]) => (sync[name] as Call)(...args)
  return {
    createReadStream: (name: unknown, options?: unknown): Readable => {
      const { Readable } = streams()
      const start = option(options, 'start')
      const end = option(options, 'end')
      const lines = function * () {
        const all = call('readFileSync', name) as Buffer
        yield all.subarray(typeof start === 'number' ? start : 0, typeof end === 'number' ? end + 1 : undefined)
      }
      const made = Readable.from(lines(), { objectMode: false })
      const encoding = encodingOf(options)
      if (encoding !== undefined) made.setEncoding(encoding)
      return Object.assign(made, { path: name, close: () => made.destroy() })
    },
    createWriteStream: (name: unknown, options?: unknown): Writable => {
      const { Writable } = streams()
      const flags = option(options, 'flags') ?? 'w'
      let descriptor: number | undefined
      const made: Writable = new Writable({
        construct (done) {
          try {
            descriptor = call('openSync', name, flags) as number
            done()
            made.emit('open', descriptor)
          } catch (error) { done(error as Error) }
        },
        write (chunk: unknown, _encoding, done) {
          try {
            call('writeSync', descriptor, chunk)
            counted.bytesWritten += (chunk as Buffer).length
            done()
          } catch (error) { done(error as Error) }
        },
        destroy (error, done) {
          if (descriptor !== undefined) call('closeSync', descriptor)
          descriptor = undefined
          done(error)
        }
      })
      const counted = Object.assign(made, { path: name, bytesWritten: 0, close: () => made.end() })
      return made
    }
  }
}

import fs from 'node:fs'
import { wrongType } from './paths.js'
import type { Work, Works } from './node-fs.js'

type Call = (...args: unknown[]) => unknown
type Callback = (error: unknown, ...results: unknown[]) => void

/** The same functions with a callback as the last argument: `readFile` from `readFileSync`. */
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

/** What `open` of `node:fs/promises` returns. */
class Handle {
  declare readonly fd: number

  constructor (sync: Works, fd: number) {
    const call = (name: string) => async (...args: unknown[]) => {
      await new Promise(setImmediate)
      return (sync[name] as Call)(fd, ...args)
    }
    const [write, read] = [call('writeSync'), call('readSync')]
    Object.assign(this, {
      fd,
      readFile: call('readFileSync'), writeFile: call('writeFileSync'), appendFile: call('appendFileSync'), truncate: call('ftruncateSync'),
      stat: call('fstatSync'), sync: call('fsyncSync'), close: call('closeSync'), [Symbol.asyncDispose]: call('closeSync'),
      write: async (buffer: unknown, ...more: unknown[]) => ({ bytesWritten: await write(buffer, ...more), buffer }),
      read: async (buffer: unknown, ...more: unknown[]) => ({ bytesRead: await read(buffer, ...more), buffer })
    })
  }
}

/** Node's own streams, which use the functions that they are given. */
export function streamCalls (sync: Works): Works {
  const calls = { ...callbackCalls(sync), writev: undefined }
  const optionsOf = (options: unknown) => ({ ...(typeof options === 'string' ? { encoding: options } : options as object), fs: calls })
  return {
    createReadStream: (name: unknown, options?: unknown) => fs.createReadStream(name as string, optionsOf(options) as never),
    createWriteStream: (name: unknown, options?: unknown) => fs.createWriteStream(name as string, optionsOf(options) as never)
  }
}

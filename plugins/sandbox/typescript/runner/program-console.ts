import { Console } from 'node:console'
import { writeAll } from './channel.js'
import { writeError, writeOut } from './platform.js'

type Methods = Record<string, (...args: unknown[]) => void>

const made = new Console({ stdout: streamTo(writeOut), stderr: streamTo(writeError) }) as unknown as Methods

/** Has it make what it makes when it first prints, before there is a job. */
export function warmConsole (): void {
  const unheard = streamTo(bytes => bytes.length)
  const unseen = new Console({ stdout: unheard, stderr: unheard })
  unseen.log('%s %d', { name: ['text', 1, null] }, 1, new Map([[1, new Date(0)]]), new Error('none'))
}

/** `console` as Node prints it. What it prints is out when the call returns, so that no end of the process loses any. */
export function installConsole (): void {
  const target = console as unknown as Record<string, unknown>
  for (const name of Object.keys(target)) if (typeof made[name] === 'function') target[name] = made[name].bind(made)
}

export function printError (text: string): void {
  writeAll(writeError, `${text}\n`)
}

// As much of a stream as a console asks of one.
function streamTo (write: (bytes: Uint8Array) => number): NodeJS.WritableStream {
  const same = () => stream
  const print = (text: string) => { writeAll(write, text); return true }
  const stream = { write: print, on: same, once: same, removeListener: same, listenerCount: () => 0 }
  return stream as unknown as NodeJS.WritableStream
}

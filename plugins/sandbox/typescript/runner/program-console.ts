import { Console } from 'node:console'
import { writeAll } from './channel.js'
import { writeError, writeOut } from './platform.js'

type Methods = Record<string, (...args: unknown[]) => void>

const made = new Console({ stdout: streamTo(writeOut), stderr: streamTo(writeError) }) as unknown as Methods

/** Prints once to nowhere before there is a job, since the first use takes long. */
export function warmConsole (): void {
  const nowhere = streamTo(bytes => bytes.length)
  const warm = new Console({ stdout: nowhere, stderr: nowhere })
  warm.log('%s %d', { name: ['text', 1, null] }, 1, new Map([[1, new Date(0)]]), new Error('none'))
}

/** Makes `console` print as Node's does. Each call returns when everything is written, so that nothing is lost if the process ends. */
export function installConsole (): void {
  const target = console as unknown as Record<string, unknown>
  for (const name of Object.keys(target)) if (typeof made[name] === 'function') target[name] = made[name].bind(made)
}

export function printError (text: string): void {
  writeAll(writeError, `${text}\n`)
}

// The part of a stream that a console uses.
function streamTo (write: (bytes: Uint8Array) => number): NodeJS.WritableStream {
  const same = () => stream
  const print = (text: string) => { writeAll(write, text); return true }
  const stream = { write: print, on: same, once: same, removeListener: same, listenerCount: () => 0 }
  return stream as unknown as NodeJS.WritableStream
}

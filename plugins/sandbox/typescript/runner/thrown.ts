import { type Json, num, str } from './json.js'
import { isExit } from './exit-called.js'
import { Failure, isDenied, slice, text } from './platform.js'

const MAX = 8000

/** What was thrown, for the report. Anything can be thrown, and reading it can throw again. */
export function thrownFields (thrown: unknown): { kind: Json, name: Json, message: Json, stack: Json } {
  return {
    // By what it is: anything can be given a name and a message.
    kind: str(isExit(thrown) ? 'exit' : isDenied(thrown) ? 'denied' : 'other'),
    name: str(cut(() => thrown instanceof Failure ? (text(thrown.name) || 'Error') : typeof thrown)),
    message: str(cut(() => thrown instanceof Failure ? text(thrown.message) : text(thrown))),
    stack: str(cut(() => thrown instanceof Failure ? text(thrown.stack) : ''))
  }
}

function cut (read: () => string): string {
  try {
    return slice(read(), 0, MAX)
  } catch {
    return 'something was thrown that cannot be printed'
  }
}

export const millis = (ms: number): Json => num(ms < 0 ? 0 : ms)

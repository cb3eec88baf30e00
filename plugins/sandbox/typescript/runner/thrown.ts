import { NotCapable } from './platform.js'

const MAX = 8000

/** The code under test was about to end the process. */
export class ExitCalled extends Error {
  override name = 'ExitCalled'

  constructor (what: string) {
    super(`the process was told to ${what}`)
  }
}

export interface ThrownFields { kind: 'exit' | 'denied' | 'other', name: string, message: string, stack: string }

/** What was thrown, for the report; also what the test runner made of it, which has the same fields. Reading it can throw again. */
export function thrownFields (thrown: unknown): ThrownFields {
  const isError = typeof thrown === 'object' && thrown !== null && 'message' in thrown
  const part = (key: string): string => cut(() => isError ? String(Reflect.get(thrown, key) ?? '') : '')
  const name = isError ? part('name') || 'Error' : typeof thrown
  const message = isError ? part('message') : cut(() => String(thrown))
  // Of hooks the test runner gives plain copies of what they threw, which have no class.
  const isOf = (made: new (message: string) => Error, madeName: string) => thrown instanceof Error ? thrown instanceof made : name === madeName
  return { kind: isOf(ExitCalled, 'ExitCalled') ? 'exit' : isOf(NotCapable, 'NotCapable') ? 'denied' : 'other', name, message, stack: part('stack') }
}

function cut (read: () => string): string {
  try {
    return read().slice(0, MAX)
  } catch {
    return 'something was thrown that cannot be printed'
  }
}

interface StrayEvent { type: string, preventDefault (): void, reason?: unknown, error?: unknown }

const events = globalThis as unknown as { addEventListener (type: string, listener: (event: StrayEvent) => void, capture: boolean): void }

let stray: { reason: unknown } | undefined
let heed = (event: StrayEvent, reason: unknown): void => {
  event.preventDefault()
  stray ??= { reason }
}

/** What fails outside of any call, such as a forgotten promise or a timer, counts against the test that is under way. */
export function watchStray (): void {
  events.addEventListener('unhandledrejection', event => { heed(event, event.reason) }, true)
  events.addEventListener('error', event => { heed(event, event.error) }, true)
}

/** Has another decide what becomes of a failure. */
export function heedStray (decide: (event: StrayEvent, reason: unknown) => void): void {
  heed = decide
}

/** The first failure since it was last asked for. */
export function takeStray (): { reason: unknown } | undefined {
  const taken = stray
  stray = undefined
  return taken
}

import { NotCapable } from './platform.js'

const MAX = 8000

/** Thrown where the code under test tries to end the process. */
export class ExitCalled extends Error {
  override name = 'ExitCalled'

  constructor (what: string) {
    super(`the process was told to ${what}`)
  }
}

/** Thrown where the code under test uses something that the runner does not have. */
export class NotAvailable extends Error {
  override name = 'NotAvailable'
}

export interface ThrownFields { kind: 'exit' | 'denied' | 'absent' | 'other', name: string, message: string, stack: string }

const KINDS = [
  { kind: 'exit', made: ExitCalled, madeName: 'ExitCalled' },
  { kind: 'denied', made: NotCapable, madeName: 'NotCapable' },
  { kind: 'absent', made: NotAvailable, madeName: 'NotAvailable' }
] as const

/** Describes what was thrown, or the test runner's copy of it, which has the same fields. Reading it can throw again. */
export function thrownFields (thrown: unknown): ThrownFields {
  const isError = typeof thrown === 'object' && thrown !== null && 'message' in thrown
  const part = (key: string): string => cut(() => isError ? String(Reflect.get(thrown, key) ?? '') : '')
  const name = isError ? part('name') || 'Error' : typeof thrown
  const message = isError ? part('message') : cut(() => String(thrown))
  // The test runner's copies of what hooks threw have no class, only its name.
  const isA = ({ made, madeName }: typeof KINDS[number]) => thrown instanceof Error ? thrown instanceof made : name === madeName
  return { kind: KINDS.find(isA)?.kind ?? 'other', name, message, stack: part('stack') }
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
let handle = (event: StrayEvent, reason: unknown): void => {
  event.preventDefault()
  stray ??= { reason }
}

/** Collects errors outside of any call, as in a forgotten promise or a timer. They count against the running test. */
export function watchStray (): void {
  events.addEventListener('unhandledrejection', event => { handle(event, event.reason) }, true)
  events.addEventListener('error', event => { handle(event, event.error) }, true)
}

/** Replaces the handler of these errors. */
export function handleStray (handler: (event: StrayEvent, reason: unknown) => void): void {
  handle = handler
}

/** The first of these errors since the last call. */
export function takeStray (): { reason: unknown } | undefined {
  const taken = stray
  stray = undefined
  return taken
}

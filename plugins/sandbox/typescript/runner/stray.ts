// What fails outside of any call: a forgotten promise, an error in a timer. It counts against the test that is under way.

interface StrayEvent { type: string, preventDefault (): void, reason?: unknown, error?: unknown }

const events = globalThis as unknown as { addEventListener (type: string, listener: (event: StrayEvent) => void, capture: boolean): void }

let stray: { reason: unknown } | undefined
let heed = (event: StrayEvent, reason: unknown): void => {
  event.preventDefault()
  stray ??= { reason }
}

/** Ours comes before any listener of the job's, which could keep the event from the rest. */
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

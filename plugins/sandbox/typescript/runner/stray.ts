// What fails outside of any call: a forgotten promise, an error in a timer. It counts against the test that is under way.

interface StrayEvent { preventDefault (): void, reason?: unknown, error?: unknown }

const events = globalThis as unknown as { addEventListener (type: string, listener: (event: StrayEvent) => void, capture: boolean): void }

let stray: { reason: unknown } | undefined

/** Ours comes before any listener of the job's, which could keep the event from the rest. */
export function watchStray (): void {
  events.addEventListener('unhandledrejection', event => {
    event.preventDefault()
    stray ??= { reason: event.reason }
  }, true)
  events.addEventListener('error', event => {
    event.preventDefault()
    stray ??= { reason: event.error }
  }, true)
}

/** The first failure since it was last asked for. */
export function takeStray (): { reason: unknown } | undefined {
  const taken = stray
  stray = undefined
  return taken
}

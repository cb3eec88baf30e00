/**
 * Calls in flight that another request may cancel: until 2026 the protocol's clients keep the connection of a call open and
 * send `notifications/cancelled` beside it. Their ids are small numbers, so a session's id says whose they are; nothing else
 * is kept of a session.
 */
export class Cancels {
  readonly #inFlight = new Map<string, AbortController>()

  /** A message of a session. Gives what is to be done when its reply has ended. */
  meet (session: string, message: unknown, controller: AbortController): () => void {
    const { id, method, params } = (message ?? {}) as { id?: unknown, method?: unknown, params?: { requestId?: unknown } | null }
    if (method === 'notifications/cancelled') this.#inFlight.get(keyOf(session, params?.requestId))?.abort()
    if (method !== 'tools/call') return () => {}
    const key = keyOf(session, id)
    this.#inFlight.set(key, controller)
    return () => { if (this.#inFlight.get(key) === controller) this.#inFlight.delete(key) }
  }
}

function keyOf (session: string, id: unknown): string {
  return JSON.stringify([session.slice(0, 200), typeof id === 'number' ? id : String(id).slice(0, 200)])
}

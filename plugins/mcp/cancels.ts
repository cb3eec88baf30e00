/**
 * The calls in flight that another request can cancel. In versions of the protocol before 2026, a client keeps the connection of the
 * call open and sends `notifications/cancelled` in another request. Ids of calls are small numbers, so they count only together with
 * the id of the session. Nothing else is stored about a session.
 */
export class Cancels {
  readonly #inFlight = new Map<string, AbortController>()

  /** Handles a message of a session. Returns a function to call when its reply has ended. */
  handle (session: string, message: unknown, controller: AbortController): () => void {
    const { id, method, params } = (message ?? {}) as { id?: unknown, method?: unknown, params?: { requestId?: unknown } | null }
    if (method === 'notifications/cancelled' && isId(params?.requestId)) this.#inFlight.get(keyOf(session, params.requestId))?.abort()
    if (method !== 'tools/call' || !isId(id)) return () => {}
    const key = keyOf(session, id)
    this.#inFlight.set(key, controller)
    return () => { if (this.#inFlight.get(key) === controller) this.#inFlight.delete(key) }
  }
}

function isId (id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number'
}

function keyOf (session: string, id: string | number): string {
  return JSON.stringify([session.slice(0, 200), typeof id === 'number' ? id : id.slice(0, 200)])
}

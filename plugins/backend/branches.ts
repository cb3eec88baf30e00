/** Signals that all end with one. A listener of each at that one would be a leak in Node's eyes, once there are more than ten. */
export class Branches {
  readonly #root: AbortSignal | undefined
  readonly #ends: AbortController[] = []

  constructor (root: AbortSignal | undefined) {
    this.#root = root
    root?.addEventListener('abort', this.#abort, { once: true })
  }

  branch (): AbortSignal {
    const end = new AbortController()
    this.#ends.push(end)
    if (this.#root?.aborted) this.#abort()
    return end.signal
  }

  /** They end no more with the one they came from. */
  release (): void {
    this.#root?.removeEventListener('abort', this.#abort)
  }

  readonly #abort = () => { for (const end of this.#ends) end.abort(this.#root?.reason) }
}

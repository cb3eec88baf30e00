/** Signals that abort together with one root signal, by one listener: Node warns of a leak at more than ten listeners. */
export class Branches {
  readonly #root: AbortSignal | undefined
  readonly #controllers: AbortController[] = []

  constructor (root: AbortSignal | undefined) {
    this.#root = root
    root?.addEventListener('abort', this.#abort, { once: true })
  }

  branch (): AbortSignal {
    const controller = new AbortController()
    this.#controllers.push(controller)
    if (this.#root?.aborted) this.#abort()
    return controller.signal
  }

  /** Detaches the branches from the root signal. */
  release (): void {
    this.#root?.removeEventListener('abort', this.#abort)
  }

  readonly #abort = () => { for (const controller of this.#controllers) controller.abort(this.#root?.reason) }
}

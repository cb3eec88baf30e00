/** The end of something that lives long, for whoever waits meanwhile. A promise of it would keep every race that it was ever part of. */
export class Ending {
  readonly #waiting = new Set<(error: Error) => void>()
  #error: Error | undefined

  /** It has ended. */
  tell (error: Error): void {
    this.#error ??= error
    for (const hear of this.#waiting) hear(error)
    this.#waiting.clear()
  }

  /** Calls `hear` at its end, at once where that was before. Gives what takes that back. */
  on (hear: (error: Error) => void): () => void {
    if (this.#error) hear(this.#error)
    else this.#waiting.add(hear)
    return () => this.#waiting.delete(hear)
  }
}

/** Who waits for a slot, and for which run. */
export interface Turn { signal: AbortSignal, run: unknown }

/**
 * Lets `size` jobs work at once; the others wait. A free slot goes to the run that holds the fewest slots, and among equals to the
 * one that was served longest ago. So a run with many jobs delays only its own.
 */
export class Slots {
  readonly #size: number
  readonly #held = new Map<unknown, number>()
  /** In the order in which the runs were last served. */
  readonly #waiting = new Map<unknown, (() => void)[]>()
  #taken = 0

  constructor (size: number) {
    this.#size = size
  }

  async with<T> ({ signal, run }: Turn, work: () => Promise<T>): Promise<T> {
    await this.#take(signal, run)
    try {
      return await work()
    } finally {
      this.#release(run)
    }
  }

  #take (signal: AbortSignal, run: unknown): Promise<void> {
    signal.throwIfAborted()
    if (this.#taken < this.#size) {
      this.#taken++
      this.#hold(run, 1)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(run) ?? []
      const leave = () => {
        queue.splice(queue.indexOf(turn), 1)
        if (queue.length === 0) this.#waiting.delete(run)
        reject(signal.reason)
      }
      const turn = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      queue.push(turn)
      this.#waiting.set(run, queue)
    })
  }

  #release (run: unknown): void {
    this.#hold(run, -1)
    const next = this.#nextRun()
    const queue = this.#waiting.get(next)
    const turn = queue?.shift()
    if (!queue || !turn) {
      this.#taken--
      return
    }
    this.#waiting.delete(next)
    if (queue.length > 0) this.#waiting.set(next, queue) // behind all the others
    this.#hold(next, 1)
    turn()
  }

  #nextRun (): unknown {
    let next: unknown
    let fewest = Infinity
    for (const run of this.#waiting.keys()) {
      const held = this.#held.get(run) ?? 0
      if (held < fewest) [next, fewest] = [run, held]
    }
    return next
  }

  #hold (run: unknown, change: 1 | -1): void {
    const held = (this.#held.get(run) ?? 0) + change
    if (held === 0) this.#held.delete(run)
    else this.#held.set(run, held)
  }
}

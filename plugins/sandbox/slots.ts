/** How many may run at once. The others wait for their turn, first come first served. */
export class Slots {
  readonly #size: number
  readonly #waiting: (() => void)[] = []
  #taken = 0

  constructor (size: number) {
    this.#size = size
  }

  async with<T> (signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(signal)
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#taken--
    }
  }

  #take (signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#taken < this.#size) {
      this.#taken++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
        reject(signal.reason)
      }
      const turn = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(turn)
    })
  }
}

/** The time that a folder has to be ready, all its steps together. What an agent awaits may never come. */
export class Deadline {
  readonly length: number
  readonly #end: number

  constructor (length: number) {
    this.length = length
    this.#end = performance.now() + length
  }

  /** Settles as the step does, or rejects at the deadline and names the step. */
  async within<T> (step: string, work: PromiseLike<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`${step} has not ended after ${this.length / 1000} s: it waits for something that does not come`)), Math.max(this.#end - performance.now(), 0))
    })
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
    }
  }
}

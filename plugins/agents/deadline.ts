import type { FastifyBaseLogger } from 'fastify'

// After this many milliseconds the log says what the start is waiting for: most agents need less.
const NOTICE = 5000

/** The folder that the start waits for, and the log that says so. */
export interface Awaited { folder: { path: string }, log: FastifyBaseLogger }

/** The time that a folder has to become ready, all its steps together. An agent may wait for something that never happens. */
export class Deadline {
  readonly length: number
  readonly #end: number
  readonly #awaited: Awaited

  constructor (length: number, awaited: Awaited) {
    this.length = length
    this.#awaited = awaited
    this.#end = performance.now() + length
  }

  /** Settles as the work does, or rejects at the deadline with an error that names the step. */
  async within<T> (step: string, work: PromiseLike<T>): Promise<T> {
    const left = Math.max(this.#end - performance.now(), 0)
    const notice = left <= NOTICE ? undefined : setTimeout(() => this.#warn(step, left - NOTICE), NOTICE)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      const message = `${step} has not ended after ${this.length / 1000} s: it waits for something that does not come`
      timer = setTimeout(() => reject(new Error(message)), left)
    })
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
      clearTimeout(notice)
    }
  }

  #warn (step: string, left: number): void {
    const { folder: { path }, log } = this.#awaited
    const state = `${step} has not ended after ${NOTICE / 1000} s. It is given ${Math.round(left / 1000)} s more`
    log.warn({ folder: path }, `the start waits for the agent in ${path}: ${state}`)
  }
}

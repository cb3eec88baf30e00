import type { FastifyBaseLogger } from 'fastify'

// Long enough for any honest start, and short enough for who looks at a service that does not come up.
const NOTICE = 5000

/** Who is waited for, and where that is said. */
export interface Awaited { folder: { path: string }, log: FastifyBaseLogger }

/** The time that a folder has to be ready, all its steps together. What an agent awaits may never come. */
export class Deadline {
  readonly length: number
  readonly #end: number
  readonly #awaited: Awaited

  constructor (length: number, awaited: Awaited) {
    this.length = length
    this.#awaited = awaited
    this.#end = performance.now() + length
  }

  /** Settles as the step does, or rejects at the deadline and names the step. */
  async within<T> (step: string, work: PromiseLike<T>): Promise<T> {
    const left = Math.max(this.#end - performance.now(), 0)
    const { folder, log } = this.#awaited
    const notice = left <= NOTICE
      ? undefined
      : setTimeout(() => log.warn({ folder: folder.path }, `the start waits for the agent in ${folder.path}: ${step} has not ended after ${NOTICE / 1000} s. It is given ${Math.round((left - NOTICE) / 1000)} s more`), NOTICE)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`${step} has not ended after ${this.length / 1000} s: it waits for something that does not come`)), left)
    })
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
      clearTimeout(notice)
    }
  }
}

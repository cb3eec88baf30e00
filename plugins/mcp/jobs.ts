import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidRequest, ShuttingDown } from '../../schemas/errors.js'
import { Slots } from '../sandbox/slots.js'

// Half of the sandbox's slots: agents always find a free one, however many calls of tools there are.
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2))
const MOST = 64

/** The jobs of the code tools in flight. */
export class Jobs {
  readonly #slots = new Slots(AT_ONCE)
  readonly #inFlight = new Set<Promise<unknown>>()
  readonly #stop = new AbortController()

  /** Waits for its turn, then does the work with a signal that also aborts at the end of the service. */
  async run<T> (signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#inFlight.size >= MOST) throw new InvalidRequest(`${MOST} jobs are waiting already: try again later`, 503)
    const either = AbortSignal.any([signal, this.#stop.signal])
    const job = this.#slots.with({ signal: either, run: undefined }, () => work(either))
    this.#inFlight.add(job)
    try {
      return await job
    } finally {
      this.#inFlight.delete(job)
    }
  }

  /** Waits for the jobs in flight, then ends those that are left. */
  async close (drain: number): Promise<void> {
    if (this.#inFlight.size > 0) await Promise.race([Promise.allSettled(this.#inFlight), sleep(drain, undefined, { ref: false })])
    this.#stop.abort(new ShuttingDown())
    await Promise.allSettled(this.#inFlight)
  }
}

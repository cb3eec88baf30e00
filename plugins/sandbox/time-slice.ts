import { setImmediate as nextTurn } from 'node:timers/promises'

const SLICE_MS = 5

/** Lets other work of the service run between the steps of a long one: `if (slice.isOver) await slice.next()`. */
export class TimeSlice {
  #ends = performance.now() + SLICE_MS

  get isOver (): boolean { return performance.now() >= this.#ends }

  async next (): Promise<void> {
    await nextTurn()
    this.#ends = performance.now() + SLICE_MS
  }
}

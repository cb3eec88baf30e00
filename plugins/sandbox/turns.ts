import { setImmediate as nextTurn } from 'node:timers/promises'

const TURN_MS = 5

/** For work in many steps on the event loop: `if (turns.isOver) await turns.next()` between two of them. */
export class Turns {
  #ends = performance.now() + TURN_MS

  get isOver (): boolean { return performance.now() >= this.#ends }

  async next (): Promise<void> {
    await nextTurn()
    this.#ends = performance.now() + TURN_MS
  }
}

import type { Report } from './frames.js'

// A harness ends what it can by itself, and tells more of it: it is given that much longer.
const GRACE_MS = 1000

/** Holds each test to its time from outside: code that never lets go cannot be interrupted from within. */
export class TestClock {
  readonly #testMs: number | undefined
  readonly #begins: (body: unknown) => boolean
  readonly #onLate: () => void
  #heard = 0
  #timer: NodeJS.Timeout | undefined

  constructor (testMs: number | undefined, begins: (body: unknown) => boolean, onLate: () => void) {
    this.#testMs = testMs
    this.#begins = begins
    this.#onLate = onLate
  }

  /** What was reported so far. A test is under way for as long as its begin is the last of it. */
  hear (reports: readonly Report[]): void {
    if (this.#testMs === undefined || reports.length === this.#heard) return
    this.#heard = reports.length
    clearTimeout(this.#timer)
    if (this.#begins(reports.at(-1)?.body)) this.#timer = setTimeout(this.#onLate, this.#testMs + GRACE_MS)
  }

  end (): void {
    clearTimeout(this.#timer)
  }
}

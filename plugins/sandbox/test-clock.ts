import type { Message } from './frames.js'

// A runner ends a test by itself where it can, and then says more about it. It is given this much longer.
const GRACE_MS = 1000

/** Limits each test's time from outside the process, since a busy loop cannot always be interrupted from inside. */
export class TestClock {
  readonly #testMs: number | undefined
  readonly #isTestStart: (body: unknown) => boolean
  readonly #onLate: () => void
  #count = 0
  #timer: NodeJS.Timeout | undefined

  constructor (testMs: number | undefined, isTestStart: (body: unknown) => boolean, onLate: () => void) {
    this.#testMs = testMs
    this.#isTestStart = isTestStart
    this.#onLate = onLate
  }

  /** Takes all messages so far. A test is running as long as its start is the last one. */
  update (messages: readonly Message[]): void {
    if (this.#testMs === undefined || messages.length === this.#count) return
    this.#count = messages.length
    clearTimeout(this.#timer)
    if (this.#isTestStart(messages.at(-1)?.body)) this.#timer = setTimeout(this.#onLate, this.#testMs + GRACE_MS)
  }

  stop (): void {
    clearTimeout(this.#timer)
  }
}

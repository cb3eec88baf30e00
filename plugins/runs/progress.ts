import { wellFormed } from './text.js'

const HOLD = 1000
const MAX_HELD = 64 * 1024

/** Progress is held back for the first second: a reply that comes within it has the plain shape of a chat completion. */
export class Progress {
  readonly #since = performance.now()
  readonly #send: (text: string) => void
  #held: string | undefined = '' // undefined once it is no longer held
  #timer: NodeJS.Timeout | undefined

  constructor (send: (text: string) => void) {
    this.#send = send
  }

  /** What is to be sent at once; empty while it is held. */
  push (text: string): string {
    if (this.#held === undefined) return wellFormed(text)
    if (this.#held.length < MAX_HELD) this.#held += text
    const age = performance.now() - this.#since
    if (age >= HOLD) this.#release()
    else this.#timer ??= setTimeout(() => this.#release(), HOLD - age)
    return ''
  }

  /** The reply itself has begun, which says more than what was held. */
  drop (): void {
    if (!this.#held) return
    this.#held = ''
    this.stop()
  }

  stop (): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #release (): void {
    const held = this.#held
    this.#held = undefined
    this.stop()
    if (held) this.#send(wellFormed(held))
  }
}

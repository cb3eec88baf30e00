import { wellFormed } from './text.js'

const HOLD = 1000
const MAX_HELD = 64 * 1024

/** Holds progress back for the first second, so that a reply within that second has the plain shape of a chat completion. */
export class Progress {
  readonly #since = performance.now()
  readonly #send: (text: string) => void
  #held: string | undefined = '' // undefined once it is no longer held
  #timer: NodeJS.Timeout | undefined

  constructor (send: (text: string) => void) {
    this.#send = send
  }

  /** Takes progress, and returns what must be sent now: nothing while progress is held. */
  push (text: string): string {
    if (this.#held === undefined) return wellFormed(text)
    if (this.#held.length < MAX_HELD) this.#held += text
    const age = performance.now() - this.#since
    if (age >= HOLD) this.#release()
    else this.#timer ??= setTimeout(() => this.#release(), HOLD - age)
    return ''
  }

  /** Drops what is held: the reply itself has begun. */
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

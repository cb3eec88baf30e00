/** Sends a message to the caller. `progress` grows with each message. */
export type Notify = (progress: number, message: string) => Promise<void>

const INTERVAL = 250
const COUNT_AFTER = 2000
// Most clients give up on a call if they hear nothing of it for 60 s.
const SILENCE = 10_000
const LONGEST = 2000

/** Sends progress to a caller that asked for it: what is being done, how long the reply is so far, or that the call is still running. */
export class Progress {
  readonly #notify: Notify | undefined
  readonly #since = performance.now()
  readonly #timer: NodeJS.Timeout | undefined
  #unsent = ''
  #written = 0
  #last = { count: 0, at: this.#since, written: 0 }

  constructor (notify?: Notify) {
    this.#notify = notify
    if (notify) this.#timer = setInterval(() => this.#sendDue(), INTERVAL)
  }

  /** Adds a text that says what is being done. */
  add (text: string): void {
    if (this.#notify) this.#unsent = (this.#unsent + text).slice(-LONGEST)
  }

  /** Adds to the number of characters of the reply. */
  count (characters: number): void {
    this.#written += characters
  }

  /** Sends the rest. Progress must not be sent after the result. */
  async finish (): Promise<void> {
    clearInterval(this.#timer)
    const text = this.#unsent.trim()
    if (text !== '') await this.#send(text)
  }

  #sendDue (): void {
    const silent = performance.now() - this.#last.at
    const text = this.#unsent.trim()
    if (text !== '') void this.#send(text)
    else if (silent > COUNT_AFTER && this.#written > this.#last.written) void this.#send(`${this.#written} characters so far`)
    else if (silent > SILENCE) void this.#send(`at work for ${Math.round((performance.now() - this.#since) / 1000)} s`)
  }

  async #send (message: string): Promise<void> {
    this.#unsent = ''
    this.#last = { count: this.#last.count + 1, at: performance.now(), written: this.#written }
    await this.#notify?.(this.#last.count, message)
  }
}

export type Tell = (progress: number, message: string) => Promise<void>

const EVERY = 250
const COUNT_AFTER = 2000
// Clients give up on a call that says nothing, most of them after 60 s.
const SILENCE = 10_000
const LONGEST = 2000

/** Tells a caller how far its call is, if it asked to be told: what is being done, how long the reply is, or that it goes on. */
export class Progress {
  readonly #tell: Tell | undefined
  readonly #since = performance.now()
  readonly #timer: NodeJS.Timeout | undefined
  #said = ''
  #written = 0
  #told = { count: 0, at: this.#since, written: 0 }

  constructor (tell?: Tell) {
    this.#tell = tell
    if (tell) this.#timer = setInterval(() => this.#look(), EVERY)
  }

  /** What is being done, in pieces of any length. */
  say (text: string): void {
    if (this.#tell) this.#said = (this.#said + text).slice(-LONGEST)
  }

  /** So many characters of the reply came. */
  wrote (characters: number): void {
    this.#written += characters
  }

  /** Tells what is left. Nothing may be told once the result is out. */
  async end (): Promise<void> {
    clearInterval(this.#timer)
    const said = this.#said.trim()
    if (said !== '') await this.#send(said)
  }

  #look (): void {
    const silent = performance.now() - this.#told.at
    const said = this.#said.trim()
    if (said !== '') void this.#send(said)
    else if (silent > COUNT_AFTER && this.#written > this.#told.written) void this.#send(`${this.#written} characters so far`)
    else if (silent > SILENCE) void this.#send(`at work for ${Math.round((performance.now() - this.#since) / 1000)} s`)
  }

  async #send (message: string): Promise<void> {
    this.#said = ''
    this.#told = { count: this.#told.count + 1, at: performance.now(), written: this.#written }
    await this.#tell?.(this.#told.count, message)
  }
}

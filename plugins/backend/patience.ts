import { BackendSlow } from './errors.js'

/** Milliseconds. */
export interface Deadlines {
  /** Until the first token of a reply, loading and waiting in the server's queue included. */
  firstToken: number
  nextToken: number
}

// A large prompt takes a processor many minutes.
export const DEADLINES: Deadlines = { firstToken: 900_000, nextToken: 300_000 }

/** One call's end: by its caller, or because the server keeps silent too long. The time that its reader takes is not counted. */
export class Patience {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #deadlines: Deadlines
  readonly #where: string
  /** One for the whole call: a timer for each token would cost as much as the rest of it. */
  #timer: NodeJS.Timeout
  #begun = false
  /** How long the server has been waited for since it was last heard, and since when it is now. */
  #spent = 0
  #since: number | undefined

  constructor (caller: AbortSignal, { where, ...deadlines }: Deadlines & { where: string }) {
    this.#caller = caller
    this.#deadlines = deadlines
    this.#where = where
    this.#timer = setTimeout(this.#check, deadlines.firstToken)
    if (caller.aborted) this.#leave()
    else caller.addEventListener('abort', this.#leave, { once: true })
  }

  get signal (): AbortSignal { return this.#controller.signal }

  /** Waits for the server. */
  async wait<T> (promise: Promise<T>): Promise<T> {
    const since = this.#since = performance.now()
    try {
      return await promise
    } finally {
      this.#spent += performance.now() - since
      this.#since = undefined
    }
  }

  /** A token was read. Nothing else counts: greetings, comments and empty messages may go on without end. */
  heard (): void {
    if (!this.#begun) {
      this.#begun = true
      this.#again(this.#limit)
    }
    this.#spent = 0
  }

  end (reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** The call is over. */
  release (): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#leave)
  }

  readonly #check = () => {
    const waited = this.#spent + (this.#since === undefined ? 0 : performance.now() - this.#since)
    if (this.#since !== undefined && waited >= this.#limit) this.end(this.#slow())
    else this.#again(Math.max(this.#limit - waited, 10))
  }

  #again (ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#check, Math.ceil(ms))
  }

  readonly #leave = () => this.end(this.#caller.reason)

  get #limit (): number { return this.#begun ? this.#deadlines.nextToken : this.#deadlines.firstToken }

  #slow (): BackendSlow {
    return new BackendSlow(
      `${this.#where} has sent nothing for ${this.#limit / 1000} s`,
      `see what keeps it busy, use a smaller model, or give it longer with ${this.#begun ? '--next-token-timeout' : '--first-token-timeout'}`
    )
  }
}

/** Waits for something that others may wait for, too, and so does not end with one caller. */
export async function untilAborted<T> (promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let leave: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (leave) signal.removeEventListener('abort', leave)
  }
}

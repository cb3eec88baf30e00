import { BackendSlow } from './errors.js'

/** How long a server may take, in milliseconds. */
export interface Deadlines {
  /** Until the first token of a reply, including the time for loading the model and waiting in the server's queue. */
  firstToken: number
  nextToken: number
}

// Without a graphics card, a long prompt takes many minutes.
export const DEADLINES: Deadlines = { firstToken: 900_000, nextToken: 300_000 }

/**
 * Aborts one call if its caller aborts it, or if the server sends no token for too long. Only the time spent waiting for the server
 * counts, not the time that the reader of the reply takes.
 */
export class CallTimeout {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #deadlines: Deadlines
  readonly #where: string
  /** One timer for the whole call: a timer per token would cost as much as everything else about it. */
  #timer: NodeJS.Timeout
  #begun = false
  /** The time spent waiting for the server since its last token, and the start of the current wait, if any. */
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

  /** Awaits something that the server must send. */
  async wait<T> (promise: Promise<T>): Promise<T> {
    const since = this.#since = performance.now()
    try {
      return await promise
    } finally {
      this.#spent += performance.now() - since
      this.#since = undefined
    }
  }

  /** Call it when a token was read. Nothing else counts: a server may send comments and empty messages without end. */
  tokenRead (): void {
    if (!this.#begun) {
      this.#begun = true
      this.#again(this.#limit)
    }
    this.#spent = 0
  }

  end (reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** Call it when the call is over. */
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
    const flag = this.#begun ? '--next-token-timeout' : '--first-token-timeout'
    return new BackendSlow(
      `${this.#where} has sent nothing for ${this.#limit / 1000} s`,
      `see what keeps it busy, use a smaller model, or give it longer with ${flag}`
    )
  }
}

/** Awaits a promise that several callers share: an abort ends only the wait of this caller, not the work itself. */
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

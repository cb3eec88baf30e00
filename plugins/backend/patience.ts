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
  #begun = false
  #spent = 0

  constructor (caller: AbortSignal, { where, ...deadlines }: Deadlines & { where: string }) {
    this.#caller = caller
    this.#deadlines = deadlines
    this.#where = where
    if (caller.aborted) this.#leave()
    else caller.addEventListener('abort', this.#leave, { once: true })
  }

  get signal (): AbortSignal { return this.#controller.signal }

  /** Waits for the server. */
  async wait<T> (promise: Promise<T>): Promise<T> {
    const since = performance.now()
    const timer = setTimeout(() => this.end(this.#slow()), Math.max(0, this.#limit - this.#spent))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#spent += performance.now() - since
    }
  }

  /** Something was read. Before the first token only that counts: a server may greet and then be silent. */
  heard (isToken: boolean): void {
    this.#begun ||= isToken
    if (this.#begun) this.#spent = 0
  }

  end (reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** No longer listens to the caller. */
  release (): void {
    this.#caller.removeEventListener('abort', this.#leave)
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

import type { ProgressEvent } from '../../../agents/types.js'
import { untilAborted } from '../patience.js'
import { told } from '../told.js'

/** What is being done, in words, for everyone who waits for it. */
export class Progress {
  #text = ''
  #waiters: Array<(text: string) => void> = []

  get text (): string { return this.#text }

  tell (text: string): void {
    if (text === this.#text) return
    this.#text = text
    for (const wake of this.#waiters.splice(0)) wake(text)
  }

  /** Yields what is told until the work is done, and gives its result. */
  async * until<T> (work: Promise<T>, signal: AbortSignal): AsyncGenerator<ProgressEvent, T> {
    const done = work.then(result => ({ result }))
    done.catch(() => undefined) // told below, unless the caller has gone
    if (this.#text !== '' && await Promise.race([done, Promise.resolve('')]) === '') yield told(this.#text)
    for (;;) {
      const step = await untilAborted(Promise.race([done, this.#next()]), signal)
      if (typeof step !== 'string') return step.result
      yield told(step)
    }
  }

  #next (): Promise<string> {
    return new Promise(resolve => { this.#waiters.push(resolve) })
  }
}

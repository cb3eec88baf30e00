import type { ProgressEvent } from '../../../agents/types.js'
import { untilAborted } from '../call-timeout.js'
import { progressEvent } from '../progress-event.js'

/** Progress of work that several callers may wait for. */
export class Progress {
  #text = ''
  #waiters: Array<(text: string) => void> = []

  get text (): string { return this.#text }

  report (text: string): void {
    if (text === this.#text) return
    this.#text = text
    for (const wake of this.#waiters.splice(0)) wake(text)
  }

  /** Yields the progress until the work is done, and returns its result. */
  async * until<T> (work: Promise<T>, signal: AbortSignal): AsyncGenerator<ProgressEvent, T> {
    const done = work.then(result => ({ result }))
    done.catch(() => undefined) // the error is thrown below, unless the caller has gone
    if (this.#text !== '' && await Promise.race([done, Promise.resolve('')]) === '') yield progressEvent(this.#text)
    for (;;) {
      const step = await untilAborted(Promise.race([done, this.#next()]), signal)
      if (typeof step !== 'string') return step.result
      yield progressEvent(step)
    }
  }

  #next (): Promise<string> {
    return new Promise(resolve => { this.#waiters.push(resolve) })
  }
}

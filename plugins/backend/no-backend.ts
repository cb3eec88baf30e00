import type { Backend, BackendEvent, BackendInfo, Message, ProgressEvent } from '../../agents/types.js'
import { BackendMissing } from './errors.js'
import { countMessageTokens } from './tokens.js'

/** The backend while there is none: every call fails with the reason and the remedy. */
export class NoBackend implements Backend {
  readonly #problem: string
  readonly #remedy: string

  constructor (problem: string, remedy: string) {
    this.#problem = problem
    this.#remedy = remedy
  }

  async info (): Promise<BackendInfo> {
    return { kind: 'none', url: null, model: null, context: null, slots: null, reason: null, problem: this.#problem, remedy: this.#remedy }
  }

  countTokens (messages: Message[], limit?: number): Promise<number> {
    return countMessageTokens(messages, limit)
  }

  // eslint-disable-next-line require-yield
  async * ready (): AsyncGenerator<ProgressEvent, BackendInfo> {
    throw new BackendMissing(this.#problem, this.#remedy)
  }

  // eslint-disable-next-line require-yield
  async * chat (): AsyncGenerator<BackendEvent> {
    throw new BackendMissing(this.#problem, this.#remedy)
  }

  async close (): Promise<void> {}
}

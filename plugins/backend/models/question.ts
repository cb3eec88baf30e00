import { untilAborted } from '../call-timeout.js'

/** The question to a person, asked while the service runs, whether a model may be downloaded. */
export class Question {
  readonly #answered: Promise<boolean>
  #settle!: (isYes: boolean) => void
  #state: 'open' | 'yes' | 'no' = 'open'

  constructor () {
    this.#answered = new Promise(resolve => { this.#settle = resolve })
  }

  get isOpen (): boolean { return this.#state === 'open' }

  get isYes (): boolean { return this.#state === 'yes' }

  answer (isYes: boolean): void {
    this.#state = isYes ? 'yes' : 'no'
    this.#settle(isYes)
  }

  async answered (signal: AbortSignal): Promise<boolean> {
    return await untilAborted(this.#answered, signal)
  }
}

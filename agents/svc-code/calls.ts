import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentEvent, Backend, FinishReason, Logger, Message, Step } from '../types.js'
import { LoopWatch } from './replies/loop.js'

/** What one run may spend on the model. */
export interface Budget { calls: number, tokens: number, seconds: number }

export interface Question {
  step: Step
  messages: Message[]
  temperature: number
  /** Of the reply. */
  maxTokens: number
}

export interface Said {
  text: string
  finish: FinishReason
  /** It repeated itself, and was cut there. */
  loops: boolean
}

/** Why no more is asked: in words for the reader. */
export class BudgetSpent extends Error {
  override name = 'BudgetSpent'
}

// A server that is busy or restarts is back within seconds; one that is not is told to the caller.
const PAUSES_MS = [300, 1500]

/** The model as one run sees it: each call stateless, all of them counted. */
export class Calls {
  readonly #started = performance.now()
  #calls = 0
  #tokens = 0
  #hidden = 0
  #most: number

  constructor (
    private readonly backend: Backend,
    private readonly run: { id: string, log: Logger },
    private readonly request: { top_p: number },
    private readonly budget: Budget
  ) {
    this.#most = budget.calls
  }

  get made (): number {
    return this.#calls
  }

  /** Tokens that the model wrote in this run. */
  get written (): number {
    return this.#hidden
  }

  /** Why no further call may be made, or null. */
  get spent (): string | null {
    if (this.#calls >= this.#most) return `all ${this.#most} model calls are used`
    if (this.#tokens >= this.budget.tokens) return `the budget of ${this.budget.tokens} tokens is used`
    if (performance.now() - this.#started >= this.budget.seconds * 1000) return `the time of ${this.budget.seconds} s is used`
    return null
  }

  /** A project may make more calls than a single program. */
  allow (more: number): void {
    this.#most += more
  }

  /** Asks, and returns what was said; yields the usage. A failure that may pass is tried again: a call changes nothing. */
  async * ask (question: Question, signal: AbortSignal): AsyncGenerator<AgentEvent, Said> {
    const spent = this.spent
    if (spent !== null) throw new BudgetSpent(spent)
    this.#calls++
    for (const pause of [...PAUSES_MS, null]) {
      try {
        return yield * this.#once(question, signal)
      } catch (error) {
        if (signal.aborted || pause === null || !mayPass(error)) throw error
        this.run.log.debug({ step: question.step, err: error }, 'the model call failed and is tried again')
        await sleep(pause, undefined, { signal })
      }
    }
    throw new BudgetSpent('the model did not answer')
  }

  async * #once ({ step, messages, temperature, maxTokens }: Question, signal: AbortSignal): AsyncGenerator<AgentEvent, Said> {
    const cut = new AbortController()
    const [watch, thoughts] = [new LoopWatch(), new LoopWatch()]
    const said: Said = { text: '', finish: 'stop', loops: false }
    let counted = false
    try {
      const call = { messages, temperature: Math.min(temperature, 2), top_p: this.request.top_p, max_tokens: maxTokens, step, run: this.run.id }
      for await (const event of this.backend.chat(call, AbortSignal.any([signal, cut.signal]))) {
        if (event.type === 'fragment') {
          said.text += event.text
          if (watch.push(event.text)) {
            said.loops = true
            break
          }
        } else if (event.type === 'reasoning') {
          if (thoughts.push(event.text)) {
            said.loops = true
            break
          }
        } else if (event.type === 'usage') {
          counted = true
          this.#count(event.prompt_tokens, event.completion_tokens)
          yield event
        } else if (event.type === 'finish') said.finish = event.reason
        else if (event.type === 'progress') yield event
      }
    } finally {
      cut.abort()
    }
    if (!counted) yield await this.#counted(messages, said.text)
    return said
  }

  /** A call that was cut tells no usage. */
  async #counted (messages: Message[], text: string): Promise<AgentEvent> {
    const [prompt, completion] = await Promise.all([this.backend.countTokens(messages), this.backend.countTokens([{ role: 'assistant', content: text }])])
    this.#count(prompt, completion)
    return { type: 'usage', prompt_tokens: prompt, completion_tokens: completion }
  }

  #count (prompt: number, completion: number): void {
    this.#tokens += prompt + completion
    this.#hidden += completion
  }
}

/** A prompt that does not fit does not fit the second time; everything else may have been a moment. */
function mayPass (error: unknown): boolean {
  return error instanceof Error && !['ContextOverflow', 'ContextTooSmall', 'InputTooLong', 'BackendMissing', 'BackendUnreachable', 'BackendClosed'].includes(error.name)
}

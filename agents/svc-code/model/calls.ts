import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentEvent, AgentRequest, Backend, FinishReason, Logger, Message, Step } from '../../types.js'
import { Cleaner } from '../reply/clean.js'
import { LoopWatch } from '../reply/loop.js'

/** How much one run may use the model. */
export interface Budget { calls: number, tokens: number, seconds: number }

export interface ModelCall {
  step: Step
  messages: Message[]
  temperature: number
  /** The most tokens that the reply may have. */
  maxTokens: number
  seed?: number | undefined
  stop?: string[] | undefined
}

export interface ModelReply {
  /** The text without reasoning and marks of chat templates. */
  text: string
  /** The model wrote nothing but reasoning. */
  onlyThought: boolean
  finish: FinishReason
  /** The model repeated itself without end, and was stopped. */
  loops: boolean
}

/** A piece of a reply. */
export interface ReplyText { type: 'text', text: string }

/** Why a run may make no more calls: its calls or tokens are used up, or its time is over. */
export type Spent = 'effort' | 'time'

/** Why a run ended early. */
export type EarlyEnd = { why: Spent } | { why: 'failure', message: string }

export class BudgetSpent extends Error {
  override name = 'BudgetSpent'
  constructor (readonly why: Spent) {
    super(`the run's ${why} is used up`)
  }
}

/** The early end for an error. */
export function earlyEndOf (error: unknown): EarlyEnd {
  if (error instanceof BudgetSpent) return { why: error.why }
  return { why: 'failure', message: error instanceof Error ? error.message : String(error) }
}

// The pauses before retries: a server that is busy or restarts is often back within seconds.
const PAUSES_MS = [300, 1500]

/** Makes the calls of one run to the model, and counts them. */
export class Calls {
  readonly #started = performance.now()
  #calls = 0
  #tokens = 0
  #written = 0
  #most: number

  constructor (
    private readonly backend: Backend,
    private readonly run: { id: string, log: Logger },
    private readonly request: Pick<AgentRequest, 'top_p' | 'reasoning_effort'>,
    private readonly budget: Budget
  ) {
    this.#most = budget.calls
  }

  /** How many tokens the model wrote in this run. */
  get written (): number { return this.#written }

  get made (): number { return this.#calls }

  /** Why no further call may be made, or null. */
  get spent (): Spent | null {
    if (this.#calls >= this.#most || this.#tokens >= this.budget.tokens) return 'effort'
    return performance.now() - this.#started >= this.budget.seconds * 1000 ? 'time' : null
  }

  /** A project may make more calls than a single program, up to a bound of its own. */
  allow (most: number): void {
    this.#most = Math.max(this.#most, most)
  }

  /** Makes a call and returns the reply; yields progress and usage. */
  async * ask (question: ModelCall, signal: AbortSignal): AsyncGenerator<AgentEvent, ModelReply> {
    const events = this.speak(question, signal)
    for (;;) {
      const next = await events.next()
      if (next.done) return next.value
      if (typeof next.value === 'string' || next.value.type !== 'text') yield next.value
    }
  }

  /** Makes a call and yields the reply as it comes. A temporary failure is retried, if no text has come yet. */
  async * speak (question: ModelCall, signal: AbortSignal): AsyncGenerator<AgentEvent | ReplyText, ModelReply> {
    const spent = this.spent
    if (spent !== null) throw new BudgetSpent(spent)
    this.#calls++
    for (const pause of [...PAUSES_MS, null]) {
      let hasSpoken = false
      try {
        const events = this.#once(question, signal)
        for (;;) {
          const next = await events.next()
          if (next.done) return next.value
          hasSpoken ||= typeof next.value !== 'string' && next.value.type === 'text'
          yield next.value
        }
      } catch (error) {
        if (signal.aborted || hasSpoken || pause === null || !mayPass(error)) throw error
        this.run.log.debug({ step: question.step, err: error }, 'the model call failed and is tried again')
        await sleep(pause, undefined, { signal })
      }
    }
    throw new Error('the model did not answer')
  }

  async * #once (question: ModelCall, signal: AbortSignal): AsyncGenerator<AgentEvent | ReplyText, ModelReply> {
    const { step, messages, temperature, maxTokens, seed, stop } = question
    const { reasoning_effort: effort } = this.request
    const cut = new AbortController()
    const [watch, thoughts, cleaner] = [new LoopWatch(), new LoopWatch(), new Cleaner()]
    let [finish, loops, isCounted, raw, thought]: [FinishReason, boolean, boolean, string, boolean] = ['stop', false, false, '', false]
    const call = {
      messages, temperature: Math.min(temperature, 2), top_p: this.request.top_p, max_tokens: maxTokens, step, run: this.run.id,
      ...(seed !== undefined && { seed }),
      ...(stop !== undefined && { stop }),
      ...(effort !== undefined && { reasoning_effort: effort })
    }
    try {
      for await (const event of this.backend.chat(call, AbortSignal.any([signal, cut.signal]))) {
        if (event.type === 'fragment') {
          raw += event.text
          const text = cleaner.push(event.text)
          if (text !== '') yield { type: 'text', text }
          else if (cleaner.thinks) yield { type: 'progress', text: event.text }
          loops = watch.push(event.text)
        } else if (event.type === 'reasoning') {
          thought = true
          yield { type: 'progress', text: event.text }
          loops = thoughts.push(event.text)
        } else if (event.type === 'usage') {
          isCounted = true
          this.#count(event.prompt_tokens, event.completion_tokens)
          yield event
        } else if (event.type === 'finish') finish = event.reason
        else if (event.type === 'progress') yield event
        if (loops) break
      }
    } finally {
      cut.abort()
    }
    const rest = cleaner.end()
    if (rest !== '') yield { type: 'text', text: rest }
    if (!isCounted) yield await this.#counted(messages, raw)
    const { text, onlyThought } = cleaner.whole()
    return { text, onlyThought: onlyThought || (thought && text.trim() === ''), finish, loops }
  }

  /** Counts the tokens of a call that was stopped, which has no usage. */
  async #counted (messages: Message[], text: string): Promise<AgentEvent> {
    const [prompt, completion] = await Promise.all([
      this.backend.countTokens(messages),
      this.backend.countTokens([{ role: 'assistant', content: text }])
    ])
    this.#count(prompt, completion)
    return { type: 'usage', prompt_tokens: prompt, completion_tokens: completion }
  }

  #count (prompt: number, completion: number): void {
    this.#tokens += prompt + completion
    this.#written += completion
  }
}

/** Whether a failure may be temporary. A prompt that is too long, for example, would fail again. */
function mayPass (error: unknown): boolean {
  return error instanceof Error && !LASTING.has(error.name)
}

const LASTING = new Set([
  'ContextOverflow', 'ContextTooSmall', 'InputTooLong', 'BackendMissing', 'BackendUnreachable', 'BackendClosed', 'BackendRefused',
  'BackendEndless', 'BackendSlow'
])

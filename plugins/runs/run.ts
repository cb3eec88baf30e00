import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Agent, AgentEvent, AgentRequest, FinishReason, Logger } from '../../agents/types.js'
import type { Usage } from '../../schemas/chat.js'
import { AgentFailed, ContextLengthExceeded, type ServiceError, describe } from '../../schemas/errors.js'
import { Tally } from './tally.js'

/** What a client may see of a run: fragments of the reply, and what is being done. */
export type RunEvent = string | { type: 'progress', text: string }

/** One client's sight of a run. */
export interface RunView extends AsyncIterable<RunEvent> {
  readonly id: string
  readonly created: number
  /** Known when the iteration has ended. */
  readonly finish: FinishReason
  usage (reply: string): Promise<Usage>
  /** The client has gone. The run ends with its last client. */
  leave (): void
}

export interface RunOptions {
  agent: Agent
  request: AgentRequest
  log: Logger
  /** Milliseconds from the start of the agent. */
  timeout: number
  progress: boolean
  /** The agent has let go, or was given a second for it after an abort. */
  onRelease: (run: Run) => void
}

/** Tells a stray error's run: an agent may throw where nobody awaits it. */
export const runContext = new AsyncLocalStorage<string>()

export class RunAborted extends Error {
  override name = 'AbortError'
}

const HOLD_PROGRESS = 1000
const RELEASE_AFTER_ABORT = 1000
// A generator that never waits would keep the loop from everybody else.
const EVENTS_PER_TURN = 512
// Far beyond any model's output, below what would endanger the process.
const MAX_REPLY = 32 * 1024 * 1024
const MAX_HELD = 64 * 1024

export class Run implements RunView, AsyncIterator<RunEvent> {
  readonly id = `chatcmpl-${randomUUID()}`
  readonly created = Math.floor(Date.now() / 1000)
  finish: FinishReason = 'stop'

  readonly #options: RunOptions
  readonly #controller = new AbortController()
  readonly #since = performance.now()
  readonly #tally: Tally
  #iterator: AsyncIterator<AgentEvent> | undefined
  #pulling: Promise<void> | undefined
  #waiter: { resolve: (result: IteratorResult<RunEvent>) => void, reject: (error: unknown) => void } | undefined
  #queue: RunEvent[] = []
  #ended = false
  #error: unknown
  #held: string | undefined = ''
  #holding: NodeJS.Timeout | undefined
  #deadline: NodeJS.Timeout | undefined
  #half = '' // the first half of a character whose second half is in the next fragment
  #length = 0
  #events = 0

  constructor (options: RunOptions) {
    this.#options = options
    this.#tally = new Tally(options.request.messages)
  }

  get signal (): AbortSignal { return this.#controller.signal }
  get ended (): boolean { return this.#ended }

  [Symbol.asyncIterator] (): this { return this }

  /** The run has its slot. */
  begin (): void {
    const { agent, request, timeout, log } = this.#options
    this.#deadline = setTimeout(() => this.fail(new AgentFailed(new Error(`the run took longer than the ${timeout / 1000} s that --run-timeout allows`))), timeout)
    log.debug({ run: this.id, messages: request.messages.length, temperature: request.temperature, top_p: request.top_p, max_tokens: request.max_tokens }, 'run begins')
    try {
      this.#iterator = this.#inContext(() => agent.reply(request, this.signal, { id: this.id, log })[Symbol.asyncIterator]())
    } catch (error) {
      this.#abort(failure(error))
      return
    }
    if (this.#waiter) this.#pull()
  }

  next (): Promise<IteratorResult<RunEvent>> {
    const queued = this.#queue.shift()
    if (queued !== undefined) return Promise.resolve({ done: false, value: queued })
    if (this.#ended) return this.#error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(this.#error)
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject }
      this.#pull()
    })
  }

  /** The reader stopped before the end. */
  return (): Promise<IteratorResult<RunEvent>> {
    this.leave()
    return Promise.resolve({ done: true, value: undefined })
  }

  leave (): void {
    this.#abort(new RunAborted('the client went away'))
  }

  /** Ends the run with an error, whatever the agent does. */
  fail (error: ServiceError): void {
    this.#abort(error)
  }

  tell (text: string): void {
    if (!this.#ended) this.#progress(text)
  }

  usage (reply: string): Promise<Usage> {
    return this.#tally.usage(reply)
  }

  #pull (): void {
    if (this.#pulling || !this.#iterator || this.#ended) return
    if (++this.#events % EVENTS_PER_TURN === 0) {
      this.#pulling = new Promise(resolve => setImmediate(resolve)).then(() => { this.#pulling = undefined; this.#pull() })
      return
    }
    try {
      const iterator = this.#iterator
      this.#pulling = Promise.resolve(this.#inContext(() => iterator.next())).then(this.#take, this.#refuse)
    } catch (error) {
      this.#refuse(error)
    }
  }

  readonly #take = (result: IteratorResult<AgentEvent>): void => {
    this.#pulling = undefined
    if (this.#ended) return
    try {
      if (result.done) this.#finishText()
      else this.#event(result.value)
    } catch (error) {
      this.#abort(failure(error)) // the agent is still there, and is told to stop
      return
    }
    if (this.#waiter) this.#pull()
  }

  readonly #refuse = (error: unknown): void => {
    this.#pulling = undefined
    this.#end(failure(error))
  }

  #event (event: AgentEvent): void {
    if (typeof event === 'string') return this.#text(event)
    switch (event?.type) {
      case 'progress': return this.#progress(String(event.text))
      case 'usage': return this.#tally.add(event)
      case 'finish':
        this.finish = event.reason === 'length' ? 'length' : 'stop'
        return
      default: throw new TypeError('the agent yielded something that is no event: yield a string, or an object of type progress, usage or finish')
    }
  }

  #text (fragment: string): void {
    let text = this.#half === '' ? fragment : this.#half + fragment
    if (text === '') return
    this.#length += fragment.length
    if (this.#length > MAX_REPLY) throw new RangeError(`the reply grew past ${MAX_REPLY / 1024 / 1024} million characters`)
    this.#half = ''
    if ((text.charCodeAt(text.length - 1) & 0xFC00) === 0xD800) {
      this.#half = text.slice(-1)
      text = text.slice(0, -1)
      if (text === '') return
    }
    if (this.#held) this.#dropHeld()
    // A lone half cannot be written as UTF-8, and Python clients fail on its escape.
    this.#deliver(text.isWellFormed() ? text : text.toWellFormed())
  }

  #finishText (): void {
    if (this.#half !== '') this.#deliver(this.#half.toWellFormed())
    this.#end()
  }

  // A reply that comes within a second has the plain shape of a chat completion, without any progress in it.
  #progress (text: string): void {
    if (text === '') return
    this.#options.log.debug({ run: this.id }, text.trimEnd())
    if (!this.#options.progress) return
    if (this.#held === undefined) return this.#deliver({ type: 'progress', text: text.toWellFormed() })
    if (this.#held.length < MAX_HELD) this.#held += text
    const age = performance.now() - this.#since
    if (age >= HOLD_PROGRESS) this.#releaseHeld()
    else this.#holding ??= setTimeout(() => this.#releaseHeld(), HOLD_PROGRESS - age)
  }

  #releaseHeld (): void {
    const held = this.#held
    this.#held = undefined
    clearTimeout(this.#holding)
    if (held && !this.#ended) this.#deliver({ type: 'progress', text: held.toWellFormed() })
  }

  #dropHeld (): void {
    this.#held = ''
    clearTimeout(this.#holding)
    this.#holding = undefined
  }

  #deliver (event: RunEvent): void {
    const waiter = this.#waiter
    if (!waiter) {
      this.#queue.push(event)
      return
    }
    this.#waiter = undefined
    waiter.resolve({ done: false, value: event })
  }

  #end (error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    clearTimeout(this.#deadline)
    clearTimeout(this.#holding)
    const waiter = this.#waiter
    this.#waiter = undefined
    if (error === undefined) waiter?.resolve({ done: true, value: undefined })
    else waiter?.reject(error)
    if (!this.signal.aborted) this.#options.onRelease(this)
    this.#logEnd(error)
  }

  #logEnd (error: unknown): void {
    const { log } = this.#options
    const details = { run: this.id, ms: Math.round(performance.now() - this.#since) }
    if (error === undefined) log.debug({ ...details, finish: this.finish }, 'run ends')
    else if (error instanceof RunAborted) log.debug(details, 'run ends: the client went away')
    else if (error instanceof AgentFailed) this.#logFailure(details, error)
    else log.info({ ...details, err: error }, 'run is refused')
  }

  #logFailure (details: object, error: AgentFailed): void {
    const { log } = this.#options
    try {
      log.error({ ...details, err: error.cause }, error.message)
    } catch {
      log.error(details, error.message) // an error that cannot be printed: frozen, or with getters that throw
    }
  }

  #abort (reason: Error): void {
    if (this.#ended) return
    this.#controller.abort(reason)
    this.#end(reason)
    const iterator = this.#iterator
    if (!iterator) return this.#options.onRelease(this)
    let released = false
    const release = () => {
      clearTimeout(patience)
      if (!released) this.#options.onRelease(this)
      released = true
    }
    const patience = setTimeout(release, RELEASE_AFTER_ABORT)
    void Promise.allSettled([this.#pulling, callReturn(iterator)]).then(release)
  }

  #inContext<T> (work: () => T): T {
    return runContext.run(this.id, work)
  }
}

async function callReturn (iterator: AsyncIterator<unknown>): Promise<void> {
  await iterator.return?.()
}

function failure (error: unknown): ServiceError {
  try {
    if (error instanceof AgentFailed) return error
    if (error instanceof Error && error.name === 'InputTooLong') return new ContextLengthExceeded(describe(error))
  } catch {
    // It throws when it is looked at: a failure like any other.
  }
  return new AgentFailed(error)
}

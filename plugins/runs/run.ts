import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Agent, type AgentEvent, type AgentRequest, type FinishReason, InputTooLong, type Logger, type ToolCallEvent } from '../../agents/types.js'
import type { Usage } from '../../schemas/chat.js'
import { AgentFailed, ContextLengthExceeded, type ServiceError, describe } from '../../schemas/errors.js'
import { Tally } from './tally.js'
import { ToolCalls } from './tool-calls.js'

/** What a client may see of a run: fragments of the reply, calls of its tools (each begins with its id and name), and what is being done. */
export type RunEvent = string | { type: 'progress', text: string } | ToolCallEvent

/** Takes an event. A promise says that the reader is behind: nothing more is made until it settles. */
export type Sink = (event: RunEvent) => Promise<void> | undefined

/** One client's sight of a run. */
export interface RunView {
  readonly id: string
  readonly created: number
  /** Known when the run has been read. */
  readonly finish: FinishReason
  /** Hands the events over as they come, and settles when the run has ended. To be called once. */
  read (sink: Sink): Promise<void>
  usage (reply: string): Promise<Usage> | Usage
  /** The client has gone. The run ends with its last client. */
  leave (): void
}

export interface RunOptions {
  agent: Agent
  request: AgentRequest
  log: Logger
  progress: boolean
  /** Debug lines are written: what goes into them is put together only then. */
  debug: boolean
  /** Stray errors are traced to their run: costly before Node 24, where it slows down every promise of the process. */
  trace: boolean
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
// What a piece of a tool call counts beside its text: the first one has an id, and a reader may keep them all.
const PER_PIECE = 32

/** Drives an agent's generator for one reader. Pushed rather than pulled: a fragment costs one promise, the generator's own. */
export class Run implements RunView {
  readonly id = `chatcmpl-${randomUUID()}`
  readonly created = Math.floor(Date.now() / 1000)
  finish: FinishReason = 'stop'

  readonly #options: RunOptions
  readonly #controller = new AbortController()
  readonly #since = performance.now()
  readonly #tally: Tally
  readonly #calls: ToolCalls
  #began: number | undefined
  #sink: Sink | undefined
  #reader: { resolve: () => void, reject: (error: unknown) => void } | undefined
  #driving = false
  #ended = false
  #released = false
  #error: unknown
  #told: RunEvent[] | undefined // what came before there was a reader
  #held: string | undefined = ''
  #holding: NodeJS.Timeout | undefined
  #releasing: NodeJS.Timeout | undefined
  #half = '' // the first half of a character whose second half is in the next fragment
  #length = 0

  constructor (options: RunOptions) {
    this.#options = options
    this.#tally = new Tally(options.request)
    this.#calls = new ToolCalls(options.request.tools)
  }

  get signal (): AbortSignal { return this.#controller.signal }
  get ended (): boolean { return this.#ended }
  /** When the run got its slot. */
  get began (): number | undefined { return this.#began }

  /** The run has its slot. */
  begin (): void {
    const { request, log, debug } = this.#options
    this.#began = performance.now()
    if (debug) log.debug({ run: this.id, messages: request.messages.length, temperature: request.temperature, top_p: request.top_p, max_tokens: request.max_tokens }, 'run begins')
    this.#drive()
  }

  read (sink: Sink): Promise<void> {
    if (this.#ended) return this.#error === undefined ? Promise.resolve() : Promise.reject(this.#error)
    this.#sink = sink
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
      for (const event of this.#told ?? []) void sink(event)
      this.#told = undefined
      this.#drive()
    })
  }

  leave (): void {
    this.#abort(new RunAborted('the client went away'))
  }

  /** Ends the run with an error, whatever the agent does. */
  fail (error: ServiceError): void {
    this.#abort(error)
  }

  tell (text: string): void {
    if (!this.#ended) void this.#progress(text)
  }

  usage (reply: string): Promise<Usage> | Usage {
    return this.#tally.usage(reply)
  }

  // With a slot and a reader.
  #drive (): void {
    if (this.#began === undefined || !this.#sink || this.#driving) return
    this.#driving = true
    void (this.#options.trace ? runContext.run(this.id, () => this.#consume()) : this.#consume())
  }

  async #consume (): Promise<void> {
    const { agent, request, log } = this.#options
    try {
      let events = 0
      const reply = agent.reply(request, this.signal, { id: this.id, log })
      // A loop would take a plain array, too, and a string letter by letter.
      if (typeof reply?.[Symbol.asyncIterator] !== 'function') throw new TypeError('reply() gave nothing to iterate: make it an async generator')
      for await (const event of reply) {
        if (this.#ended) break
        const behind = this.#take(event)
        if (behind) await behind
        if (++events % EVENTS_PER_TURN === 0) await nextTurn()
        if (this.#ended) break // which tells the generator to return
      }
      if (!this.#ended && this.#half !== '') void this.#deliver(this.#half.toWellFormed())
      if (this.#calls.begun && this.finish === 'stop') this.finish = 'tool_calls'
      this.#end()
    } catch (error) {
      this.#end(failure(error))
    }
    this.#release()
  }

  // An event that is none ends the run before the generator is told, which may never answer.
  #take (event: AgentEvent): Promise<void> | undefined {
    try {
      return typeof event === 'string' ? this.#text(event) : this.#other(event)
    } catch (error) {
      this.#abort(failure(error))
      return undefined
    }
  }

  #other (event: Exclude<AgentEvent, string>): Promise<void> | undefined {
    switch (event?.type) {
      case 'progress': return this.#progress(String(event.text))
      case 'usage':
        this.#tally.add(event)
        return undefined
      case 'finish':
        this.finish = event.reason === 'length' ? 'length' : 'stop' // whether tools were called is seen
        return undefined
      case 'tool_call': return this.#toolCall(event)
      default: throw new TypeError('the agent yielded something that is no event: yield a string, or an object of type progress, usage, tool_call or finish')
    }
  }

  #toolCall (event: ToolCallEvent): Promise<void> | undefined {
    const piece = this.#calls.take(event)
    if (!piece) return undefined
    this.#grow(PER_PIECE + (piece.name?.length ?? 0) + piece.arguments.length)
    if (this.#held) this.#dropHeld()
    return this.#deliver(piece)
  }

  #grow (length: number): void {
    this.#length += length
    if (this.#length > MAX_REPLY) throw new RangeError(`the reply grew past ${MAX_REPLY / 1024 / 1024} million characters`)
  }

  #text (fragment: string): Promise<void> | undefined {
    let text = this.#half === '' ? fragment : this.#half + fragment
    if (text === '') return undefined
    this.#grow(fragment.length)
    this.#half = ''
    if ((text.charCodeAt(text.length - 1) & 0xFC00) === 0xD800) {
      this.#half = text.slice(-1)
      text = text.slice(0, -1)
      if (text === '') return undefined
    }
    if (this.#held) this.#dropHeld()
    // A lone half cannot be written as UTF-8, and Python clients fail on its escape.
    return this.#deliver(text.isWellFormed() ? text : text.toWellFormed())
  }

  // A reply that comes within a second has the plain shape of a chat completion, without any progress in it.
  #progress (text: string): Promise<void> | undefined {
    if (text === '') return undefined
    if (this.#options.debug) this.#options.log.debug({ run: this.id }, text.trimEnd())
    if (!this.#options.progress) return undefined
    if (this.#held === undefined) return this.#deliver({ type: 'progress', text: text.toWellFormed() })
    if (this.#held.length < MAX_HELD) this.#held += text
    const age = performance.now() - this.#since
    if (age >= HOLD_PROGRESS) this.#releaseHeld()
    else this.#holding ??= setTimeout(() => this.#releaseHeld(), HOLD_PROGRESS - age)
    return undefined
  }

  #releaseHeld (): void {
    const held = this.#held
    this.#held = undefined
    clearTimeout(this.#holding)
    if (held && !this.#ended) void this.#deliver({ type: 'progress', text: held.toWellFormed() })
  }

  #dropHeld (): void {
    this.#held = ''
    clearTimeout(this.#holding)
    this.#holding = undefined
  }

  #deliver (event: RunEvent): Promise<void> | undefined {
    if (this.#sink) return this.#sink(event)
    ;(this.#told ??= []).push(event)
    return undefined
  }

  #end (error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    clearTimeout(this.#holding)
    if (error === undefined) this.#reader?.resolve()
    else this.#reader?.reject(error)
    this.#logEnd(error)
  }

  #release (): void {
    if (this.#released) return
    this.#released = true
    clearTimeout(this.#releasing)
    this.#options.onRelease(this)
  }

  #logEnd (error: unknown): void {
    const { log, debug } = this.#options
    if (!debug && (error === undefined || error instanceof RunAborted)) return
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
    this.#end(reason)
    this.#controller.abort(reason)
    if (!this.#driving) this.#release()
    else if (!this.#released) this.#releasing = setTimeout(() => this.#release(), RELEASE_AFTER_ABORT) // an agent that ignores the signal keeps no slot
  }
}

function failure (error: unknown): ServiceError {
  try {
    if (error instanceof AgentFailed) return error
    if (error instanceof InputTooLong || (error instanceof Error && error.name === 'InputTooLong')) return new ContextLengthExceeded(describe(error))
  } catch {
    // It throws when it is looked at: a failure like any other.
  }
  return new AgentFailed(error)
}

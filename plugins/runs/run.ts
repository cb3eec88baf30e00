import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Agent, type AgentEvent, type AgentRequest, type FinishReason, type Logger, type ToolCallEvent } from '../../agents/types.js'
import type { Usage } from '../../schemas/chat.js'
import type { ServiceError } from '../../schemas/errors.js'
import { RunAborted, failure, logEnd } from './ending.js'
import { Progress } from './progress.js'
import { Tally } from './tally.js'
import { ReplyText } from './text.js'
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

const RELEASE_AFTER_ABORT = 1000
// A generator that never waits would keep the loop from everybody else.
const EVENTS_PER_TURN = 512
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
  readonly #text = new ReplyText()
  readonly #progress = new Progress(text => { if (!this.#ended) void this.#deliver({ type: 'progress', text }) })
  #releasing: NodeJS.Timeout | undefined

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
    if (!this.#ended) void this.#takeProgress(text)
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
      const rest = this.#text.end()
      if (!this.#ended && rest !== '') void this.#deliver(rest)
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
      return typeof event === 'string' ? this.#takeText(event) : this.#takeOther(event)
    } catch (error) {
      this.#abort(failure(error))
      return undefined
    }
  }

  #takeOther (event: Exclude<AgentEvent, string>): Promise<void> | undefined {
    switch (event?.type) {
      case 'progress': return this.#takeProgress(String(event.text))
      case 'usage':
        this.#tally.add(event)
        return undefined
      case 'finish':
        this.finish = event.reason === 'length' ? 'length' : 'stop' // whether tools were called is seen
        return undefined
      case 'tool_call': return this.#takeToolCall(event)
      default: throw new TypeError('the agent yielded something that is no event: yield a string, or an object of type progress, usage, tool_call or finish')
    }
  }

  #takeToolCall (event: ToolCallEvent): Promise<void> | undefined {
    const piece = this.#calls.take(event)
    if (!piece) return undefined
    this.#text.grow(PER_PIECE + (piece.name?.length ?? 0) + piece.arguments.length)
    this.#progress.drop()
    return this.#deliver(piece)
  }

  #takeText (fragment: string): Promise<void> | undefined {
    const text = this.#text.push(fragment)
    if (text === '') return undefined
    this.#progress.drop()
    return this.#deliver(text)
  }

  #takeProgress (text: string): Promise<void> | undefined {
    if (text === '') return undefined
    const { debug, log, progress } = this.#options
    if (debug) log.debug({ run: this.id }, text.trimEnd())
    const shown = progress ? this.#progress.push(text) : ''
    return shown === '' ? undefined : this.#deliver({ type: 'progress', text: shown })
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
    this.#progress.stop()
    if (error === undefined) this.#reader?.resolve()
    else this.#reader?.reject(error)
    const { log, debug } = this.#options
    logEnd({ log, debug, run: this.id, since: this.#since, finish: this.finish }, error)
  }

  #release (): void {
    if (this.#released) return
    this.#released = true
    clearTimeout(this.#releasing)
    this.#options.onRelease(this)
  }

  #abort (reason: Error): void {
    if (this.#ended) return
    this.#end(reason)
    this.#controller.abort(reason)
    if (!this.#driving) this.#release()
    else if (!this.#released) this.#releasing = setTimeout(() => this.#release(), RELEASE_AFTER_ABORT) // an agent that ignores the signal keeps no slot
  }
}

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

/** An event for a client: a fragment of the reply, progress, or a piece of a tool call (the first piece has the call's id and name). */
export type RunEvent = string | { type: 'progress', text: string } | ToolCallEvent

/** Takes an event. If it returns a promise, the reader is behind, and the run waits until the promise settles. */
export type Sink = (event: RunEvent) => Promise<void> | undefined

/** A run, as one of its clients sees it. */
export interface RunView {
  readonly id: string
  readonly created: number
  /** Final once `read` has settled. */
  readonly finish: FinishReason
  /** Passes the events to the sink as they come, and settles when the run has ended. Call it once. */
  read (sink: Sink): Promise<void>
  usage (reply: string): Promise<Usage> | Usage
  /** Call it when the client has gone. When the last client has gone, the run ends. */
  leave (): void
}

export interface RunOptions {
  agent: Agent
  request: AgentRequest
  log: Logger
  progress: boolean
  /** Whether debug lines are logged: their details are only put together if so. */
  debug: boolean
  /** Whether stray errors are traced to their run: before Node 24, that slows down every promise of the process. */
  trace: boolean
  /** Called when the agent's generator has ended, or one second after an abort that it ignores. */
  onRelease: (run: Run) => void
}

/** The id of the run that the current code belongs to: an agent may throw in a timer or in a promise that nobody awaits. */
export const runContext = new AsyncLocalStorage<string>()

const NO_EVENT = 'the agent yielded something that is no event: yield a string, or an object of type progress, usage, tool_call or finish'

const RELEASE_AFTER_ABORT = 1000
// A generator that never waits would otherwise block the event loop.
const EVENTS_PER_TURN = 512
// What a piece of a tool call counts in addition to its text: its first piece has an id, and a reader may keep all pieces.
const PER_PIECE = 32

/** Drives an agent's generator. It pushes events to the reader: that way a fragment costs one promise, the generator's own. */
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
  #early: RunEvent[] | undefined // the events before there was a reader
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

  /** Called when the run has its slot. */
  begin (): void {
    this.#began = performance.now()
    if (this.#options.debug) this.#logBegin()
    this.#drive()
  }

  #logBegin (): void {
    const { request: { messages, temperature, top_p, max_tokens }, log } = this.#options
    log.debug({ run: this.id, messages: messages.length, temperature, top_p, max_tokens }, 'run begins')
  }

  read (sink: Sink): Promise<void> {
    if (this.#ended) return this.#error === undefined ? Promise.resolve() : Promise.reject(this.#error)
    this.#sink = sink
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
      for (const event of this.#early ?? []) void sink(event)
      this.#early = undefined
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

  /** Sends progress that comes from the service itself, not from the agent. */
  reportProgress (text: string): void {
    if (!this.#ended) void this.#takeProgress(text)
  }

  usage (reply: string): Promise<Usage> | Usage {
    return this.#tally.usage(reply)
  }

  // Starts the generator as soon as the run has both a slot and a reader.
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
      // `for await` would also accept an array, and a string letter by letter.
      const isIterable = typeof reply?.[Symbol.asyncIterator] === 'function'
      if (!isIterable) throw new TypeError('reply() returned nothing to iterate: make it an async generator')
      for await (const event of reply) {
        if (this.#ended) break
        const behind = this.#take(event)
        if (behind) await behind
        if (++events % EVENTS_PER_TURN === 0) await nextTurn()
        if (this.#ended) break // this makes the generator return
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

  // An invalid event ends the run at once, without waiting for the generator to return, which may never happen.
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
        this.finish = event.reason === 'length' ? 'length' : 'stop' // tool calls are counted instead: see #consume
        return undefined
      case 'tool_call': return this.#takeToolCall(event)
      default: throw new TypeError(NO_EVENT)
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
    ;(this.#early ??= []).push(event)
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
    else if (!this.#released) this.#releasing = setTimeout(() => this.#release(), RELEASE_AFTER_ABORT) // the agent may ignore the signal
  }
}

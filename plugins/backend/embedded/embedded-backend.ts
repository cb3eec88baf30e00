import type { Backend, BackendEvent, BackendInfo, BackendRequest, Logger, Message, ProgressEvent } from '../../../agents/types.js'
import {
  BackendClosed, BackendCutOff, BackendError, BackendRefused, CONTEXT_NEEDED, ContextOverflow, ContextTooSmall, causeOf
} from '../errors.js'
import { progressEvent } from '../progress-event.js'
import { countMessageTokens } from '../tokens.js'
import { type CallReport, EngineProcess } from './engine-process.js'
import type { Loaded, Outcome } from './messages.js'
import { Progress } from './progress.js'

/** A model for the engine. */
export interface Model {
  kind: 'embedded' | 'demo'
  /** The name that is shown to people. */
  name: string
  /** Returns the path of the model's file, and reports progress if it is downloaded first. Throws a BackendError. */
  obtain: (onProgress: (text: string) => void, signal: AbortSignal) => Promise<string>
}

export interface EmbeddedBackendOptions {
  model: Model
  /** Why this model is used, for people. */
  reason: string
  threads?: number | undefined
  useGpu?: boolean
  /** After how many milliseconds without a call the engine is stopped, to free its memory. */
  idle?: number
  log: Logger
}

interface Ready { engine: EngineProcess, loaded: Loaded }

const IDLE = 30 * 60_000

// With more characters than this for each allowed token, a text is too long in any case.
const MOST_CHARACTERS_PER_TOKEN = 32

const NO_FOLDER = 'see that the folder for models can be written to, or name another one with --models-dir'

/** A model that runs in llama.cpp, in a process of its own. */
export class EmbeddedBackend implements Backend {
  readonly #options: EmbeddedBackendOptions
  readonly #progress = new Progress()
  readonly #end = new AbortController()
  #preparing: Promise<Ready> | undefined
  #ready: Ready | undefined
  #loaded: Loaded | undefined
  #failure: BackendError | undefined
  #calls = 0
  #idle: NodeJS.Timeout | undefined

  constructor (options: EmbeddedBackendOptions) {
    this.#options = options
    this.#prepare().catch(() => undefined) // info() and the next call report the failure
  }

  async info (): Promise<BackendInfo> {
    const { model: { kind, name }, reason } = this.#options
    const known = { kind, url: null, model: name, context: this.#loaded?.context ?? null, slots: this.#loaded?.slots ?? null, reason }
    const wrong = this.#failure ?? this.#tooSmall()
    if (wrong) return { ...known, problem: wrong.problem, remedy: wrong.remedy }
    if (this.#preparing && !this.#loaded) {
      return { ...known, problem: this.#progress.text, remedy: 'wait until it is there; requests wait, too' }
    }
    return { ...known, problem: null, remedy: null }
  }

  /**
   * The exact count once the model is loaded. A conversation that is many times too long is only estimated, because the engine
   * could do nothing else while it counts.
   */
  async countTokens (messages: Message[], limit?: number): Promise<number> {
    const characters = messages.reduce((sum, { content }) => sum + content.length, 0)
    const engine = limit !== undefined && characters > MOST_CHARACTERS_PER_TOKEN * limit ? undefined : this.#ready?.engine
    return await (engine?.count(messages) ?? countMessageTokens(messages, limit))
  }

  async * ready (signal: AbortSignal): AsyncGenerator<ProgressEvent, BackendInfo> {
    yield * this.#readiness(signal)
    return await this.info()
  }

  async * chat (request: BackendRequest, signal: AbortSignal): AsyncGenerator<BackendEvent> {
    this.#begin()
    try {
      const { engine } = yield * this.#readiness(signal)
      const { step, ...order } = request
      const since = performance.now()
      for await (const report of engine.chat(order, signal)) yield * eventsOf(report)
      this.#options.log.debug({ run: request.run, step, ms: Math.round(performance.now() - since) }, 'engine call')
    } finally {
      this.#leave()
    }
  }

  async close (): Promise<void> {
    this.#end.abort(new BackendClosed())
    clearTimeout(this.#idle)
    await this.#ready?.engine.close()
    await this.#preparing?.catch(() => undefined)
  }

  /** The id of the engine's process, for tests and monitoring. */
  get pid (): number | undefined { return this.#ready?.engine.pid }

  async * #readiness (signal: AbortSignal): AsyncGenerator<ProgressEvent, Ready> {
    signal.throwIfAborted()
    this.#end.signal.throwIfAborted()
    const ready = this.#ready ?? (yield * this.#progress.until(this.#prepare(), signal))
    const tooSmall = this.#tooSmall()
    if (tooSmall) throw tooSmall
    return ready
  }

  async #prepare (): Promise<Ready> {
    this.#preparing ??= this.#open().finally(() => { this.#preparing = undefined })
    return await this.#preparing
  }

  async #open (): Promise<Ready> {
    const { model, log } = this.#options
    const { signal } = this.#end
    this.#failure = undefined
    try {
      this.#progress.report(`${model.name} is being prepared`)
      const path = await model.obtain(text => this.#progress.report(text), signal)
      signal.throwIfAborted()
      const ready = await this.#load(path)
      signal.throwIfAborted()
      const { context, slots, threads, gpu } = ready.loaded
      log.info({ model: model.name, context, slots, threads, gpu }, `the engine of this service has loaded ${model.name}`)
      const tooSmall = this.#tooSmall()
      if (tooSmall) log.warn({ model: model.name, context }, tooSmall.message) // else its user would hear of it with the first request
      this.#ready = ready
      this.#rest()
      return ready
    } catch (error) {
      if (signal.aborted) throw error
      const failure = error instanceof BackendError
        ? error
        : new BackendRefused(`${model.name} could not be made ready (${causeOf(error)})`, NO_FOLDER)
      this.#failure = failure
      log.warn({ model: model.name }, failure.message)
      throw failure
    }
  }

  async #load (path: string): Promise<Ready> {
    const { model, threads, useGpu = true, log } = this.#options
    this.#progress.report(`the engine loads ${model.name}`)
    const engine = new EngineProcess({
      load: { path, threads, useGpu },
      log,
      onPercent: percent => this.#progress.report(`the engine loads ${model.name}: ${percent - percent % 10} %`),
      onEnd: error => {
        if (this.#ready?.engine !== engine) return
        this.#ready = undefined
        if (error instanceof BackendCutOff) log.error({ model: model.name }, error.message)
      }
    })
    const stop = () => void engine.close()
    this.#end.signal.addEventListener('abort', stop, { once: true })
    try {
      const loaded = this.#loaded = await engine.loaded
      return { engine, loaded }
    } finally {
      this.#end.signal.removeEventListener('abort', stop)
    }
  }

  #tooSmall (): ContextTooSmall | undefined {
    if (!this.#loaded || this.#loaded.context >= CONTEXT_NEEDED) return undefined
    const { context, contextOfModel } = this.#loaded
    const { model: { name } } = this.#options
    return new ContextTooSmall(context, {
      where: `the engine of this service with ${name}`,
      remedy: contextOfModel < CONTEXT_NEEDED
        ? 'this model is made for no more: give another one with --model; "npm run model -- list" names some'
        : 'memory is short: close other programs and start the service anew, or give a smaller model with --model'
    })
  }

  #begin (): void {
    this.#calls++
    clearTimeout(this.#idle)
  }

  #leave (): void {
    this.#calls--
    this.#rest()
  }

  // An idle model would keep gigabytes of memory, and loading it again takes only seconds.
  #rest (): void {
    clearTimeout(this.#idle)
    if (this.#calls > 0 || !this.#ready) return
    this.#idle = setTimeout(() => {
      const engine = this.#ready?.engine
      this.#ready = undefined
      this.#options.log.info({ model: this.#options.model.name }, 'the engine gives its memory back until it is asked again')
      void engine?.close()
    }, this.#options.idle ?? IDLE).unref()
  }
}

function * eventsOf (report: CallReport): Generator<BackendEvent> {
  switch (report.type) {
    case 'fragment':
    case 'reasoning':
      yield { type: report.type, text: report.text }
      break
    case 'tool_call':
      yield { type: 'tool_call', ...report.call }
      break
    case 'waiting':
      yield progressEvent(`waiting for the model: ${report.before === 1 ? 'one call' : `${report.before} calls`} before this one`)
      break
    case 'reading':
      yield progressEvent(`the model reads the prompt: ${report.percent} %`)
      break
    case 'outcome': yield * endOf(report.outcome)
  }
}

function * endOf (outcome: Outcome): Generator<BackendEvent> {
  switch (outcome.type) {
    case 'done':
      yield {
        type: 'usage',
        prompt_tokens: outcome.prompt,
        completion_tokens: outcome.completion,
        ...(outcome.reasoning > 0 && { reasoning_tokens: outcome.reasoning })
      }
      yield { type: 'finish', reason: outcome.finish }
      break
    case 'overflow': throw new ContextOverflow(outcome.tokens, outcome.context)
    case 'unfit': throw new BackendRefused(outcome.problem, 'or use a server for it (--backend-url)')
    case 'failed': throw new BackendCutOff(`the engine failed in the middle of the reply: ${outcome.message}`, 'ask again')
    case 'counted': break
  }
}

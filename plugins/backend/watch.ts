import type { BackendInfo, Logger } from '../../agents/types.js'
import { streamChat } from './conversation.js'
import { type Detection, detect, nameOf, unreachable } from './detect.js'
import { BackendClosed, BackendError, ContextTooSmall } from './errors.js'
import type { Address } from './http.js'
import { type Deadlines, CallTimeout } from './call-timeout.js'
import { unknown } from './servers/unknown.js'

// After this many milliseconds a server is asked again: it may have been restarted with other settings.
const FRESH = 30_000

const LOADING_REMEDY = 'wait until it is there; requests wait, too'

export interface WatchOptions {
  address: Address
  model?: string | undefined
  key?: string | undefined
  /** Why this server is used, for people. */
  reason: string
  deadlines: Deadlines
  log: Logger
  /** What a search has found out about it already. */
  seen?: Detection | undefined
}

/** Knows the state of a server, and keeps that knowledge up to date. */
export class Watch {
  readonly #options: WatchOptions
  readonly #end = new AbortController()
  #known: { seen: Detection, at: number } | undefined
  #asking: Promise<Detection> | undefined
  #warming: Promise<void> | undefined
  #isWarmedUp = false
  /** The server loads models on request and never reports one as loaded: asking again would not help. */
  #neverReports = false
  /** Why its model could not be used or loaded the last time, if so. */
  #lastFailure: BackendError | null = null
  #warnedOf: string | undefined

  constructor (options: WatchOptions) {
    this.#options = options
    if (options.seen) this.#learn(options.seen)
  }

  /** The state of the server. If it was ready, it counts as ready until a new answer comes: a server that generates may be slow. */
  async look (): Promise<Detection> {
    if (this.#known?.seen.state !== 'ready') return await this.#ask()
    if (performance.now() - this.#known.at > FRESH) void this.#ask()
    return this.#known.seen
  }

  forget (): void {
    this.#known = undefined
  }

  info (seen: Detection): BackendInfo {
    const { address, reason } = this.#options
    const { kind } = seen.server
    const { model, context, slots } = seen.modelState
    const known = { kind, url: address.shown, model, context, slots, reason }
    if (seen.state === 'loading') {
      return { ...known, problem: `the backend at ${address.shown} is loading its model`, remedy: LOADING_REMEDY }
    }
    const error = seen.state === 'failed' ? seen.error : seen.state === 'unloaded' ? this.#lastFailure : null
    return { ...known, problem: error?.problem ?? null, remedy: error?.remedy ?? null }
  }

  /** Makes the server load its model, by requesting a reply of one token. Concurrent callers share one request. */
  async warmUp (): Promise<void> {
    this.#warming ??= this.#warmUp().finally(() => { this.#warming = undefined })
    await this.#warming
  }

  close (): void {
    this.#end.abort(new BackendClosed())
  }

  async #ask (): Promise<Detection> {
    this.#asking ??= this.#detect().finally(() => { this.#asking = undefined })
    return await this.#asking
  }

  async #detect (): Promise<Detection> {
    const { address, model, key } = this.#options
    try {
      return this.#learn(await detect(address, { model, key, signal: this.#end.signal }))
    } catch (error) {
      // A slow server is not gone: it may answer nothing else while it generates. The next chat completion shows whether it works.
      return this.#learn(this.#known?.seen ?? {
        server: unknown,
        modelState: { model: model ?? null, loaded: false, context: null, slots: null, limit: null },
        state: 'failed',
        error: error instanceof BackendError ? error : unreachable(`the backend at ${address.shown}`, error)
      })
    }
  }

  #learn (found: Detection): Detection {
    const before = this.#known?.seen
    const countsAsReady = found.state === 'unloaded' && (this.#neverReports || !found.server.lazy)
    const seen: Detection = countsAsReady ? { ...found, state: 'ready' } : found
    this.#known = { seen, at: performance.now() }
    if (seen.state === 'ready') {
      this.#lastFailure = null
      this.#neverReports &&= !seen.modelState.loaded
      if (seen.modelState.context === null) this.#warnOfContext(seen)
    }
    if (seen.state === 'failed' && seen.error instanceof ContextTooSmall) this.#lastFailure = seen.error
    if (before) this.#logChange(before, seen)
    // Loads the model now, so that a context that is too small is reported before the first request.
    if (seen.state === 'unloaded' && !this.#isWarmedUp) void this.warmUp().catch(() => undefined) // info() and ready() report the error
    return seen
  }

  async #warmUp (): Promise<void> {
    this.#isWarmedUp = true
    const { address, key, deadlines, log } = this.#options
    const { server, modelState } = this.#known?.seen ?? await this.#ask()
    const where = nameOf(server, address)
    const since = performance.now()
    const reply = streamChat({
      address,
      key,
      body: { model: modelState.model ?? 'default', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
      serverInfo: { where, context: null, remedy: '' },
      timeout: new CallTimeout(this.#end.signal, { ...deadlines, where })
    })
    try {
      for await (const delta of reply) if (delta.finish) break
    } catch (error) {
      const failure = this.#lastFailure = error instanceof BackendError ? error : unreachable(where, error)
      const { model } = modelState
      if (!this.#end.signal.aborted) log.warn({ backend: address.shown, model }, `${model} could not be loaded: ${failure.message}`)
      throw failure
    }
    this.#lastFailure = null
    const now = await this.#ask()
    if (now.state === 'unloaded') {
      this.#neverReports = true
      this.#learn(now)
    } else if (now.state === 'ready') {
      const { model, context } = now.modelState
      const ms = Math.round(performance.now() - since)
      log.info({ backend: address.shown, model, context, ms }, `${where} has loaded its model`)
    }
  }

  #logChange (before: Detection, seen: Detection): void {
    const { address, log } = this.#options
    const { server, modelState: { model, context } } = seen
    const known = before.state === 'failed' ? before.error.problem : undefined
    if (seen.state === 'failed' && seen.error.problem !== known) log.warn({ backend: address.shown }, seen.error.message)
    const isBack = seen.state === 'ready' && before.state === 'failed'
    if (isBack) log.info({ backend: address.shown, model, context }, `${nameOf(server, address)} can be used now`)
  }

  #warnOfContext ({ server, modelState: { model } }: Detection): void {
    const { address, log } = this.#options
    const what = `${server.kind} ${model}`
    if (this.#warnedOf === what) return
    this.#warnedOf = what
    const where = nameOf(server, address)
    const warning = 'does not tell how large its context is; agents need 32768 tokens, and it is trusted to have them'
    log.warn({ backend: address.shown, model }, `${where} ${warning}`)
  }
}

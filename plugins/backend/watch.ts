import type { BackendInfo, Logger } from '../../agents/types.js'
import { converse } from './conversation.js'
import { type Seen, detect, nameOf, unreachable } from './detect.js'
import { BackendClosed, BackendError, ContextTooSmall } from './errors.js'
import type { Address } from './http.js'
import { type Deadlines, Patience } from './patience.js'
import { unknown } from './servers/unknown.js'

// A server may be restarted with other settings while this service runs.
const FRESH = 30_000

export interface WatchOptions {
  address: Address
  model?: string | undefined
  key?: string | undefined
  /** Why this server. */
  reason: string
  deadlines: Deadlines
  log: Logger
  /** What a search saw of it already. */
  seen?: Seen | undefined
}

/** Knows what is known of a server, and sees to it that it stays true. */
export class Watch {
  readonly #options: WatchOptions
  readonly #end = new AbortController()
  #known: { seen: Seen, at: number } | undefined
  #asking: Promise<Seen> | undefined
  #warming: Promise<void> | undefined
  #isWarmedUp = false
  /** It loads models when asked and never tells of one, so that asking again would tell no more. */
  #isMute = false
  /** What was wrong when it last had a model, or why it did not load one. */
  #cold: BackendError | null = null
  #warnedOf: string | undefined

  constructor (options: WatchOptions) {
    this.#options = options
    if (options.seen) this.#learn(options.seen)
  }

  /** What is known. Good news is used while it is looked after: a server that generates may be slow to answer. */
  async look (): Promise<Seen> {
    if (this.#known?.seen.state !== 'ready') return await this.#ask()
    if (performance.now() - this.#known.at > FRESH) void this.#ask()
    return this.#known.seen
  }

  forget (): void {
    this.#known = undefined
  }

  info (seen: Seen): BackendInfo {
    const { address, reason } = this.#options
    const { kind } = seen.server
    const { model, context, slots } = seen.sight
    const told = { kind, url: address.shown, model, context, slots, reason }
    if (seen.state === 'loading') return { ...told, problem: `the backend at ${address.shown} is loading its model`, remedy: 'wait until it is there; requests wait, too' }
    const wrong = seen.state === 'failed' ? seen.error : seen.state === 'unloaded' ? this.#cold : null
    return { ...told, problem: wrong?.problem ?? null, remedy: wrong?.remedy ?? null }
  }

  /** Has it load its model, by a reply of one token. Callers share one. Throws why it does not. */
  async warmUp (): Promise<void> {
    this.#warming ??= this.#warmUp().finally(() => { this.#warming = undefined })
    await this.#warming
  }

  close (): void {
    this.#end.abort(new BackendClosed())
  }

  async #ask (): Promise<Seen> {
    this.#asking ??= this.#detect().finally(() => { this.#asking = undefined })
    return await this.#asking
  }

  async #detect (): Promise<Seen> {
    const { address, model, key } = this.#options
    try {
      return this.#learn(await detect(address, { model, key, signal: this.#end.signal }))
    } catch (error) {
      // Slow is not gone: a server may answer nothing else while it generates, and a chat tells for certain.
      return this.#learn(this.#known?.seen ?? {
        server: unknown,
        sight: { model: model ?? null, loaded: false, context: null, slots: null, limit: null },
        state: 'failed',
        error: error instanceof BackendError ? error : unreachable(`the backend at ${address.shown}`, error)
      })
    }
  }

  #learn (found: Seen): Seen {
    const before = this.#known?.seen
    const seen: Seen = found.state === 'unloaded' && (this.#isMute || !found.server.lazy) ? { ...found, state: 'ready' } : found
    this.#known = { seen, at: performance.now() }
    if (seen.state === 'ready') {
      this.#cold = null
      this.#isMute &&= !seen.sight.loaded
      if (seen.sight.context === null) this.#warnOfContext(seen)
    }
    if (seen.state === 'failed' && seen.error instanceof ContextTooSmall) this.#cold = seen.error
    if (before) this.#tell(before, seen)
    // Whether its context is too small is to be known before the first request.
    if (seen.state === 'unloaded' && !this.#isWarmedUp) void this.warmUp().catch(() => undefined) // info() and ready() tell
    return seen
  }

  async #warmUp (): Promise<void> {
    this.#isWarmedUp = true
    const { address, key, deadlines, log } = this.#options
    const { server, sight } = this.#known?.seen ?? await this.#ask()
    const where = nameOf(server, address)
    const since = performance.now()
    const reply = converse({
      address,
      key,
      body: { model: sight.model ?? 'default', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
      speaker: { where, context: null, remedy: '' },
      patience: new Patience(this.#end.signal, { ...deadlines, where })
    })
    try {
      for await (const delta of reply) if (delta.finish) break
    } catch (error) {
      this.#cold = error instanceof BackendError ? error : unreachable(where, error)
      if (!this.#end.signal.aborted) log.warn({ backend: address.shown, model: sight.model }, `${sight.model} could not be loaded: ${this.#cold.message}`)
      throw this.#cold
    }
    this.#cold = null
    const now = await this.#ask()
    if (now.state === 'unloaded') {
      this.#isMute = true
      this.#learn(now)
    } else if (now.state === 'ready') {
      log.info({ backend: address.shown, model: now.sight.model, context: now.sight.context, ms: Math.round(performance.now() - since) }, `${where} has loaded its model`)
    }
  }

  #tell (before: Seen, seen: Seen): void {
    const { address, log } = this.#options
    const { server, sight } = seen
    const told = before.state === 'failed' ? before.error.problem : undefined
    if (seen.state === 'failed' && seen.error.problem !== told) log.warn({ backend: address.shown }, seen.error.message)
    if (seen.state === 'ready' && before.state === 'failed') log.info({ backend: address.shown, model: sight.model, context: sight.context }, `${nameOf(server, address)} can be used now`)
  }

  #warnOfContext ({ server, sight }: Seen): void {
    const { address, log } = this.#options
    const what = `${server.kind} ${sight.model}`
    if (this.#warnedOf === what) return
    this.#warnedOf = what
    log.warn({ backend: address.shown, model: sight.model }, `${nameOf(server, address)} does not tell how large its context is; agents need 32768 tokens, and it is trusted to have them`)
  }
}

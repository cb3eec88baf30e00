import type { Backend, BackendEvent, BackendInfo, BackendRequest, Logger, Message, ProgressEvent } from '../../agents/types.js'
import { BackendClosed, BackendUnreachable } from './errors.js'
import { HttpBackend, type HttpBackendOptions } from './http-backend.js'
import { untilAborted } from './call-timeout.js'
import { type SearchResult, describe, search } from './search.js'
import { countMessageTokens } from './tokens.js'

export interface FoundBackendOptions extends Pick<HttpBackendOptions, 'model' | 'deadlines'> {
  candidates: readonly string[]
  /** Whether an address is the one of this service itself, which is never asked. */
  isOwn: (url: URL) => boolean
  /** The backend to use if no server is found; `silent` are the addresses where something listens and does not answer. */
  otherwise: (silent: string[]) => Promise<{ backend: Backend, isFinal: boolean }>
  log: Logger
}

/** The local server that a search found. If it cannot be used any more, the search runs again. */
export class FoundBackend implements Backend {
  readonly #options: FoundBackendOptions
  readonly #servers = new Map<string, HttpBackend>()
  readonly #end = new AbortController()
  #taken: { backend: Backend, isFinal: boolean } | undefined
  #searching: Promise<Backend> | undefined

  constructor (options: FoundBackendOptions) {
    this.#options = options
  }

  async info (): Promise<BackendInfo> {
    return await (await this.#find()).info()
  }

  countTokens (messages: Message[], limit?: number): Promise<number> {
    return this.#taken?.backend.countTokens(messages, limit) ?? countMessageTokens(messages, limit)
  }

  async * ready (signal: AbortSignal): AsyncGenerator<ProgressEvent, BackendInfo> {
    return yield * (await untilAborted(this.#find(), signal)).ready(signal)
  }

  async * chat (request: BackendRequest, signal: AbortSignal): AsyncGenerator<BackendEvent> {
    const backend = await untilAborted(this.#find(), signal)
    try {
      yield * backend.chat(request, signal)
      return
    } catch (error) {
      // The server has gone and has not received this request: so the request can be sent to another server.
      if (!(error instanceof BackendUnreachable && error.unheard)) throw error
    }
    yield * (await untilAborted(this.#find(), signal)).chat(request, signal)
  }

  async close (): Promise<void> {
    this.#end.abort(new BackendClosed())
    await Promise.all([...this.#servers.values(), this.#taken?.backend].map(async backend => await backend?.close()))
  }

  async #find (): Promise<Backend> {
    this.#end.signal.throwIfAborted()
    const taken = this.#taken
    if (taken && (taken.isFinal || (await taken.backend.info()).problem === null)) return taken.backend
    this.#searching ??= this.#search().finally(() => { this.#searching = undefined })
    return await this.#searching
  }

  async #search (): Promise<Backend> {
    const { candidates, isOwn, model, otherwise } = this.#options
    const others = candidates.filter(url => !isOwn(new URL(url)))
    const result = await search(others, { model, signal: this.#end.signal })
    this.#end.signal.throwIfAborted()
    const before = this.#taken?.backend
    this.#taken = this.#take(result) ?? await otherwise(result.silent)
    if (this.#taken.backend !== before) await this.#logBackend(this.#taken.backend)
    return this.#taken.backend
  }

  #take ({ found: [first, ...others] }: SearchResult): { backend: Backend, isFinal: boolean } | undefined {
    if (!first) return undefined
    const { model, deadlines, log } = this.#options
    const { shown } = first.address
    let backend = this.#servers.get(shown)
    if (!backend) {
      const also = others.length === 0 ? '' : `; also found: ${others.map(describe).join(', ')}`
      const reason = `found there, as no --backend-url was given${also}`
      backend = new HttpBackend({ url: shown, model, deadlines, log, reason, seen: first.seen })
      this.#servers.set(shown, backend)
    }
    return { backend, isFinal: false }
  }

  async #logBackend (backend: Backend): Promise<void> {
    const { kind, url, model, context, reason } = await backend.info()
    if (url !== null) this.#options.log.info({ kind, url, model, context }, `the language model is at ${url}: ${reason}`)
  }
}

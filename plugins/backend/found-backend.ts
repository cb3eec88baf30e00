import type { Backend, BackendEvent, BackendInfo, BackendRequest, Logger, Message, ProgressEvent } from '../../agents/types.js'
import { BackendClosed, BackendUnreachable } from './errors.js'
import { HttpBackend, type HttpBackendOptions } from './http-backend.js'
import { untilAborted } from './patience.js'
import { type Findings, describe, search } from './search.js'
import { countMessageTokens } from './tokens.js'

export interface FoundBackendOptions extends Pick<HttpBackendOptions, 'model' | 'deadlines'> {
  candidates: readonly string[]
  /** Whether an address is this very service's, which is never asked. */
  isOwn: (url: URL) => boolean
  /** What is used where no server is found; told which of them keep silent. */
  otherwise: (silent: string[]) => Promise<{ backend: Backend, isFinal: boolean }>
  log: Logger
}

/** The local server that is there. It is looked for again whenever it cannot be used. */
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
      // It went away since it was last seen, and has heard nothing of this request: so it can be asked elsewhere.
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
    if (this.#taken && (this.#taken.isFinal || (await this.#taken.backend.info()).problem === null)) return this.#taken.backend
    this.#searching ??= this.#search().finally(() => { this.#searching = undefined })
    return await this.#searching
  }

  async #search (): Promise<Backend> {
    const { candidates, isOwn, model, otherwise } = this.#options
    const others = candidates.filter(url => !isOwn(new URL(url)))
    const findings = await search(others, { model, signal: this.#end.signal })
    this.#end.signal.throwIfAborted()
    const before = this.#taken?.backend
    this.#taken = this.#take(findings) ?? await otherwise(findings.silent)
    if (this.#taken.backend !== before) await this.#tell(this.#taken.backend)
    return this.#taken.backend
  }

  #take ({ found: [first, ...others] }: Findings): { backend: Backend, isFinal: boolean } | undefined {
    if (!first) return undefined
    const { model, deadlines, log } = this.#options
    const { shown } = first.address
    let backend = this.#servers.get(shown)
    if (!backend) {
      const reason = `found there, as no --backend-url was given${others.length === 0 ? '' : `; also found: ${others.map(describe).join(', ')}`}`
      backend = new HttpBackend({ url: shown, model, deadlines, log, reason, seen: first.seen })
      this.#servers.set(shown, backend)
    }
    return { backend, isFinal: false }
  }

  async #tell (backend: Backend): Promise<void> {
    const { kind, url, model, context, reason } = await backend.info()
    if (url !== null) this.#options.log.info({ kind, url, model, context }, `the language model is at ${url}: ${reason}`)
  }
}

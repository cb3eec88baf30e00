import type { IncomingMessage } from 'node:http'
import { type Backend, type BackendEvent, type BackendInfo, type BackendRequest, InputTooLong, type Logger, type Message } from '../../agents/types.js'
import { BackendCutOff, BackendRefused, BackendUnreachable, causeOf } from './errors.js'
import { detect } from './detect.js'
import { Address, exchange, textOf } from './http.js'
import { type Delta, deltas, errorText } from './stream.js'
import { countMessageTokens, countTextTokens } from './tokens.js'

export interface HttpBackendOptions {
  url: string
  /** The model's name there; without it, the first that the server lists. */
  model?: string | undefined
  key?: string | undefined
  log: Logger
}

// A server may be restarted with other settings while this service runs.
const FRESH = 30_000

// How long the words of a refusal are waited for.
const REFUSAL = 5000

const OVERFLOW = /exceed_context_size|context_length_exceeded|exceeds the available context|maximum context length|context length of only|context size has been exceeded|prompt is too long/i

/** Any server that speaks chat completions. */
export class HttpBackend implements Backend {
  readonly #address: Address
  readonly #options: HttpBackendOptions
  #known: { info: BackendInfo, at: number } | undefined
  #asking: Promise<BackendInfo> | undefined

  constructor (options: HttpBackendOptions) {
    this.#options = options
    this.#address = new Address(options.url)
  }

  async info (): Promise<BackendInfo> {
    const known = this.#known
    if (!known || known.info.problem !== null) return await this.#ask()
    // Good news is used while it is looked after: a server that generates may be slow to answer.
    if (performance.now() - known.at > FRESH) void this.#ask()
    return known.info
  }

  countTokens (messages: Message[], limit?: number): Promise<number> {
    return countMessageTokens(messages, limit)
  }

  // Always streamed: only then do servers notice that the reader has gone, and stop.
  async * chat (request: BackendRequest, signal: AbortSignal): AsyncGenerator<BackendEvent> {
    const { messages, step, run, ...settings } = request
    const model = this.#options.model ?? (await this.info()).model ?? 'default'
    let fragments = ''
    let reasoning = ''
    let last: Delta = {}
    const since = performance.now()
    try {
      const response = await this.#send({ model, messages, ...settings, stream: true, stream_options: { include_usage: true } }, { step, run }, signal)
      for await (const delta of deltas(response, this.#address.shown)) {
        if (delta.reasoning !== undefined) yield { type: 'reasoning', text: delta.reasoning }
        if (delta.fragment !== undefined) yield { type: 'fragment', text: delta.fragment }
        reasoning += delta.reasoning ?? ''
        fragments += delta.fragment ?? ''
        last = { ...last, ...delta }
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof BackendUnreachable || error instanceof BackendCutOff) this.#known = undefined
      throw error
    }
    const usage = last.usage ?? { prompt_tokens: await countMessageTokens(messages), completion_tokens: await countTextTokens(reasoning + fragments) }
    const hidden = usage.reasoning_tokens ?? (reasoning === '' ? 0 : Math.min(usage.completion_tokens, await countTextTokens(reasoning)))
    this.#options.log.debug({ run, step, model, ms: Math.round(performance.now() - since), ...usage, finish: last.finish }, 'backend call')
    yield { type: 'usage', ...usage, ...(hidden > 0 && { reasoning_tokens: hidden }) }
    yield { type: 'finish', reason: last.finish ?? 'stop' }
  }

  async #send (body: object, { step, run }: { step: string, run: string }, signal: AbortSignal): Promise<IncomingMessage> {
    const { shown } = this.#address
    let response: IncomingMessage
    try {
      response = await exchange({
        url: this.#address.path('/v1/chat/completions'), key: this.#options.key, body, signal,
        headers: { accept: 'text/event-stream', 'x-svc-run': run, 'x-svc-step': step }
      })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw new BackendUnreachable(`the backend at ${shown} cannot be reached: ${causeOf(error)}. Start it there, or start this service with another --backend-url`, { cause: error })
    }
    if (response.statusCode === 200) return response
    throw refusal(shown, response.statusCode ?? 0, await briefTextOf(response))
  }

  async #ask (): Promise<BackendInfo> {
    this.#asking ??= this.#detect().finally(() => { this.#asking = undefined })
    return await this.#asking
  }

  async #detect (): Promise<BackendInfo> {
    const { shown } = this.#address
    let info: BackendInfo
    try {
      info = await detect(this.#address, this.#options)
    } catch (error) {
      // Slow is not gone: a server may answer nothing else while it generates, and a chat tells for certain.
      info = this.#known?.info ?? {
        kind: 'unknown', url: shown, model: this.#options.model ?? null, context: null, slots: null,
        problem: `the backend at ${shown} cannot be used: ${causeOf(error)}`,
        remedy: 'see whether it is the right address, and whether the server there is still starting'
      }
    }
    this.#known = { info, at: performance.now() }
    return info
  }
}

/** What a refusal says, as far as it comes in time. */
async function briefTextOf (response: IncomingMessage): Promise<string> {
  const tooLong = setTimeout(() => response.destroy(), REFUSAL)
  try {
    return await textOf(response, 64 * 1024)
  } catch {
    return '' // it broke off: the status says enough
  } finally {
    clearTimeout(tooLong)
  }
}

function refusal (shown: string, status: number, text: string): Error {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = { message: text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim() || undefined } // a proxy's page, say
  }
  const words = errorText(body)
  if (OVERFLOW.test(text)) return new InputTooLong(`The backend at ${shown} refused the conversation as too long: ${words}`)
  return new BackendRefused(`the backend at ${shown} answered ${status}: ${words}. ${WAYS_OUT[status] ?? 'See its log for the reason'}`)
}

const WAYS_OUT: Record<number, string> = {
  401: 'Give its key with --backend-key',
  403: 'Give its key with --backend-key',
  404: 'Check --backend-url, and the model\'s name in --backend-model',
  429: 'It is busy: try again later',
  503: 'It may still be loading its model: try again later'
}

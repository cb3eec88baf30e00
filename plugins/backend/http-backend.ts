import { setTimeout as sleep } from 'node:timers/promises'
import type { Backend, BackendEvent, BackendInfo, BackendRequest, Logger, Message, ProgressEvent } from '../../agents/types.js'
import { type ChatCall, streamChat } from './conversation.js'
import { type Detection, nameOf, remedyOf } from './detect.js'
import { BackendClosed, BackendRefused, BackendSlow } from './errors.js'
import { refuseEmpty, refuseTooLong, refuseTruncated } from './fit.js'
import { Address } from './http.js'
import { inputOf } from './input.js'
import { DEADLINES, type Deadlines, CallTimeout, untilAborted } from './call-timeout.js'
import { type Part, Reasoning, endsUnopened } from './reasoning.js'
import type { ServerInfo } from './refusal.js'
import type { Delta } from './stream.js'
import { progressEvent } from './progress-event.js'
import { countMessageTokens, countTextTokens } from './tokens.js'
import { CallReader } from './tool-calls.js'
import { Watch } from './watch.js'

export interface HttpBackendOptions {
  url: string
  /** The model's name there; without it, the one that is loaded, else the first that the server lists. */
  model?: string | undefined
  key?: string | undefined
  /** Why this server is used, for people. */
  reason?: string
  deadlines?: Partial<Deadlines> | undefined
  log: Logger
  seen?: Detection | undefined
}

// Milliseconds between two questions to a server whether it has loaded its model.
const POLL_INTERVAL = 500

const STILL_LOADING = 'see its log, use a smaller model, or give it longer with --first-token-timeout'

/** A backend over any server of the chat-completions API. */
export class HttpBackend implements Backend {
  readonly #address: Address
  readonly #options: HttpBackendOptions
  readonly #deadlines: Deadlines
  readonly #watch: Watch
  readonly #calls = new Set<CallTimeout>()
  /** Models whose template opens the reasoning tag, so that their replies contain only the closing tag. Their first reply shows it. */
  readonly #openers = new Set<string>()
  #isClosed = false

  constructor (options: HttpBackendOptions) {
    const { url, model, key, log, seen, reason = 'named with --backend-url', deadlines = {} } = options
    this.#options = options
    this.#address = new Address(url)
    this.#deadlines = { ...DEADLINES, ...deadlines }
    this.#watch = new Watch({ address: this.#address, model, key, reason, deadlines: this.#deadlines, log, seen })
  }

  async info (): Promise<BackendInfo> {
    return this.#watch.info(await this.#watch.look())
  }

  countTokens (messages: Message[], limit?: number): Promise<number> {
    return countMessageTokens(messages, limit)
  }

  async * ready (signal: AbortSignal): AsyncGenerator<ProgressEvent, BackendInfo> {
    return this.#watch.info(yield * this.#readiness(signal))
  }

  async * chat (request: BackendRequest, signal: AbortSignal): AsyncGenerator<BackendEvent> {
    const { server, modelState } = yield * this.#readiness(signal)
    const { messages, step, run, ...settings } = request
    const { key, log, model = modelState.model ?? 'default' } = this.#options
    const serverInfo: ServerInfo = {
      where: nameOf(server, this.#address),
      context: modelState.context,
      remedy: remedyOf(server, modelState)
    }
    if (server.truncates) await refuseTooLong(messages, serverInfo)

    const timeout = new CallTimeout(signal, { ...this.#deadlines, where: serverInfo.where })
    const call: ChatCall = {
      address: this.#address,
      key,
      headers: { 'x-svc-run': run, 'x-svc-step': step },
      body: { model, messages, ...settings },
      serverInfo,
      timeout
    }
    const since = performance.now()
    const isOpener = this.#openers.has(model)
    const tags = new Reasoning(isOpener) // for servers that do not separate the reasoning themselves
    let fragments = ''
    let reasoning = ''
    const calls = new CallReader(serverInfo.where)
    let last: Delta = {}
    const sort = (parts: Part[]) => {
      for (const { type, text } of parts) {
        if (type === 'reasoning') reasoning += text
        else fragments += text
      }
      return parts
    }
    this.#calls.add(timeout)
    try {
      for await (const delta of streamChat(call)) {
        if (delta.reasoning !== undefined) yield * sort([{ type: 'reasoning', text: delta.reasoning }])
        if (delta.fragment !== undefined) yield * sort(tags.take(delta.fragment))
        for (const piece of delta.calls ?? []) yield * calls.take(piece)
        last = { ...last, ...delta }
      }
      yield * sort(tags.end())
      calls.end()
      if (!isOpener && endsUnopened(fragments)) this.#openers.add(model)
      if (isOpener && !tags.isOver && last.finish !== 'length' && reasoning !== '' && calls.text === '') {
        this.#openers.delete(model) // it replied without reasoning, so the text was the reply
        const text = reasoning
        reasoning = ''
        yield * sort([{ type: 'fragment', text }])
      }
    } catch (error) {
      // The server may have gone, or been restarted with other settings. After a refusal neither is the case.
      if (!signal.aborted && !(error instanceof BackendRefused)) this.#watch.forget()
      throw error
    } finally {
      this.#calls.delete(timeout)
    }

    const sent = last.usage?.prompt_tokens ?? await countMessageTokens(inputOf(request))
    if (fragments + reasoning + calls.text === '') await refuseEmpty(messages, serverInfo, last)
    if (server.truncates && last.usage) await refuseTruncated(messages, serverInfo, sent)
    const completion = last.usage?.completion_tokens ?? await countTextTokens(reasoning + fragments + calls.text)
    const hidden = Math.min(completion, last.usage?.reasoning_tokens ?? await countTextTokens(reasoning))
    const ms = Math.round(performance.now() - since)
    log.debug({ run, step, model, ms, prompt_tokens: sent, completion_tokens: completion, finish: last.finish }, 'backend call')
    yield { type: 'usage', prompt_tokens: sent, completion_tokens: completion, ...(hidden > 0 && { reasoning_tokens: hidden }) }
    yield { type: 'finish', reason: last.finish === 'length' ? 'length' : calls.text === '' ? 'stop' : 'tool_calls' }
  }

  async close (): Promise<void> {
    this.#isClosed = true
    this.#watch.close()
    for (const call of this.#calls) call.end(new BackendClosed())
  }

  async * #readiness (signal: AbortSignal): AsyncGenerator<ProgressEvent, Detection> {
    const where = this.#address.shown
    const since = performance.now()
    for (let isFirst = true; ; isFirst = false) {
      if (this.#isClosed) throw new BackendClosed()
      const seen = await untilAborted(this.#watch.look(), signal)
      switch (seen.state) {
        case 'ready': return seen
        case 'failed': throw seen.error
        case 'unloaded':
          yield progressEvent(`${seen.server.name} loads ${seen.modelState.model}`)
          await untilAborted(this.#watch.warmUp(), signal)
          break
        case 'loading':
          if (isFirst) yield progressEvent(`the backend at ${where} is loading its model`)
          if (performance.now() - since > this.#deadlines.firstToken) {
            throw new BackendSlow(`the backend at ${where} is still loading its model`, STILL_LOADING)
          }
          await untilAborted(sleep(POLL_INTERVAL), signal)
      }
    }
  }
}

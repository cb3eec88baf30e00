import { setTimeout as sleep } from 'node:timers/promises'
import type { Backend, BackendEvent, BackendInfo, BackendRequest, Logger, Message, ProgressEvent } from '../../agents/types.js'
import { type Talk, converse } from './conversation.js'
import { type Seen, nameOf, remedyOf } from './detect.js'
import { BackendClosed, BackendRefused, BackendSlow } from './errors.js'
import { refuseEmpty, refuseTooLong, refuseTruncated } from './fit.js'
import { Address } from './http.js'
import { inputOf } from './input.js'
import { DEADLINES, type Deadlines, Patience, untilAborted } from './patience.js'
import { type Part, Reasoning, endsUnopened } from './reasoning.js'
import type { Speaker } from './refusal.js'
import type { Delta } from './stream.js'
import { told } from './told.js'
import { countMessageTokens, countTextTokens } from './tokens.js'
import { CallReader } from './tool-calls.js'
import { Watch } from './watch.js'

export interface HttpBackendOptions {
  url: string
  /** The model's name there; without it, the one that is loaded, else the first that the server lists. */
  model?: string | undefined
  key?: string | undefined
  /** Why this server, in words for its user. */
  reason?: string
  deadlines?: Partial<Deadlines> | undefined
  log: Logger
  seen?: Seen | undefined
}

// How often a server that is loading its model is asked whether it has.
const LOADING = 500

/** Any server that speaks chat completions. */
export class HttpBackend implements Backend {
  readonly #address: Address
  readonly #options: HttpBackendOptions
  readonly #deadlines: Deadlines
  readonly #watch: Watch
  readonly #calls = new Set<Patience>()
  /** Models whose template opens the reasoning, so that their replies hold only its end. The first reply of each tells. */
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
    const { server, sight } = yield * this.#readiness(signal)
    const { messages, step, run, ...settings } = request
    const { key, log, model = sight.model ?? 'default' } = this.#options
    const speaker: Speaker = { where: nameOf(server, this.#address), context: sight.context, remedy: remedyOf(server, sight) }
    if (server.truncates) await refuseTooLong(messages, speaker)

    const patience = new Patience(signal, { ...this.#deadlines, where: speaker.where })
    const talk: Talk = { address: this.#address, key, headers: { 'x-svc-run': run, 'x-svc-step': step }, body: { model, messages, ...settings }, speaker, patience }
    const since = performance.now()
    const isOpener = this.#openers.has(model)
    const tags = new Reasoning(isOpener) // of servers that do not part it themselves
    let fragments = ''
    let reasoning = ''
    const calls = new CallReader(speaker.where)
    let last: Delta = {}
    const sort = (parts: Part[]) => {
      for (const { type, text } of parts) {
        if (type === 'reasoning') reasoning += text
        else fragments += text
      }
      return parts
    }
    this.#calls.add(patience)
    try {
      for await (const delta of converse(talk)) {
        if (delta.reasoning !== undefined) yield * sort([{ type: 'reasoning', text: delta.reasoning }])
        if (delta.fragment !== undefined) yield * sort(tags.take(delta.fragment))
        for (const piece of delta.calls ?? []) yield * calls.take(piece)
        last = { ...last, ...delta }
      }
      yield * sort(tags.end())
      calls.end()
      if (!isOpener && endsUnopened(fragments)) this.#openers.add(model)
      if (isOpener && !tags.isOver && last.finish !== 'length' && reasoning !== '' && calls.text === '') {
        this.#openers.delete(model) // it has answered without thinking
        const text = reasoning
        reasoning = ''
        yield * sort([{ type: 'fragment', text }])
      }
    } catch (error) {
      // It may have gone, or come back with other settings. A refusal tells neither.
      if (!signal.aborted && !(error instanceof BackendRefused)) this.#watch.forget()
      throw error
    } finally {
      this.#calls.delete(patience)
    }

    const sent = last.usage?.prompt_tokens ?? await countMessageTokens(inputOf(request))
    if (fragments + reasoning + calls.text === '') await refuseEmpty(messages, speaker, last)
    if (server.truncates && last.usage) await refuseTruncated(messages, speaker, sent)
    const completion = last.usage?.completion_tokens ?? await countTextTokens(reasoning + fragments + calls.text)
    const hidden = Math.min(completion, last.usage?.reasoning_tokens ?? await countTextTokens(reasoning))
    log.debug({ run, step, model, ms: Math.round(performance.now() - since), prompt_tokens: sent, completion_tokens: completion, finish: last.finish }, 'backend call')
    yield { type: 'usage', prompt_tokens: sent, completion_tokens: completion, ...(hidden > 0 && { reasoning_tokens: hidden }) }
    yield { type: 'finish', reason: last.finish === 'length' ? 'length' : calls.text === '' ? 'stop' : 'tool_calls' }
  }

  async close (): Promise<void> {
    this.#isClosed = true
    this.#watch.close()
    for (const call of this.#calls) call.end(new BackendClosed())
  }

  async * #readiness (signal: AbortSignal): AsyncGenerator<ProgressEvent, Seen> {
    const where = this.#address.shown
    const since = performance.now()
    for (let isFirst = true; ; isFirst = false) {
      if (this.#isClosed) throw new BackendClosed()
      const seen = await untilAborted(this.#watch.look(), signal)
      switch (seen.state) {
        case 'ready': return seen
        case 'failed': throw seen.error
        case 'unloaded':
          yield told(`${seen.server.name} loads ${seen.sight.model}`)
          await untilAborted(this.#watch.warmUp(), signal)
          break
        case 'loading':
          if (isFirst) yield told(`the backend at ${where} is loading its model`)
          if (performance.now() - since > this.#deadlines.firstToken) throw new BackendSlow(`the backend at ${where} is still loading its model`, 'see its log, use a smaller model, or give it longer with --first-token-timeout')
          await untilAborted(sleep(LOADING), signal)
      }
    }
  }
}

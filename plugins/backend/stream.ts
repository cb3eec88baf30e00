import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { FinishReason } from '../../agents/types.js'
import { BackendCutOff, BackendGarbled, causeOf } from './errors.js'
import { textOf } from './http.js'
import { type Json, isRecord, record, records } from './json.js'
import type { Patience } from './patience.js'
import { type Speaker, refusal } from './refusal.js'

/** What one message of the backend's says. */
export interface Delta {
  fragment?: string
  reasoning?: string
  finish?: FinishReason
  usage?: { prompt_tokens: number, completion_tokens: number, reasoning_tokens?: number }
}

const LAST_WORDS = 5000
const MAX_EVENT = 4 * 1024 * 1024
const MAX_REPLY = 64 * 1024 * 1024
// Far beyond any context.
const MOST_TOKENS = 1e9
const IS_URL_RIGHT = 'is --backend-url the address of a chat-completions server?'

/** The messages of a streamed chat completion. Ends after a finish; a stream that ends before it throws. */
export async function * deltas (response: IncomingMessage, speaker: Speaker, patience: Patience): AsyncGenerator<Delta> {
  const type = response.headers['content-type'] ?? ''
  if (/^application\/json/.test(type)) {
    // A server that does not stream.
    let text: string
    try {
      text = await patience.wait(textOf(response, MAX_REPLY))
    } catch (error) {
      throw cutOff(speaker, error)
    }
    yield whole(text, speaker)
    return
  }
  let finished = false
  let lastWords: NodeJS.Timeout | undefined
  const messages = events(response, speaker, patience)
  try {
    for (;;) {
      let next: IteratorResult<string>
      try {
        next = await messages.next()
      } catch (error) {
        if (error instanceof BackendGarbled) throw error
        if (finished) break
        throw cutOff(speaker, error)
      }
      if (next.done === true) break
      if (next.value === '[DONE]') { finished = true; break }
      const delta = read(next.value, speaker)
      patience.heard(delta.fragment !== undefined || delta.reasoning !== undefined || delta.finish !== undefined)
      finished ||= delta.finish !== undefined
      // The usage may follow; a server that neither sends it nor ends is not waited for.
      if (finished) lastWords ??= setTimeout(() => response.destroy(), LAST_WORDS)
      yield delta
    }
  } finally {
    clearTimeout(lastWords)
    response.destroy()
  }
  if (!finished) throw new BackendCutOff(`${speaker.where} ended its reply before it was complete${/event-stream/.test(type) ? '' : ' and sent no event stream'}`, 'see its log, and try again')
}

function cutOff ({ where }: Speaker, error: unknown): BackendCutOff {
  return new BackendCutOff(`${where} broke off in the middle of its reply (${causeOf(error)})`, 'see its log, and try again', { cause: error })
}

async function * events (response: IncomingMessage, { where }: Speaker, patience: Patience): AsyncGenerator<string> {
  const ready: string[] = []
  let unread = 0
  const parser = createParser({ onEvent: event => { ready.push(event.data); unread = 0 }, onComment: () => { unread = 0 } })
  const parts = (response.setEncoding('utf8') as AsyncIterable<string>)[Symbol.asyncIterator]()
  for (;;) {
    const next = await patience.wait(parts.next())
    if (next.done === true) return
    unread += next.value.length
    parser.feed(next.value)
    if (unread > MAX_EVENT) throw new BackendGarbled(`${where} sends something without end that is no event stream`, IS_URL_RIGHT)
    yield * ready.splice(0)
  }
}

function read (data: string, speaker: Speaker): Delta {
  const message = parse(data, speaker)
  if (isError(message)) throw refusal(speaker, data)
  const choice = record(records(message.choices)[0])
  return contents(record(choice.delta), choice.finish_reason, message.usage)
}

function whole (data: string, speaker: Speaker): Delta {
  const message = parse(data, speaker)
  if (isError(message)) throw refusal(speaker, data, 200)
  const choice = record(records(message.choices)[0])
  if (choice.message === undefined) throw new BackendGarbled(`${speaker.where} answered with JSON that is no chat completion`, IS_URL_RIGHT)
  return contents(record(choice.message), choice.finish_reason ?? 'stop', message.usage)
}

function isError ({ error }: Json): boolean {
  return error !== undefined && error !== null
}

function contents (from: Json, finish: unknown, usage: unknown): Delta {
  const delta: Delta = {}
  const reasoning = from.reasoning_content ?? from.reasoning
  if (typeof from.content === 'string' && from.content !== '') delta.fragment = from.content
  if (typeof reasoning === 'string' && reasoning !== '') delta.reasoning = reasoning
  if (typeof finish === 'string') delta.finish = finish === 'length' ? 'length' : 'stop'
  const { prompt_tokens: prompt, completion_tokens: completion, completion_tokens_details: details } = record(usage)
  if (isCount(prompt) && isCount(completion)) {
    const hidden = record(details).reasoning_tokens
    delta.usage = { prompt_tokens: prompt, completion_tokens: completion, ...(isCount(hidden) && { reasoning_tokens: hidden }) }
  }
  return delta
}

function parse (data: string, { where }: Speaker): Json {
  let message: unknown
  try {
    message = JSON.parse(data)
  } catch (error) {
    throw new BackendGarbled(`${where} sent something that is not JSON`, IS_URL_RIGHT, { cause: error })
  }
  return isRecord(message) ? message : {}
}

// Figures that make no sense are as good as none: they are counted then.
function isCount (value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS
}

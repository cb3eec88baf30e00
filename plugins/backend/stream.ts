import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { FinishReason } from '../../agents/types.js'
import { BackendCutOff, BackendGarbled, BackendRefused, causeOf } from './errors.js'
import { textOf } from './http.js'

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

/** The messages of a streamed chat completion. Ends after a finish; a stream that ends before it throws. */
export async function * deltas (response: IncomingMessage, address: string): AsyncGenerator<Delta> {
  const type = response.headers['content-type'] ?? ''
  if (/^application\/json/.test(type)) {
    // A server that does not stream.
    let text: string
    try {
      text = await textOf(response, MAX_REPLY)
    } catch (error) {
      throw cutOff(address, error)
    }
    yield whole(text, address)
    return
  }
  let finished = false
  let lastWords: NodeJS.Timeout | undefined
  try {
    for await (const data of events(response, address)) {
      if (data === '[DONE]') { finished = true; break }
      const delta = read(data, address)
      finished ||= delta.finish !== undefined
      // The usage may follow; a server that neither sends it nor ends is not waited for.
      if (finished) lastWords ??= setTimeout(() => response.destroy(), LAST_WORDS)
      yield delta
    }
  } catch (error) {
    if (error instanceof BackendGarbled || error instanceof BackendRefused) throw error
    if (!finished) throw cutOff(address, error)
  } finally {
    clearTimeout(lastWords)
  }
  if (!finished) throw new BackendCutOff(`the backend at ${address} ended its reply before it was complete${/event-stream/.test(type) ? '' : ' and sent no event stream'}. See its log, and try again`)
}

function cutOff (address: string, error: unknown): BackendCutOff {
  return new BackendCutOff(`the backend at ${address} broke off in the middle of its reply (${causeOf(error)}). See its log, and try again`, { cause: error })
}

async function * events (response: IncomingMessage, address: string): AsyncGenerator<string> {
  const ready: string[] = []
  let unread = 0
  const parser = createParser({ onEvent: event => { ready.push(event.data); unread = 0 }, onComment: () => { unread = 0 } })
  for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) {
    unread += part.length
    parser.feed(part)
    if (unread > MAX_EVENT) throw new BackendGarbled(`the backend at ${address} sends something without end that is no event stream. Is --backend-url the address of a chat-completions server?`)
    yield * ready.splice(0)
  }
}

function read (data: string, address: string): Delta {
  const message = parse(data, address)
  if (message.error !== undefined) throw new BackendRefused(`the backend at ${address} failed in the middle of its reply: ${errorText(message)}`)
  const choice = record(list(message.choices)[0])
  return contents(record(choice.delta), choice.finish_reason, message.usage)
}

function whole (data: string, address: string): Delta {
  const message = parse(data, address)
  if (message.error !== undefined) throw new BackendRefused(`the backend at ${address} answered with an error: ${errorText(message)}`)
  const choice = record(list(message.choices)[0])
  if (choice.message === undefined) throw new BackendGarbled(`the backend at ${address} answered with JSON that is no chat completion. Is --backend-url right?`)
  return contents(record(choice.message), choice.finish_reason ?? 'stop', message.usage)
}

function contents (from: Record<string, unknown>, finish: unknown, usage: unknown): Delta {
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

function parse (data: string, address: string): Record<string, unknown> {
  try {
    return record(JSON.parse(data))
  } catch (error) {
    throw new BackendGarbled(`the backend at ${address} sent something that is not JSON. Is --backend-url the address of a chat-completions server?`, { cause: error })
  }
}

/** The words in an error body, whichever shape it has. */
export function errorText (body: unknown): string {
  const { error, message, detail } = record(body)
  const words = typeof error === 'string' ? error : record(error).message ?? message ?? detail
  return typeof words === 'string' ? words.slice(0, 500) : 'it gave no reason'
}

function record (value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? value as Record<string, unknown> : {}
}

// Figures that make no sense are as good as none: they are counted then.
function isCount (value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function list (value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

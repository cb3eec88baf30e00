import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { FinishReason } from '../../agents/types.js'
import { BackendCutOff, BackendGarbled, causeOf } from './errors.js'
import { wholeTextOf } from './http.js'
import { type Json, JsonTooLarge, isRecord, parseJson, record, records } from './json.js'
import { type Length, MOST_JSON, endless } from './length.js'
import type { Patience } from './patience.js'
import { type Speaker, refusal } from './refusal.js'
import type { CallPiece } from './tool-calls.js'
import { nextTurn, turnIsOver } from './turn.js'

/** What one message of the backend's says. */
export interface Delta {
  fragment?: string
  reasoning?: string
  calls?: CallPiece[]
  finish?: FinishReason
  usage?: { prompt_tokens: number, completion_tokens: number, reasoning_tokens?: number }
}

const LAST_WORDS = 5000
// What is parsed at once: many small events, or a parser's search for the line ends of a kind that is not there.
const PIECE = 16 * 1024
// The parser makes an error of each, which takes it longer than a message does.
const MOST_WRONG_LINES = 1000
// What a piece of a tool call counts beside its text: each call is kept, and may be empty.
const PER_CALL = 16
// Far beyond any context.
const MOST_TOKENS = 1e9
const IS_URL_RIGHT = 'is --backend-url the address of a chat-completions server?'

/** The messages of a streamed chat completion. Ends after a finish; a stream that ends before it throws. */
export async function * deltas (response: IncomingMessage, speaker: Speaker, patience: Patience, length: Length): AsyncGenerator<Delta> {
  const type = response.headers['content-type'] ?? ''
  if (/^application\/json/.test(type)) {
    // A server that does not stream.
    const body = await patience.wait(wholeTextOf(response, MOST_JSON)).catch((error: unknown) => { throw cutOff(speaker, error) })
    if (body === undefined) throw endless(speaker.where, MOST_JSON)
    const delta = whole(body, speaker)
    length.said(lengthOf(delta))
    yield delta
    return
  }
  let finished = false
  let lastWords: NodeJS.Timeout | undefined
  const messages = events(response, speaker, patience, length)
  try {
    for (;;) {
      let next: IteratorResult<string>
      try {
        next = await messages.next()
      } catch (error) {
        if (finished) break
        if (error instanceof BackendGarbled) throw error
        throw cutOff(speaker, error)
      }
      if (next.done === true) break
      if (next.value === '[DONE]') { finished = true; break }
      const delta = read(next.value, speaker)
      if (lengthOf(delta) > 0 || delta.finish !== undefined) {
        patience.heard()
        length.said(lengthOf(delta))
      }
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

async function * events (response: IncomingMessage, { where }: Speaker, patience: Patience, length: Length): AsyncGenerator<string> {
  const ready: string[] = []
  let wrong = 0
  const parser = createParser({
    onEvent: event => { ready.push(event.data) },
    onError: () => { if (++wrong > MOST_WRONG_LINES) throw new BackendGarbled(`${where} sends no event stream`, IS_URL_RIGHT) }
  })
  const parts = (response.setEncoding('utf8') as AsyncIterable<string>)[Symbol.asyncIterator]()
  for (;;) {
    const next = await patience.wait(parts.next())
    if (next.done === true) return
    for (let at = 0; at < next.value.length; at += PIECE) {
      const piece = next.value.slice(at, at + PIECE)
      length.received(piece.length)
      parser.feed(piece)
      yield * ready.splice(0)
      if (at + PIECE < next.value.length && turnIsOver()) await nextTurn()
    }
  }
}

function lengthOf ({ fragment = '', reasoning = '', calls = [] }: Delta): number {
  const ofCalls = calls.map(({ name, arguments: args }) => PER_CALL + (name ?? '').length + args.length)
  return ofCalls.reduce((sum, length) => sum + length, fragment.length + reasoning.length)
}

function read (data: string, speaker: Speaker): Delta {
  const message = parse(data, speaker)
  if (isError(message)) throw refusal(speaker, data)
  const choice = record(records(message.choices)[0])
  return contents(record(choice.delta ?? choice.message), choice.finish_reason, message.usage) // some stream a reply as one message
}

function whole (data: string, speaker: Speaker): Delta {
  const message = parse(data, speaker)
  if (isError(message)) throw refusal(speaker, data, 200)
  const choice = record(records(message.choices)[0])
  if (choice.message === undefined) throw new BackendGarbled(`${speaker.where} answered with JSON that is no chat completion`, IS_URL_RIGHT)
  const delta = contents(record(choice.message), choice.finish_reason ?? 'stop', message.usage)
  return delta.calls ? { ...delta, calls: delta.calls.map((call, index) => ({ ...call, index })) } : delta // each of them is whole
}

function isError ({ error }: Json): boolean {
  return error !== undefined && error !== null
}

function contents (from: Json, finish: unknown, usage: unknown): Delta {
  const delta: Delta = {}
  const reasoning = from.reasoning_content ?? from.reasoning
  if (typeof from.content === 'string' && from.content !== '') delta.fragment = from.content
  if (typeof reasoning === 'string' && reasoning !== '') delta.reasoning = reasoning
  const calls = records(from.tool_calls).map(pieceOf)
  if (calls.length > 0) delta.calls = calls
  if (typeof finish === 'string') delta.finish = finish === 'length' ? 'length' : 'stop'
  const { prompt_tokens: prompt, completion_tokens: completion, completion_tokens_details: details } = record(usage)
  if (isCount(prompt) && isCount(completion)) {
    const hidden = record(details).reasoning_tokens
    delta.usage = { prompt_tokens: prompt, completion_tokens: completion, ...(isCount(hidden) && { reasoning_tokens: hidden }) }
  }
  return delta
}

function pieceOf ({ index, id, function: made }: Json): CallPiece {
  const { name, arguments: args } = record(made)
  return {
    index: Number.isInteger(index) ? index as number : null,
    id: typeof id === 'string' && id !== '' ? id : null,
    name: typeof name === 'string' && name !== '' ? name : null,
    arguments: typeof args === 'string' ? args : isRecord(args) ? JSON.stringify(args) : '' // an object: some do not write it as text
  }
}

function parse (data: string, { where }: Speaker): Json {
  let message: unknown
  try {
    message = parseJson(data)
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new BackendGarbled(`${where} sent JSON that ${error.message}`, 'see its log: no chat completion is like that', { cause: error })
    throw new BackendGarbled(`${where} sent something that is not JSON`, IS_URL_RIGHT, { cause: error })
  }
  return isRecord(message) ? message : {}
}

// Figures that make no sense are as good as none: they are counted then.
function isCount (value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS
}

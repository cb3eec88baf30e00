import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { FinishReason } from '../../agents/types.js'
import { BackendCutOff, BackendGarbled, causeOf } from './errors.js'
import { wholeTextOf } from './http.js'
import { type Json, JsonTooLarge, isRecord, parseJson, record, records } from './json.js'
import { type Length, MOST_JSON, endless } from './length.js'
import type { CallTimeout } from './call-timeout.js'
import { type ServerInfo, refusal } from './refusal.js'
import type { CallPiece } from './tool-calls.js'
import { nextTurn, turnIsOver } from './turn.js'

/** The content of one message of the stream. */
export interface Delta {
  fragment?: string
  reasoning?: string
  calls?: CallPiece[]
  finish?: FinishReason
  usage?: { prompt_tokens: number, completion_tokens: number, reasoning_tokens?: number }
}

// How many milliseconds the usage may take to arrive after the finish.
const USAGE_TIMEOUT = 5000
// How many characters are parsed before other work gets its turn.
const PIECE = 16 * 1024
// The parser makes an Error for each invalid line, which is slow.
const MOST_WRONG_LINES = 1000
// What a tool call counts in addition to its text: every call is kept, even an empty one.
const PER_CALL = 16
// More tokens than any context has.
const MOST_TOKENS = 1e9
const IS_URL_RIGHT = 'is --backend-url the address of a chat-completions server?'

/** The messages of a streamed chat completion. Throws if the stream ends before a finish. */
export async function * deltas (
  response: IncomingMessage, serverInfo: ServerInfo, timeout: CallTimeout, length: Length
): AsyncGenerator<Delta> {
  const type = response.headers['content-type'] ?? ''
  if (/^application\/json/.test(type)) {
    // This server does not stream.
    const body = await timeout.wait(wholeTextOf(response, MOST_JSON)).catch((error: unknown) => { throw cutOff(serverInfo, error) })
    if (body === undefined) throw endless(serverInfo.where, MOST_JSON)
    const delta = whole(body, serverInfo)
    length.said(lengthOf(delta))
    yield delta
    return
  }
  let finished = false
  let usageTimer: NodeJS.Timeout | undefined
  const messages = events(response, serverInfo, timeout, length)
  try {
    for (;;) {
      let next: IteratorResult<string>
      try {
        next = await messages.next()
      } catch (error) {
        if (finished) break
        if (error instanceof BackendGarbled) throw error
        throw cutOff(serverInfo, error)
      }
      if (next.done === true) break
      if (next.value === '[DONE]') { finished = true; break }
      const delta = read(next.value, serverInfo)
      if (lengthOf(delta) > 0 || delta.finish !== undefined) {
        timeout.tokenRead()
        length.said(lengthOf(delta))
      }
      finished ||= delta.finish !== undefined
      // The usage may follow. A server that neither sends it nor ends the stream is not waited for.
      if (finished) usageTimer ??= setTimeout(() => response.destroy(), USAGE_TIMEOUT)
      yield delta
    }
  } finally {
    clearTimeout(usageTimer)
    response.destroy()
  }
  if (finished) return
  const noStream = /event-stream/.test(type) ? '' : ' and sent no event stream'
  throw new BackendCutOff(`${serverInfo.where} ended its reply before it was complete${noStream}`, 'see its log, and try again')
}

function cutOff ({ where }: ServerInfo, error: unknown): BackendCutOff {
  const problem = `${where} broke off in the middle of its reply (${causeOf(error)})`
  return new BackendCutOff(problem, 'see its log, and try again', { cause: error })
}

async function * events (
  response: IncomingMessage, { where }: ServerInfo, timeout: CallTimeout, length: Length
): AsyncGenerator<string> {
  const ready: string[] = []
  let wrong = 0
  const parser = createParser({
    onEvent: event => { ready.push(event.data) },
    onError: () => { if (++wrong > MOST_WRONG_LINES) throw new BackendGarbled(`${where} sends no event stream`, IS_URL_RIGHT) }
  })
  const parts = (response.setEncoding('utf8') as AsyncIterable<string>)[Symbol.asyncIterator]()
  for (;;) {
    const next = await timeout.wait(parts.next())
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

function read (data: string, serverInfo: ServerInfo): Delta {
  const message = parse(data, serverInfo)
  if (isError(message)) throw refusal(serverInfo, data)
  const choice = record(records(message.choices)[0])
  const content = record(choice.delta ?? choice.message) // some servers stream the reply as one message
  return contents(content, choice.finish_reason, message.usage)
}

function whole (data: string, serverInfo: ServerInfo): Delta {
  const message = parse(data, serverInfo)
  if (isError(message)) throw refusal(serverInfo, data, 200)
  const choice = record(records(message.choices)[0])
  if (choice.message === undefined) {
    throw new BackendGarbled(`${serverInfo.where} answered with JSON that is no chat completion`, IS_URL_RIGHT)
  }
  const delta = contents(record(choice.message), choice.finish_reason ?? 'stop', message.usage)
  return delta.calls ? { ...delta, calls: delta.calls.map((call, index) => ({ ...call, index })) } : delta // each call is in one piece
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
    arguments: typeof args === 'string' ? args : isRecord(args) ? JSON.stringify(args) : '' // some servers send an object, not JSON text
  }
}

function parse (data: string, { where }: ServerInfo): Json {
  let message: unknown
  try {
    message = parseJson(data)
  } catch (error) {
    if (error instanceof JsonTooLarge) {
      throw new BackendGarbled(`${where} sent JSON that ${error.message}`, 'see its log: no chat completion is like that', { cause: error })
    }
    throw new BackendGarbled(`${where} sent something that is not JSON`, IS_URL_RIGHT, { cause: error })
  }
  return isRecord(message) ? message : {}
}

// Figures that make no sense are ignored; the tokens are counted instead.
function isCount (value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS
}

import type { Message } from '../../agents/types.js'
import { PromptTruncated } from './errors.js'
import { type ServerInfo, tooLong } from './refusal.js'
import type { Delta } from './stream.js'
import { record, records } from './json.js'
import { countMessageTokens, countTextTokens, surelyFits } from './tokens.js'

// Vocabularies differ: the model's own count may be a tenth lower than ours.
const MARGIN = 1.1

// No context is smaller than this, nor is a conversation that was cut to fit into one. If a server reports fewer prompt tokens,
// it has left out those that were cached, and the figure says nothing.
const SMALLEST = 1024

// Two vocabularies never differ by this much, in whatever language: fewer tokens than this share mean that the prompt was cut.
const SHARE_IF_CUT = 0.75

// Prompt lengths after a cut by Ollama: old versions fill the context to the last token, new ones keep half of it and two more.
const SIZES = [2048, 4096, 8192, 16384, 32768].flatMap(size => [size - 1, size, size / 2 + 2])

/** Throws if the conversation is too long for the server, for servers that would silently cut it. */
export async function refuseTooLong (messages: Message[], serverInfo: ServerInfo): Promise<void> {
  const { context } = serverInfo
  if (context === null || surelyFits(messages, context)) return
  const tokens = await countMessageTokens(messages)
  if (tokens > context * MARGIN) throw tooLong(serverInfo, { tokens })
}

/** Throws if a reply is empty because the conversation did not fit: LM Studio then ends the reply without an error. */
export async function refuseEmpty (messages: Message[], serverInfo: ServerInfo, { finish, usage }: Delta): Promise<void> {
  const { context } = serverInfo
  if (context === null || finish === 'length' || surelyFits(messages, context / 2)) return
  const tokens = usage?.prompt_tokens ?? await countMessageTokens(messages)
  if (tokens * MARGIN > context) throw tooLong(serverInfo, { tokens })
}

/** Throws if the server has read only a part of the conversation. */
export async function refuseTruncated (messages: Message[], serverInfo: ServerInfo, read: number): Promise<void> {
  const sent = await truncatedFrom(messages, read, serverInfo.context)
  if (sent === undefined) return
  const { where, context, remedy } = serverInfo
  throw context !== null && sent > context ? tooLong(serverInfo, { tokens: sent }) : new PromptTruncated(where, { read, sent }, remedy)
}

/**
 * How many tokens were sent, if clearly fewer were read; undefined if all were read.
 * The tokens that a chat template adds are not counted: the figure is a lower bound.
 */
export async function truncatedFrom (messages: Message[], read: number, context: number | null): Promise<number | undefined> {
  const sent = messages.map(sentText).join('\n')
  // Tokens with fewer than two characters are rare: such a conversation has hardly more tokens than were read.
  if (read < SMALLEST || sent.length < 2 * read) return undefined
  const enough = 2 * read
  let tokens = await countTextTokens(sent, enough)
  if (read >= tokens) return undefined
  tokens = Math.min(tokens, await countTextTokens(sent, enough, 'o200k'))
  // If the context is known, one of these sizes would be a coincidence.
  const isCut = read < SHARE_IF_CUT * tokens || (context === null && read * 1.05 < tokens && SIZES.includes(read))
  return isCut ? tokens : undefined
}

// Templates leave out the reasoning of earlier turns, and everything in tool calls except their names and arguments.
function sentText (message: Message): string {
  if (message.role !== 'assistant') return message.content
  const made = records(message.tool_calls).map(call => record(call.function))
  const calls = made.map(({ name, arguments: args }) => `${asText(name)}${asText(args)}`)
  return [withoutThoughts(message.content), ...calls].join('\n')
}

function asText (value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function withoutThoughts (text: string): string {
  let kept = ''
  for (let at = 0; ;) {
    const open = text.indexOf('<think>', at)
    const close = open < 0 ? -1 : text.indexOf('</think>', open)
    if (close < 0) return kept + text.slice(at)
    kept += text.slice(at, open)
    at = close + '</think>'.length
  }
}

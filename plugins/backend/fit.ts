import type { Message } from '../../agents/types.js'
import { PromptTruncated } from './errors.js'
import { type Speaker, tooLong } from './refusal.js'
import type { Delta } from './stream.js'
import { record, records } from './json.js'
import { countMessageTokens, countTextTokens, surelyFits } from './tokens.js'

// Encodings differ: what was counted with one may be a tenth less in the model's own.
const MARGIN = 1.1

// No context is smaller, nor what is left of a conversation that was cut to fit into one. A lower figure
// is not what was read: some leave out what they had read before.
const SMALLEST = 1024

// What is missing between a vocabulary's count and a good one's, in whatever language: never so much.
const FEWER = 0.75

// Old versions of Ollama keep what fills the context to the last token, new ones half of it and two more.
const SIZES = [2048, 4096, 8192, 16384, 32768].flatMap(size => [size - 1, size, size / 2 + 2])

/** A server that would cut the conversation, and say nothing of it, is not asked. */
export async function refuseTooLong (messages: Message[], speaker: Speaker): Promise<void> {
  const { context } = speaker
  if (context === null || surelyFits(messages, context)) return
  const tokens = await countMessageTokens(messages)
  if (tokens > context * MARGIN) throw tooLong(speaker, { tokens })
}

/** LM Studio may end a conversation that does not fit as if there were nothing to say. */
export async function refuseEmpty (messages: Message[], speaker: Speaker, { finish, usage }: Delta): Promise<void> {
  const { context } = speaker
  if (context === null || finish === 'length' || surelyFits(messages, context / 2)) return
  const tokens = usage?.prompt_tokens ?? await countMessageTokens(messages)
  if (tokens * MARGIN > context) throw tooLong(speaker, { tokens })
}

/** A reply to something else than what was sent is none. */
export async function refuseTruncated (messages: Message[], speaker: Speaker, read: number): Promise<void> {
  const sent = await truncatedFrom(messages, read, speaker.context)
  if (sent === undefined) return
  throw speaker.context !== null && sent > speaker.context ? tooLong(speaker, { tokens: sent }) : new PromptTruncated(speaker.where, { read, sent }, speaker.remedy)
}

/**
 * How many tokens were sent, where clearly fewer were read; undefined where all were.
 * What a chat template adds is left out of account: the figure is a lower bound.
 */
export async function truncatedFrom (messages: Message[], read: number, context: number | null): Promise<number | undefined> {
  const sent = messages.map(sentText).join('\n')
  // Seldom has a token fewer bytes than two: then there was not much more than what was read.
  if (read < SMALLEST || sent.length < 2 * read) return undefined
  const enough = 2 * read
  let tokens = await countTextTokens(sent, enough)
  if (read >= tokens) return undefined
  tokens = Math.min(tokens, await countTextTokens(sent, enough, 'o200k'))
  // A usual size may be chance where the context is known to be another.
  const isCut = read < FEWER * tokens || (context === null && read * 1.05 < tokens && SIZES.includes(read))
  return isCut ? tokens : undefined
}

// Templates leave out what the model thought in earlier turns, and of its calls all but their names and arguments.
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

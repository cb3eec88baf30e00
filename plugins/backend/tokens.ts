import type { Message } from '../../agents/types.js'
import { nextTurn, turnIsOver } from './turn.js'
import { WordCounts } from './words.js'

// The tokens that a chat template adds around each message, and for the beginning of the reply.
const PER_MESSAGE = 4
const PER_REPLY = 3

// The encoder takes quadratic time for text without word breaks (20,000 times "a" take half a second), so it gets the text in
// pieces; each cut adds at most one token.
const PIECE = 1024

type Count = (text: string) => number
type Encoding = keyof typeof ENCODINGS
interface Tokenizer {
  countTokens: (text: string, options: { disallowedSpecial: Set<string> }) => number
  setMergeCacheSize: (size: number) => void
}

// These take 40 MB and 130 ms, and most servers never need them, because local backends report their own figures. Each is loaded in
// two steps, so that the event loop can do other work in between.
const ENCODINGS = {
  /** The vocabularies of current local models are derived from this one. */
  async cl100k (): Promise<Count> {
    await import('gpt-tokenizer/bpeRanks/cl100k_base')
    await nextTurn()
    const count = encoder(await import('gpt-tokenizer/encoding/cl100k_base'))
    const { CL100K_TOKEN_SPLIT_REGEX } = await import('gpt-tokenizer/encodingParams/constants')
    const words = new WordCounts(count, CL100K_TOKEN_SPLIT_REGEX)
    return text => words.count(text)
  },
  /** Twice as large: hardly any model needs fewer tokens, in whatever language. */
  async o200k (): Promise<Count> {
    await import('gpt-tokenizer/bpeRanks/o200k_base')
    await nextTurn()
    return encoder(await import('gpt-tokenizer/encoding/o200k_base'))
  }
}
const encoders: { [name in Encoding]?: Promise<Count> } = {}

function encoder ({ countTokens, setMergeCacheSize }: Tokenizer): Count {
  setMergeCacheSize(0) // the keys of its cache are slices of the text: each would keep a whole conversation in memory
  const options = { disallowedSpecial: new Set<string>() } // text that looks like a control token counts as text
  return text => countTokens(text, options)
}

/** Counts the tokens of a text. Stops early once the count exceeds `limit`, so that long texts cost no more. */
export async function countTextTokens (text: string, limit = Infinity, encoding: Encoding = 'cl100k'): Promise<number> {
  return count([text], limit, encoding)
}

/** Counts the tokens of a conversation, including those that a chat template adds. */
export async function countMessageTokens (messages: Message[], limit = Infinity): Promise<number> {
  const around = PER_REPLY + PER_MESSAGE * messages.length
  return around + await count(messages.map(textOf), limit - around, 'cl100k')
}

async function count (texts: string[], limit: number, encoding: Encoding): Promise<number> {
  const countPiece = await (encoders[encoding] ??= ENCODINGS[encoding]().catch((error: unknown) => {
    delete encoders[encoding] // the next call tries again
    throw error
  }))
  let total = 0
  for (const text of texts) {
    for (let start = 0; start < text.length && total <= limit;) {
      const end = cut(text, start)
      total += countPiece(text.slice(start, end))
      start = end
      if (turnIsOver()) await nextTurn()
    }
  }
  return total
}

/** Whether a conversation fits even with one token per byte, which is the most that any encoding needs. */
export function surelyFits (messages: Message[], limit: number): boolean {
  let most = PER_REPLY
  for (const message of messages) most += PER_MESSAGE + 3 * textOf(message).length // UTF-8 takes up to 3 bytes for a unit of a string
  return most <= limit
}

export function textOf (message: Message): string {
  return message.role === 'assistant' && message.tool_calls ? message.content + JSON.stringify(message.tool_calls) : message.content
}

/** The end of the next piece: before a space if there is one in its second half, else anywhere but inside a character. */
function cut (text: string, start: number): number {
  const end = start + PIECE
  if (end >= text.length) return text.length
  // The search stays within the piece: searching back to the start of a long text would take quadratic time in total.
  const space = text.slice(start, end).lastIndexOf(' ')
  if (space > PIECE / 2) return start + space
  return (text.charCodeAt(end) & 0xFC00) === 0xDC00 ? end - 1 : end
}

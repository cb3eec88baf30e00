import type { Message } from '../../agents/types.js'
import { nextTurn, turnIsOver } from './turn.js'
import { WordCounts } from './words.js'

// What a chat template adds around each message, and the opening of the reply.
const PER_MESSAGE = 4
const PER_REPLY = 3

// The encoder is quadratic in runs without a word break (20,000 times "a" take half a second), so it is fed
// pieces; a cut costs at most a token.
const PIECE = 1024

type Count = (text: string) => number
type Encoding = keyof typeof ENCODINGS
interface Tokenizer {
  countTokens: (text: string, options: { disallowedSpecial: Set<string> }) => number
  setMergeCacheSize: (size: number) => void
}

// 40 MB and 130 ms that most servers never need: local backends report their own figures. Loaded in two halves, so that
// others get their turn in between.
const ENCODINGS = {
  /** What current local models' vocabularies grew out of. */
  async cl100k (): Promise<Count> {
    await import('gpt-tokenizer/bpeRanks/cl100k_base')
    await nextTurn()
    const count = encoder(await import('gpt-tokenizer/encoding/cl100k_base'))
    const { CL100K_TOKEN_SPLIT_REGEX } = await import('gpt-tokenizer/encodingParams/constants')
    const words = new WordCounts(count, CL100K_TOKEN_SPLIT_REGEX)
    return text => words.count(text)
  },
  /** Twice as large: hardly a model needs fewer tokens, whatever the language. */
  async o200k (): Promise<Count> {
    await import('gpt-tokenizer/bpeRanks/o200k_base')
    await nextTurn()
    return encoder(await import('gpt-tokenizer/encoding/o200k_base'))
  }
}
const encoders: { [name in Encoding]?: Promise<Count> } = {}

function encoder ({ countTokens, setMergeCacheSize }: Tokenizer): Count {
  setMergeCacheSize(0) // its keys are slices, and each would keep a whole conversation in memory
  const options = { disallowedSpecial: new Set<string>() } // text that looks like a control token is text here
  return text => countTokens(text, options)
}

/** Tokens of a text where nobody reported them. Stops early once `limit` is passed, whatever the length of the text. */
export async function countTextTokens (text: string, limit = Infinity, encoding: Encoding = 'cl100k'): Promise<number> {
  return count([text], limit, encoding)
}

/** Tokens of a conversation as a model would be given it. */
export async function countMessageTokens (messages: Message[], limit = Infinity): Promise<number> {
  const around = PER_REPLY + PER_MESSAGE * messages.length
  return around + await count(messages.map(textOf), limit - around, 'cl100k')
}

async function count (texts: string[], limit: number, encoding: Encoding): Promise<number> {
  const countPiece = await (encoders[encoding] ??= ENCODINGS[encoding]().catch((error: unknown) => {
    delete encoders[encoding] // it may be there the next time
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

/** True where not even a token for each byte would be too many: no encoding has more. */
export function surelyFits (messages: Message[], limit: number): boolean {
  let most = PER_REPLY
  for (const message of messages) most += PER_MESSAGE + 3 * textOf(message).length // UTF-8 takes up to 3 bytes for a unit of a string
  return most <= limit
}

export function textOf (message: Message): string {
  return message.role === 'assistant' && message.tool_calls ? message.content + JSON.stringify(message.tool_calls) : message.content
}

/** Where the next piece ends: before a space if one is near, else anywhere that is not inside a character. */
function cut (text: string, start: number): number {
  const end = start + PIECE
  if (end >= text.length) return text.length
  // Within the piece only: a search from here back to the start of a long text would make the whole quadratic.
  const space = text.slice(start, end).lastIndexOf(' ')
  if (space > PIECE / 2) return start + space
  return (text.charCodeAt(end) & 0xFC00) === 0xDC00 ? end - 1 : end
}

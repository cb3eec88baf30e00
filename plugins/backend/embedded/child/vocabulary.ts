import { StringDecoder } from 'node:string_decoder'
import type { LlamaModel, Token } from 'node-llama-cpp'
import { bytesOf } from '../../letters.js'

// The text of a token may depend on this many tokens before it (whether it begins with a space), except in GPT-2's vocabularies.
const RECENT = 4
// A character has at most this many bytes: if it is still incomplete after as many tokens, it is invalid.
const LONGEST = 4

/**
 * Turns the tokens of a model into text. llama.cpp's own function drops the space of " ." and " ," for most vocabularies (not
 * for Qwen's), which changes programs: so this class reads the bytes of the tokens itself where it can.
 */
export class Vocabulary {
  readonly #model: LlamaModel
  readonly #letters: readonly string[] | undefined
  readonly #known = new Map<Token, Buffer | null>()

  constructor (model: LlamaModel) {
    const { model: kind, tokens } = model.fileInfo.metadata.tokenizer?.ggml ?? {}
    this.#model = model
    this.#letters = kind === 'gpt2' ? tokens : undefined
  }

  /** Turns the tokens of one reply into text, in whole characters; with `special`, control tokens as well. */
  reader ({ special = false }: { special?: boolean } = {}): { take: (token: Token) => string, end: () => string } {
    return this.#letters ? this.#byLetters(special) : this.#asPrinted(special)
  }

  #byLetters (special: boolean) {
    const decoder = new StringDecoder('utf8')
    return {
      take: (token: Token) => {
        const bytes = this.#bytesOf(token)
        return bytes ? decoder.write(bytes) : decoder.end() + this.#model.detokenize([token], special)
      },
      end: () => decoder.end()
    }
  }

  #asPrinted (special: boolean) {
    let half: Token[] = []
    let recent: Token[] = []
    const read = () => this.#model.detokenize(half, special, recent)
    return {
      take (token: Token) {
        half.push(token)
        const text = read()
        if (text.endsWith('\uFFFD') && half.length < LONGEST) return ''
        recent = [...recent, ...half].slice(-RECENT)
        half = []
        return text
      },
      end: read
    }
  }

  #bytesOf (token: Token): Buffer | null {
    let bytes = this.#known.get(token)
    if (bytes === undefined) {
      const { normal, userDefined } = this.#model.getTokenAttributes(token)
      const letters = this.#letters?.[token] ?? ''
      bytes = (normal ? bytesOf(letters) : userDefined ? Buffer.from(letters) : undefined) ?? null
      this.#known.set(token, bytes)
    }
    return bytes
  }
}

import { StringDecoder } from 'node:string_decoder'
import type { LlamaModel, Token } from 'node-llama-cpp'
import { bytesOf } from '../../letters.js'

// What tokens of a vocabulary without letters say may depend on so many before them: whether a space is to be added.
const RECENT = 4
// A character has no more bytes, so what is not whole by then never will be.
const LONGEST = 4

/**
 * What the tokens of a model say. llama.cpp's own way drops the space of " ." and " ," unless the vocabulary is exempt
 * (Qwen's is, Llama 3's is not), which moves lines of programs: so letters are read here.
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

  /** Reads the tokens of one reply, in whole characters; `special`: control tokens, too, as they are written. */
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

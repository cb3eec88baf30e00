import type { CL100K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'

// A token is always a part of one word, in the sense of the encoding: " the", "123", "'s", ");\n". Most words of a text occur many
// times, so the count of each word is cached. The encoder alone takes three times as long, mostly for its regular expression.
const MOST_CACHED = 8192
const LONGEST_CACHED = 64

const OTHER = 0
const LETTER = 1
const DIGIT = 2
const BREAK = 3
const BLANK = 4
const FOREIGN = 5 // not ASCII: such words are found by the encoding's own pattern
const END = 6 // the end of the text

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/i.test(character)) return LETTER
  if (/\d/.test(character)) return DIGIT
  if (/[\r\n]/.test(character)) return BREAK
  return /\s/.test(character) ? BLANK : OTHER
})

/** Counts the tokens of cl100k word by word, and caches the encoder's count of each word. */
export class WordCounts {
  readonly #encode: (word: string) => number
  readonly #pattern: RegExp
  readonly #counts = new Map<string, number>()

  constructor (encode: (word: string) => number, pattern: typeof CL100K_TOKEN_SPLIT_REGEX) {
    this.#encode = encode
    this.#pattern = new RegExp(pattern.source, 'uy')
  }

  count (text: string): number {
    let total = 0
    for (let start = 0; start < text.length;) {
      const end = asciiWordEnd(text, start) ?? this.#wordEnd(text, start)
      total += this.#tokens(text.slice(start, end))
      start = end
    }
    return total
  }

  #wordEnd (text: string, start: number): number {
    this.#pattern.lastIndex = start
    return this.#pattern.test(text) ? this.#pattern.lastIndex : start + 1
  }

  #tokens (word: string): number {
    const known = this.#counts.get(word)
    if (known !== undefined) return known
    const count = this.#encode(word)
    if (word.length <= LONGEST_CACHED) {
      if (this.#counts.size >= MOST_CACHED) this.#counts.clear()
      this.#counts.set(copy(word), count)
    }
    return count
  }
}

/** A copy of a slice: the slice itself as a key would keep the whole text in memory. */
function copy (slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

/** The end of the word that begins here, by the same rules as the pattern; undefined if a character beside it is not ASCII. */
function asciiWordEnd (text: string, start: number): number | undefined {
  const kind = kindAt(text, start)
  if (kind === FOREIGN) return undefined
  if (kind === DIGIT) return within(text, skip(text, start, DIGIT, start + 3), start + 3)
  if (kind === LETTER) return within(text, skip(text, start, LETTER))
  if (kind !== BREAK) {
    const short = contractionEnd(text, start)
    if (short !== undefined) return short
    const next = kindAt(text, start + 1)
    if (next === FOREIGN) return undefined
    if (next === LETTER) return within(text, skip(text, start + 1, LETTER))
    if (kind === OTHER || (next === OTHER && text[start] === ' ')) return signsEnd(text, start + 1)
  }
  return blankEnd(text, start)
}

/** 's, 'd, 'm, 't, 'll, 've and 're are words. */
function contractionEnd (text: string, start: number): number | undefined {
  if (text[start] !== "'") return undefined
  const letters = text.slice(start + 1, start + 3).toLowerCase()
  if (/^[sdmt]/.test(letters)) return start + 2
  return letters === 'll' || letters === 've' || letters === 're' ? start + 3 : undefined
}

function signsEnd (text: string, start: number): number | undefined {
  const end = skip(text, start, OTHER)
  return kindAt(text, end) === FOREIGN ? undefined : skip(text, end, BREAK)
}

/**
 * The end of white space: at the end of the text all of it is one word, otherwise the part up to its last line break, otherwise all
 * but its last blank, which belongs to the next word.
 */
function blankEnd (text: string, start: number): number | undefined {
  let end = start
  let lineEnd = 0
  let kind = kindAt(text, start)
  for (; kind === BLANK || kind === BREAK; kind = kindAt(text, end)) {
    end++
    if (kind === BREAK) lineEnd = end
  }
  if (kind === FOREIGN) return undefined
  if (kind === END) return end
  return lineEnd || Math.max(end - 1, start + 1)
}

function skip (text: string, start: number, kind: number, limit = text.length): number {
  let end = start
  while (end < limit && kindAt(text, end) === kind) end++
  return end
}

/** The end, unless the character there is not ASCII and may belong to the word. */
function within (text: string, end: number, limit = Infinity): number | undefined {
  return end < limit && kindAt(text, end) === FOREIGN ? undefined : end
}

function kindAt (text: string, at: number): number {
  return at < text.length ? KINDS[text.charCodeAt(at)] ?? FOREIGN : END
}

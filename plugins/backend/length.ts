import { BackendEndless, BackendGarbled } from './errors.js'

const MIB = 1024 * 1024

/** Characters of a reply that no model writes unless something is wrong, whatever little was asked for. */
const LEAST = MIB
/** Nobody reads more, and to parse or to count it would keep others waiting. */
const MOST = 8 * MIB
// Four times a reply of `max_tokens`, at about four characters a token.
const PER_TOKEN = 16

/** Characters that may come without a word of the reply among them. */
const MOST_BETWEEN = 4 * MIB

/** Characters of a JSON reply, which may write each of its own as six. */
export const MOST_JSON = MOST

/** How many characters a reply may have, the reasoning among them. */
export function mostOf (tokens: number): number {
  return Math.min(Math.max(LEAST, PER_TOKEN * tokens), MOST)
}

/** Measures one reply while it comes, and throws where it has no end. */
export class Length {
  readonly #where: string
  readonly #most: number
  #said = 0
  #between = 0

  constructor (where: string, most: number) {
    this.#where = where
    this.#most = most
  }

  /** So many characters were read, whatever they mean. */
  received (characters: number): void {
    this.#between += characters
    if (this.#between > MOST_BETWEEN) throw new BackendGarbled(`${this.#where} sends something without end that is no reply`, 'see whether --backend-url is the address of a chat-completions server, and see its log')
  }

  /** So many of them are the reply's. */
  said (characters: number): void {
    this.#between = 0
    this.#said += characters
    if (this.#said > this.#most) throw endless(this.#where, this.#most)
  }
}

export function endless (where: string, most: number): BackendEndless {
  return new BackendEndless(`${where} does not stop writing: its reply has more than ${most.toLocaleString('en')} characters, far beyond what was asked for`, 'restart the server, or use another model or chat template: this one has lost its end-of-text token')
}

import { BackendEndless, BackendGarbled } from './errors.js'

const MIB = 1024 * 1024

/** A reply may always have this many characters: a longer one means that something is wrong, even if few tokens were requested. */
const LEAST = MIB
/** A reply may never have more: nobody reads it, and parsing and counting it would block other requests. */
const MOST = 8 * MIB
// Four times the length of a reply of `max_tokens`, at about four characters a token.
const PER_TOKEN = 16

/** How many characters may be received without any text of the reply among them. */
const MOST_BETWEEN = 4 * MIB

/** How many characters a reply as one JSON body may have. */
export const MOST_JSON = MOST

/** How many characters a reply may have, its reasoning included. */
export function mostOf (tokens: number): number {
  return Math.min(Math.max(LEAST, PER_TOKEN * tokens), MOST)
}

/** Measures one reply while it is received, and throws if it does not end. */
export class Length {
  readonly #where: string
  readonly #most: number
  #said = 0
  #between = 0

  constructor (where: string, most: number) {
    this.#where = where
    this.#most = most
  }

  /** Call it with the number of characters that were received, of whatever kind. */
  received (characters: number): void {
    this.#between += characters
    if (this.#between <= MOST_BETWEEN) return
    const remedy = 'see whether --backend-url is the address of a chat-completions server, and see its log'
    throw new BackendGarbled(`${this.#where} sends something without end that is no reply`, remedy)
  }

  /** Call it with the number of characters of the reply that they contained. */
  said (characters: number): void {
    this.#between = 0
    this.#said += characters
    if (this.#said > this.#most) throw endless(this.#where, this.#most)
  }
}

export function endless (where: string, most: number): BackendEndless {
  const length = `its reply has more than ${most.toLocaleString('en')} characters, far beyond what was asked for`
  const remedy = 'restart the server, or use another model or chat template: this one has lost its end-of-text token'
  return new BackendEndless(`${where} does not stop writing: ${length}`, remedy)
}

// Far beyond any model's output, below what would endanger the process.
const MAX_REPLY = 32 * 1024 * 1024

/** The text of a reply as it grows: no piece ends in the middle of a character, and the whole of it is bounded. */
export class ReplyText {
  #half = '' // the first half of a character whose second half is in the next fragment
  #length = 0

  /** What of it can be sent now; empty where that is nothing. */
  push (fragment: string): string {
    const text = this.#half === '' ? fragment : this.#half + fragment
    if (text === '') return ''
    this.grow(fragment.length)
    const isCut = (text.charCodeAt(text.length - 1) & 0xFC00) === 0xD800
    this.#half = isCut ? text.slice(-1) : ''
    return wellFormed(isCut ? text.slice(0, -1) : text)
  }

  /** What is left when no more comes. */
  end (): string {
    return wellFormed(this.#half)
  }

  /** Counts what belongs to the reply and is not text. */
  grow (length: number): void {
    this.#length += length
    if (this.#length > MAX_REPLY) throw new RangeError(`the reply grew past ${MAX_REPLY / 1024 / 1024} million characters`)
  }
}

/** A lone half of a character cannot be written as UTF-8, and Python clients fail on its escape. */
export function wellFormed (text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

// Longer than any model's output, and short enough not to exhaust the memory of the process.
const MAX_REPLY = 32 * 1024 * 1024

/** The text of a reply as it grows: no piece that is sent ends in the middle of a character, and the whole length is bounded. */
export class ReplyText {
  #half = '' // the first half of a surrogate pair whose second half is in the next fragment
  #length = 0

  /** Takes a fragment, and returns the text that can be sent now, which may be empty. */
  push (fragment: string): string {
    const text = this.#half === '' ? fragment : this.#half + fragment
    if (text === '') return ''
    this.grow(fragment.length)
    const isCut = (text.charCodeAt(text.length - 1) & 0xFC00) === 0xD800
    this.#half = isCut ? text.slice(-1) : ''
    return wellFormed(isCut ? text.slice(0, -1) : text)
  }

  /** The text that is left at the end of the reply. */
  end (): string {
    return wellFormed(this.#half)
  }

  /** Adds to the length of the reply, also for parts that are not text, such as tool calls. */
  grow (length: number): void {
    this.#length += length
    if (this.#length > MAX_REPLY) throw new RangeError(`the reply grew past ${MAX_REPLY / 1024 / 1024} million characters`)
  }
}

/** The text without lone halves of surrogate pairs, which cannot be written as UTF-8: Python clients fail on their escapes. */
export function wellFormed (text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

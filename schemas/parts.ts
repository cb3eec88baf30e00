import { InvalidRequest } from './errors.js'

// Parts of a message without text. They are not refused, because clients repeat them in each later request of the conversation.
const KINDS: readonly [word: string, name: string][] = [['image', 'an image'], ['audio', 'a recording'], ['file', 'a file']]

/** Reads the texts of one request, and replaces the parts that have no text. */
export class Texts {
  #hasText = false
  #hasStandIns = false

  add (text: string): string {
    if (text !== '') this.#hasText = true
    return text
  }

  /** The line that replaces a part of this type; undefined if the type is not known. */
  standIn (type: string): string | undefined {
    const kind = KINDS.find(([word]) => [word, `input_${word}`, `${word}_url`].includes(type))
    if (!kind) return undefined
    this.#hasStandIns = true
    return `\n[${kind[1]} that cannot be read here]\n`
  }

  /** Throws if the request has no text beside these lines. */
  check (field: string): void {
    if (!this.#hasStandIns || this.#hasText) return
    throw new InvalidRequest(`${field} must hold a text: images, recordings and files are left out, as they cannot be read here`)
  }
}

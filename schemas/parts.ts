import { InvalidRequest } from './errors.js'

// Parts of a message that hold no text. Were they refused, a chat would be dead: each later request brings them again.
const KINDS: readonly [word: string, name: string][] = [['image', 'an image'], ['audio', 'a recording'], ['file', 'a file']]

/** The texts of one request, and what stands in for parts that hold none. */
export class Texts {
  #hasText = false
  #hasStandIns = false

  take (text: string): string {
    if (text !== '') this.#hasText = true
    return text
  }

  /** A line in the place of a part; undefined where its type is not known. */
  standIn (type: string): string | undefined {
    const kind = KINDS.find(([word]) => [word, `input_${word}`, `${word}_url`].includes(type))
    if (!kind) return undefined
    this.#hasStandIns = true
    return `\n[${kind[1]} that cannot be read here]\n`
  }

  /** Throws where nothing else is left of the field. */
  check (field: string): void {
    if (!this.#hasStandIns || this.#hasText) return
    throw new InvalidRequest(`${field} must hold a text: images, recordings and files are left out, as they cannot be read here`)
  }
}

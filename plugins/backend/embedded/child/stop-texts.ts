import { held } from '../../reasoning.js'

/** Ends a reply before the first of some texts, even if that text comes in pieces. */
export class StopTexts {
  readonly #texts: string[]
  #held = ''
  #isReached = false

  constructor (texts: readonly string[]) {
    this.#texts = texts.filter(text => text !== '')
  }

  get isReached (): boolean { return this.#isReached }

  /** Takes a piece of the reply, and returns the text that can be shown now. */
  take (text: string): string {
    if (this.#isReached) return ''
    if (this.#texts.length === 0) return text
    const all = this.#held + text
    const at = this.#texts.map(stop => all.indexOf(stop)).filter(at => at >= 0)
    if (at.length > 0) {
      this.#isReached = true
      this.#held = ''
      return all.slice(0, Math.min(...at))
    }
    const length = Math.max(...this.#texts.map(stop => held(all, stop)))
    this.#held = all.slice(all.length - length)
    return all.slice(0, all.length - length)
  }

  /** Call it when the reply has ended by itself; returns the text that was held back. */
  end (): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }
}

export interface Part { type: 'fragment' | 'reasoning', text: string }

const OPEN = '<think>'
const CLOSE = '</think>'

/** Separates the reply from the reasoning before it. A <think> tag anywhere else is text: programs may contain one. */
export class Reasoning {
  #state: 'before' | 'inside' | 'gap' | 'after'
  #held = ''
  #hasBegun = false // the reasoning, after the white space before it

  constructor (isOpen: boolean) {
    this.#state = isOpen ? 'inside' : 'before'
  }

  get isOpen (): boolean { return this.#state === 'inside' }

  /** The reasoning is over: from now on, all text is the reply itself. */
  get isOver (): boolean { return this.#state === 'gap' || this.#state === 'after' }

  take (text: string): Part[] {
    if (this.#state === 'after') return [{ type: 'fragment', text }]
    if (this.#state === 'gap') return this.#begin(text)
    this.#held += text
    if (this.#state === 'before') {
      const start = this.#held.trimStart()
      if (start.length < OPEN.length && OPEN.startsWith(start)) return []
      this.#state = start.startsWith(OPEN) ? 'inside' : 'after'
      if (this.#state === 'after') return this.#rest('fragment')
      this.#held = start.slice(OPEN.length)
    }
    if (!this.#hasBegun) {
      this.#held = this.#held.trimStart()
      if (OPEN.startsWith(this.#held)) return [] // a model may repeat the opening tag that is in the prompt already
      if (this.#held.startsWith(OPEN)) this.#held = this.#held.slice(OPEN.length).trimStart()
      if (this.#held === '') return []
      this.#hasBegun = true
    }
    const end = this.#held.indexOf(CLOSE)
    if (end < 0) return this.#reasoning(this.#held.length - held(this.#held, CLOSE))
    const parts = this.#reasoning(end)
    const rest = this.#held.slice(CLOSE.length)
    this.#state = 'gap'
    this.#held = ''
    return [...parts, ...this.#begin(rest)]
  }

  /** The text that was held back because it might have been a tag. */
  end (): Part[] {
    return this.#rest(this.#state === 'inside' ? 'reasoning' : 'fragment')
  }

  /** Drops the white space between reasoning and reply. */
  #begin (text: string): Part[] {
    const start = text.trimStart()
    if (start === '') return []
    this.#state = 'after'
    return [{ type: 'fragment', text: start }]
  }

  #reasoning (length: number): Part[] {
    const text = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return text === '' ? [] : [{ type: 'reasoning', text }]
  }

  #rest (type: Part['type']): Part[] {
    const text = this.#held
    this.#held = ''
    return text === '' ? [] : [{ type, text }]
  }
}

/** Whether a reply contains only the closing tag, because the opening one was in the prompt: on a line of its own, outside of code. */
export function endsUnopened (reply: string): boolean {
  let at = reply.indexOf(CLOSE)
  while (at >= 0 && !isLine(reply, at, at + CLOSE.length)) at = reply.indexOf(CLOSE, at + CLOSE.length)
  const before = reply.slice(0, Math.max(at, 0))
  return at >= 0 && !before.includes(OPEN) && before.split('```').length % 2 === 1
}

const LINE_ENDS = [undefined, '\n', '\r', '\u2028', '\u2029']

/** Whether a part of a text is alone on its line, except for blanks. */
function isLine (text: string, start: number, end: number): boolean {
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--
  while (text[end] === ' ' || text[end] === '\t') end++
  return LINE_ENDS.includes(text[start - 1]) && LINE_ENDS.includes(text[end])
}

/** How many characters at the end of a text may be the beginning of another one. */
export function held (text: string, of: string): number {
  for (let length = Math.min(of.length - 1, text.length); length > 0; length--) {
    if (of.startsWith(text.slice(text.length - length))) return length
  }
  return 0
}

import type { Profile } from '../languages/profile.js'

// Parses literals of Python and TypeScript into trees: to read the arguments of examples, and to make variations of them.

export type Literal =
  | { type: 'number' | 'text' | 'word', source: string }
  | { type: 'group', open: string, close: string, items: Literal[] }
  | { type: 'pair', separator: string, key: Literal, value: Literal }

const CLOSERS: Record<string, string> = { '[': ']', '(': ')', '{': '}' }
// eslint-disable-next-line regexp/no-super-linear-move -- sticky: it is tried at one place and moves nowhere
const TOKEN = new RegExp(`\\s*(?:${[
  String.raw`(-?(?:\d[\d_]*(?:\.\d+|\.(?=\s*[,)\]}]))?|\.\d+)(?:[eE][+-]?\d+)?n?)`,
  String.raw`([rbu]?'(?:[^'\\\n]|\\.)*'|[rbu]?"(?:[^"\\\n]|\\.)*")`,
  String.raw`((?:True|False|None|true|false|null|undefined|NaN|Infinity)\b|set\(\)|[A-Za-z_$][\w$]*(?=\s*[:=]))`,
  String.raw`([[({])`,
  String.raw`([\])}])`,
  '(,)',
  '(:|=(?!=))'
].join('|')})`, 'y')

/** Parses `f([1, 2], k='x')` into name and arguments; undefined if an argument is no literal. */
export function callOf (expression: string): { name: string, args: Literal[] } | undefined {
  const match = /^\s*([A-Za-z_$][\w$]*)\s*\(/.exec(expression)
  if (!match?.[1]) return undefined
  const reader = new Reader(expression, match[0].length)
  const args = reader.list(')')
  return args && reader.atEnd ? { name: match[1], args } : undefined
}

/** The literal that begins at an index, and the index after it. */
export function literalAt (text: string, at: number): { literal: Literal, end: number } | undefined {
  const reader = new Reader(text, at)
  const literal = reader.value()
  return literal && { literal, end: reader.at }
}

class Reader {
  #depth = 0

  constructor (private readonly text: string, public at: number) {}

  get atEnd (): boolean {
    return this.text.slice(this.at).trim() === ''
  }

  list (close: string): Literal[] | undefined {
    const items: Literal[] = []
    for (;;) {
      if (this.#skip(close)) return items
      const item = this.#item()
      if (!item) return undefined
      items.push(item)
      if (!this.#skip(',') && !this.#next(close)) return undefined
    }
  }

  #item (): Literal | undefined {
    const value = this.value()
    const separator = value && this.#separator()
    if (!value || separator === undefined) return value
    const right = this.value()
    return right && { type: 'pair', separator, key: value, value: right }
  }

  value (): Literal | undefined {
    const token = this.#token()
    if (!token) return undefined
    const [all, number, text, word, open] = token
    if (open !== undefined) {
      if (++this.#depth > 30) return undefined
      const close = CLOSERS[open] ?? ''
      this.at += all.length
      const items = this.list(close)
      this.#depth--
      return items && { type: 'group', open, close, items }
    }
    const source = number ?? text ?? word
    if (source === undefined) return undefined
    this.at += all.length
    return { type: number !== undefined ? 'number' : text !== undefined ? 'text' : 'word', source }
  }

  #separator (): string | undefined {
    const token = this.#token()
    if (token?.[7] === undefined) return undefined
    this.at += token[0].length
    return token[7]
  }

  #next (mark: string): boolean {
    const token = this.#token()
    return (token?.[5] ?? token?.[6]) === mark
  }

  #skip (mark: string): boolean {
    const token = this.#token()
    if (!token || (token[5] ?? token[6]) !== mark) return false
    this.at += token[0].length
    return true
  }

  #token (): RegExpExecArray | null {
    TOKEN.lastIndex = this.at
    return TOKEN.exec(this.text)
  }
}

export function sourceOf (literal: Literal): string {
  switch (literal.type) {
    case 'group': {
      const inner = literal.items.map(sourceOf).join(', ')
      return `${literal.open}${inner}${literal.open === '(' && literal.items.length === 1 ? ',' : ''}${literal.close}`
    }
    case 'pair': return `${sourceOf(literal.key)}${literal.separator === '=' ? '=' : `${literal.separator} `}${sourceOf(literal.value)}`
    default: return literal.source
  }
}

/** The literal at the beginning of a text, as source of the language, and the text after it. */
export function valueAt (text: string, profile: Profile): { source: string, rest: string } | undefined {
  const found = literalAt(text, 0)
  const source = found && translated(found.literal, profile)
  return source === undefined || !found ? undefined : { source, rest: text.slice(found.end) }
}

/** The value, if a text is a literal and nothing else, except for a remark after it. */
export function wholeValue (text: string, profile: Profile): string | undefined {
  const value = valueAt(plain(text), profile)
  return value && /^[\s.;,)`]*(?:$|[(#]|\/\/|--|—|–)/.test(value.rest) ? value.source : undefined
}

export function plain (text: string): string {
  return text
    .trim()
    .replace(/^[`*_>-]+\s*(?=\S)/, match => match.includes('-') && !match.includes(' ') ? match : '')
    .replaceAll('`', '')
    .trim()
}

/** A literal as source of the language: `null` becomes `None`, for example. */
export function translated (literal: Literal, profile: Profile): string | undefined {
  const inner = translate(literal, profile)
  return inner && sourceOf(inner)
}

function translate (literal: Literal, profile: Profile): Literal | undefined {
  switch (literal.type) {
    case 'number': return { ...literal, source: profile.number(literal.source) }
    case 'text': return { ...literal, source: profile.text(literal.source) }
    case 'word': {
      const source = profile.word(literal.source)
      return source === undefined ? undefined : { ...literal, source }
    }
    case 'pair': {
      const value = translate(literal.value, profile)
      const key = literal.key.type === 'word' && literal.separator === ':'
        ? { type: 'text' as const, source: profile.keyOf(literal.key.source) }
        : literal.key
      return value && { ...literal, key, value }
    }
    case 'group': {
      const items = literal.items.map(item => translate(item, profile))
      if (!items.every(item => item !== undefined)) return undefined
      return !profile.hasTuples && literal.open === '(' ? { ...literal, open: '[', close: ']', items } : { ...literal, items }
    }
  }
}

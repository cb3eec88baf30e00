import type { Language } from '../../types.js'
import { type Literal, literalAt, sourceOf } from '../literals.js'

const WORDS: Record<Language, Record<string, string>> = {
  python: { true: 'True', false: 'False', null: 'None', undefined: 'None', NaN: "float('nan')", Infinity: "float('inf')" },
  typescript: { True: 'true', False: 'false', None: 'null' }
}

/** A literal at the beginning of a text, as source of the language, and what follows it. */
export function valueAt (text: string, language: Language): { source: string, rest: string } | undefined {
  const found = literalAt(text, 0)
  if (!found) return undefined
  const source = translated(found.literal, language)
  return source === undefined ? undefined : { source, rest: text.slice(found.end) }
}

/** Literals are written alike in many languages; what differs is put into the words of the one that is wanted. */
export function translated (literal: Literal, language: Language): string | undefined {
  const inner = translate(literal, language)
  return inner && sourceOf(inner)
}

function translate (literal: Literal, language: Language): Literal | undefined {
  switch (literal.type) {
    case 'number': return language === 'python' ? { ...literal, source: literal.source.replace(/n$/, '') } : literal
    case 'text': return { ...literal, source: language === 'typescript' ? literal.source.replace(/^[rbu](?=['"])/, '') : literal.source }
    case 'word': {
      const word = WORDS[language][literal.source]
      if (word !== undefined) return { ...literal, source: word }
      return /^(?:True|False|None|true|false|null|undefined|NaN|Infinity)$/.test(literal.source) ? literal : undefined
    }
    case 'pair': {
      const value = translate(literal.value, language)
      const key = literal.key.type === 'word' && literal.separator === ':' && language === 'python' ? { type: 'text' as const, source: `'${literal.key.source}'` } : literal.key
      return value && { ...literal, key, value }
    }
    case 'group': {
      const items = literal.items.map(item => translate(item, language))
      if (!items.every(item => item !== undefined)) return undefined
      return language === 'typescript' && literal.open === '(' ? { ...literal, open: '[', close: ']', items } : { ...literal, items }
    }
  }
}

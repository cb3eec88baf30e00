import type { Profile } from '../languages/profile.js'
import type { Literal } from './literals.js'
import { number } from '../draft/comparable.js'

const WORDS: Record<string, string> = { True: '1', true: '1', False: '0', false: '0', None: 'none', null: 'none', undefined: 'none' }

/** The comparable text of a literal's value (see draft/comparable.ts); undefined if the literal must be evaluated first. */
export function printLiteral (literal: Literal, profile: Profile): string | undefined {
  switch (literal.type) {
    case 'number':
      return literal.source.endsWith('n') || /^-?0\d/.test(literal.source) ? undefined : numberOf(literal.source.replaceAll('_', ''))
    case 'word': return WORDS[literal.source]
    case 'text': return textOf(literal.source)
    case 'pair': return undefined
    case 'group': return groupOf(literal, profile)
  }
}

// Integers with 16 digits or more are not converted here: JavaScript's numbers would lose digits.
function numberOf (source: string): string | undefined {
  if (/^-?\d+$/.test(source)) return source.length < 16 ? String(Number(source) + 0) : undefined
  return number(source)
}

function textOf (source: string): string | undefined {
  const inner = /^(['"])((?:(?!\1)[^\\\n])*)\1$/s.exec(source)?.[2]
  return inner === undefined ? undefined : JSON.stringify(inner)
}

function groupOf ({ open, items }: Literal & { type: 'group' }, profile: Profile): string | undefined {
  if (open === '{') return entriesOf(items, profile)
  const inner = items.map(item => printLiteral(item, profile))
  if (!inner.every(item => item !== undefined)) return undefined
  if (open === '[') return `[${inner.join(',')}]`
  return profile.hasTuples && items.length !== 1 ? `(${inner.join(',')})` : undefined
}

function entriesOf (items: readonly Literal[], profile: Profile): string | undefined {
  const entries = items.map(item => {
    if (item.type !== 'pair' || item.separator !== ':') return undefined
    const key = item.key.type === 'word' && !profile.hasTuples ? JSON.stringify(item.key.source) : printLiteral(item.key, profile)
    const value = printLiteral(item.value, profile)
    return key === undefined || value === undefined ? undefined : `${key}:${value}`
  })
  return entries.every(entry => entry !== undefined) ? `{${entries.sort().join(',')}}` : undefined
}

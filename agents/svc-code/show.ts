import type { Language, Value } from '../types.js'

/** A value as a person would write it in the language. */
export function show (value: Value, language: Language): string {
  const python = language === 'python'
  const list = (items: readonly Value[]) => items.map(item => show(item, language)).join(', ')
  const pairs = (entries: readonly [Value, Value][], sign: string) => entries.map(([key, item]) => `${show(key, language)}${sign}${show(item, language)}`).join(', ')
  switch (value.type) {
    case 'none': return python ? 'None' : 'null'
    case 'undefined': return 'undefined'
    case 'cycle':
    case 'cut': return '...'
    case 'bool': return python ? (value.value ? 'True' : 'False') : String(value.value)
    case 'int':
    case 'float':
    case 'number': return value.value
    case 'bigint': return `${value.value}n`
    case 'str': return quote(value.value, python ? "'" : '"')
    case 'bytes': return python ? `bytes.fromhex('${value.value}')` : `<bytes ${value.value}>`
    case 'symbol': return `Symbol(${value.value})`
    case 'list':
    case 'array': return `[${list(value.items)}]`
    case 'tuple': return `(${list(value.items)}${value.items.length === 1 ? ',' : ''})`
    case 'set': return python ? (value.items.length === 0 ? 'set()' : `{${list(value.items)}}`) : `new Set([${list(value.items)}])`
    case 'frozenset': return `frozenset({${list(value.items)}})`
    case 'dict': return `{${pairs(value.entries, ': ')}}`
    case 'map': return `new Map([${value.entries.map(([key, item]) => `[${show(key, language)}, ${show(item, language)}]`).join(', ')}])`
    case 'record': return `{ ${value.entries.map(([key, item]) => `${key.type === 'str' && /^[A-Za-z_$][\w$]*$/.test(key.value) ? key.value : show(key, language)}: ${show(item, language)}`).join(', ')} }`
    case 'object': return value.text
  }
}

function quote (text: string, mark: string): string {
  const inner = JSON.stringify(text).slice(1, -1)
  return mark === '"' ? `"${inner}"` : `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

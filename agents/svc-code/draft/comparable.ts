// Calls and values as texts that can be compared: equal texts mean equal calls or values.
import type { Call, Value } from '../../types.js'

export function keyOf (call: Call): string {
  return call.setup === undefined ? call.expression : `${call.setup}\n${call.expression}`
}

/** The comparable text of a value: floats are rounded to nine digits, sets and dictionaries are sorted. */
export function print (value: Value): string {
  switch (value.type) {
    case 'none':
    case 'undefined': return 'none'
    case 'cycle':
    case 'cut': return value.type
    case 'bool': return value.value ? '1' : '0'
    case 'int':
    case 'bigint': return value.value
    case 'float':
    case 'number': return number(value.value)
    case 'str':
    case 'bytes':
    case 'symbol': return JSON.stringify(value.value)
    case 'list':
    case 'array': return `[${value.items.map(print).join(',')}]`
    case 'tuple': return `(${value.items.map(print).join(',')})`
    case 'set':
    case 'frozenset': return `{${value.items.map(print).sort().join(',')}}`
    case 'dict':
    case 'map':
    case 'record': return `{${entries(value.entries)}}`
    case 'object':
      return value.entries.length > 0
        ? `${value.name}{${entries(value.entries)}}`
        : `${value.name} ${value.text.replace(/0x[0-9a-f]+/g, '')}`
  }
}

function entries (list: readonly [Value, Value][]): string {
  return list.map(([key, value]) => `${print(key)}:${print(value)}`).sort().join(',')
}

export function number (text: string): string {
  const value = Number(text)
  return Number.isFinite(value) && text.trim() !== '' ? String(Number(value.toPrecision(9)) + 0) : text
}

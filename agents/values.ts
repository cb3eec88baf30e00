import type { Language, Value } from './types.js'

// Values of a program as data: whether two of them are equal, and how one is shown.

export interface EqualOptions {
  language: Language
  /** How much two floating-point numbers may differ, relative to the larger of them and 1. */
  tolerance?: number
}

/**
 * Python's `==`, or JavaScript's deep strict equality, except that a nan equals a nan, because the question is whether two results
 * are the same. A value that was cut equals nothing.
 */
export function equal (left: Value, right: Value, { language, tolerance = 0 }: EqualOptions): boolean {
  const keys = KEYS[language]
  const key = keyOf(left, keys)
  if (key !== undefined && key === keyOf(right, keys)) return true
  return tolerance > 0 && isClose(left, right, keys, tolerance)
}

/** The value as the language would write it, as far as possible. */
export function show (value: Value, language: Language): string {
  return language === 'python' ? showPython(value) : showTypeScript(value)
}

/** Per language: the type and the text of a number that decide equality. */
interface Keys {
  type: (type: Value['type']) => string
  number: (value: { type: Value['type'], value: string | boolean }) => string
}

const KEYS: Record<Language, Keys> = {
  // True == 1 == 1.0, and a frozenset equals its set.
  python: {
    type: type => type === 'frozenset' ? 'set' : type,
    number: ({ type, value }) => {
      if (typeof value === 'boolean') return value ? '1' : '0'
      if (type === 'int') return BigInt(value).toString()
      const number = numberOf(value)
      return Number.isInteger(number) ? BigInt(number).toString() : String(number) // -0.0 == 0
    }
  },
  typescript: { type: type => type, number: ({ type, value }) => `${type}:${String(value)}` }
}

const NUMERIC = new Set<Value['type']>(['bool', 'int', 'float', 'number', 'bigint'])

/** A text that is the same for equal values, so that sets and dicts can be sorted by it. Undefined for a value that was cut. */
function keyOf (value: Value, keys: Keys): string | undefined {
  switch (value.type) {
    case 'cut': return undefined
    case 'none':
    case 'undefined':
    case 'cycle': return value.type
    case 'bool':
    case 'int':
    case 'float':
    case 'number':
    case 'bigint': return keys.number(value)
    case 'str':
    case 'bytes':
    case 'symbol': return `${value.type}${JSON.stringify(value.value)}`
    case 'list':
    case 'tuple':
    case 'array': return joined(value.type, value.items.map(item => keyOf(item, keys)))
    case 'set':
    case 'frozenset': return joined(keys.type(value.type), sorted(value.items.map(item => keyOf(item, keys))))
    case 'dict':
    case 'map':
    case 'record': return joined(value.type, sorted(value.entries.map(entry => pairKey(entry, keys))))
    case 'object': {
      const identity = JSON.stringify([value.name, withoutAddress(value.text)])
      return joined(`object ${identity}`, sorted(value.entries.map(entry => pairKey(entry, keys))))
    }
  }
}

function pairKey ([key, value]: [Value, Value], keys: Keys): string | undefined {
  return joined('', [keyOf(key, keys), keyOf(value, keys)])
}

function joined (name: string, parts: (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : `${name}(${parts.join(',')})`
}

function sorted (parts: (string | undefined)[]): (string | undefined)[] {
  return parts.includes(undefined) ? [undefined] : parts.sort()
}

// The address in `<Foo object at 0x7f...>` is not part of the value.
function withoutAddress (text: string): string {
  return text.replace(/ at 0x[\da-f]+/gi, '')
}

// In larger sets, the search for a close partner of each item would take too long.
const MAX_SEARCH = 200

function isClose (left: Value, right: Value, keys: Keys, tolerance: number): boolean {
  if (NUMERIC.has(left.type) && NUMERIC.has(right.type) && 'value' in left && 'value' in right) {
    if (keys.number(left) === keys.number(right)) return true
    if (![left, right].some(({ type }) => type === 'float' || type === 'number')) return false
    const [a, b] = [Number(numberOf(left.value)), Number(numberOf(right.value))]
    return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b))
  }
  if (keys.type(left.type) !== keys.type(right.type)) return false
  if ('items' in left && 'items' in right) {
    if (left.items.length !== right.items.length) return false
    const near = (a: Value, b: Value) => isClose(a, b, keys, tolerance)
    if (keys.type(left.type) !== 'set') return left.items.every((item, index) => near(item, right.items[index] ?? CUT))
    return left.items.length <= MAX_SEARCH && pairsUp(left.items, right.items, near)
  }
  if ('entries' in left && 'entries' in right) {
    if (left.type === 'object' && right.type === 'object' && left.name !== right.name) return false
    if (left.entries.length !== right.entries.length) return false
    const others = new Map(right.entries.map(([key, value]) => [keyOf(key, keys), value]))
    return left.entries.every(([key, value]) => {
      const name = keyOf(key, keys)
      return name !== undefined && isClose(value, others.get(name) ?? CUT, keys, tolerance)
    })
  }
  const key = keyOf(left, keys)
  return key !== undefined && key === keyOf(right, keys)
}

const CUT: Value = { type: 'cut' }

function pairsUp (left: Value[], right: Value[], near: (a: Value, b: Value) => boolean): boolean {
  const rest = [...right]
  return left.every(item => {
    const index = rest.findIndex(other => near(item, other))
    if (index >= 0) rest.splice(index, 1)
    return index >= 0
  })
}

function numberOf (value: string | boolean): number {
  if (typeof value === 'boolean') return Number(value)
  return Number(value.replace(/inf$/, 'Infinity').replace(/nan$/, 'NaN'))
}

function showPython (value: Value): string {
  const all = (items: Value[]) => items.map(showPython).join(', ')
  switch (value.type) {
    case 'none': return 'None'
    case 'bool': return value.value ? 'True' : 'False'
    case 'float': return /^-?(?:nan|inf)$/.test(value.value) ? `float('${value.value}')` : value.value
    case 'str': return pythonText(value.value)
    case 'bytes': return `b'${value.value.replace(/../g, '\\x$&')}'`
    case 'list': return `[${all(value.items)}]`
    case 'tuple': return value.items.length === 1 ? `(${all(value.items)},)` : `(${all(value.items)})`
    case 'set': return value.items.length === 0 ? 'set()' : `{${all(value.items)}}`
    case 'frozenset': return value.items.length === 0 ? 'frozenset()' : `frozenset({${all(value.items)}})`
    case 'dict': return `{${value.entries.map(([key, item]) => `${showPython(key)}: ${showPython(item)}`).join(', ')}}`
    case 'int': return value.value
    default: return showOther(value, showPython)
  }
}

// Like repr(): in single quotes, unless the text contains one.
function pythonText (text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const inside = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(/\\u00([01][\da-f])/g, '\\x$1')
    .replaceAll('\\b', '\\x08')
    .replaceAll('\\f', '\\x0c')
  return `${quote}${quote === "'" ? inside.replaceAll("'", "\\'") : inside}${quote}`
}

function showTypeScript (value: Value): string {
  const all = (items: Value[]) => items.map(showTypeScript).join(', ')
  switch (value.type) {
    case 'none': return 'null'
    case 'undefined': return 'undefined'
    case 'bool': return String(value.value)
    case 'number': return value.value
    case 'bigint': return `${value.value}n`
    case 'str': return JSON.stringify(value.value)
    case 'array': return `[${all(value.items)}]`
    case 'set': return `new Set([${all(value.items)}])`
    case 'map': return `new Map([${value.entries.map(([key, item]) => `[${showTypeScript(key)}, ${showTypeScript(item)}]`).join(', ')}])`
    case 'record': {
      const fields = value.entries.map(([key, item]) => `${fieldName(key)}: ${showTypeScript(item)}`)
      return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
    }
    default: return showOther(value, showTypeScript)
  }
}

function fieldName (key: Value): string {
  if (key.type === 'str') return /^[A-Za-z_$][\w$]*$/.test(key.value) ? key.value : JSON.stringify(key.value)
  return `[${key.type === 'symbol' ? key.value : showTypeScript(key)}]`
}

function showOther (value: Value, inside: (value: Value) => string): string {
  if (value.type === 'cut') return '...'
  if (value.type === 'cycle') return '<cycle>'
  if (value.type === 'object') {
    if (value.text !== '' && value.text !== value.name) return withoutAddress(value.text)
    const fields = value.entries.map(([key, item]) => `${key.type === 'str' ? key.value : inside(key)}: ${inside(item)}`)
    return `${value.name} { ${fields.join(', ')} }`
  }
  return 'value' in value ? String(value.value) : value.type
}

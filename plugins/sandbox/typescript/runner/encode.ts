import { type Json, List, bool, record, str } from './json.js'
import { getOwnPropertyDescriptor, getPrototypeOf, is, isArray, ownKeys, slice, text, uncurry } from './platform.js'

// A value of the program as data, read without running what the program put in its way where that can be avoided. Whatever
// throws while it is read is shown as cut.

const MAX_DEPTH = 40
// Together less than a frame may have.
const MAX_NODES = 25_000
const MAX_LETTERS = 500_000

const CUT = record({ type: str('cut') })
const CYCLE = record({ type: str('cycle') })
const UNDEFINED = record({ type: str('undefined') })

const mapEach = uncurry(Map.prototype.forEach)
const setEach = uncurry(Set.prototype.forEach)
const mapSize = uncurry(Object.getOwnPropertyDescriptor(Map.prototype, 'size')?.get ?? (() => 0))
const setSize = uncurry(Object.getOwnPropertyDescriptor(Set.prototype, 'size')?.get ?? (() => 0))
const dateTime = uncurry(Date.prototype.getTime)
const isoString = uncurry(Date.prototype.toISOString)
const regexSource = uncurry(RegExp.prototype.toString)
const bufferOf = (view: ArrayBufferView) => view.buffer
const { isView } = ArrayBuffer

interface Budget { nodes: number, letters: number, path: Set<unknown> }

export function encodeValue (value: unknown): Json {
  return guarded(value, 0, { nodes: MAX_NODES, letters: MAX_LETTERS, path: new Set() })
}

function guarded (value: unknown, depth: number, budget: Budget): Json {
  if (--budget.nodes < 0 || depth > MAX_DEPTH) return CUT
  try {
    return encode(value, depth, budget)
  } catch {
    return CUT // a getter or a proxy that throws
  }
}

function encode (value: unknown, depth: number, budget: Budget): Json {
  switch (typeof value) {
    case 'object': return value === null ? record({ type: str('none') }) : seen(value, depth, budget)
    case 'undefined': return UNDEFINED
    case 'boolean': return record({ type: str('bool'), value: bool(value) })
    case 'number': return record({ type: str('number'), value: str(is(value, -0) ? '-0' : text(value)) })
    case 'bigint': return record({ type: str('bigint'), value: str(text(value)) })
    case 'string': return string('str', value, budget)
    case 'symbol': return string('symbol', text(value), budget)
    case 'function': return object(value, `function ${nameOf(value)}`, 'Function', depth, budget)
  }
}

function seen (value: object, depth: number, budget: Budget): Json {
  if (budget.path.has(value)) return CYCLE
  budget.path.add(value)
  try {
    return compound(value, depth, budget)
  } finally {
    budget.path.delete(value)
  }
}

function compound (value: object, depth: number, budget: Budget): Json {
  if (isArray(value)) {
    const items = new List()
    for (let index = 0; index < value.length && budget.nodes >= 0; index++) items.add(guarded(value[index], depth + 1, budget))
    return record({ type: str('array'), items: items.json })
  }
  const prototype: unknown = getPrototypeOf(value)
  if (prototype === Map.prototype && sizeOf(mapSize, value) !== undefined) {
    const entries = new List()
    mapEach(value, (item, key) => entries.add(pair(guarded(key, depth + 1, budget), guarded(item, depth + 1, budget))))
    return record({ type: str('map'), entries: entries.json })
  }
  if (prototype === Set.prototype && sizeOf(setSize, value) !== undefined) {
    const items = new List()
    setEach(value, item => items.add(guarded(item, depth + 1, budget)))
    return record({ type: str('set'), items: items.json })
  }
  if (prototype === Object.prototype || prototype === null) return record({ type: str('record'), entries: fields(value, depth, budget) })
  if (value instanceof Date) return object(value, dateText(value), 'Date', depth, budget)
  if (value instanceof RegExp) return object(value, regexSource(value), 'RegExp', depth, budget)
  if (isView(value)) return view(value, depth, budget)
  if (value instanceof Error) return object(value, `${text(value.name)}: ${text(value.message)}`, classOf(value), depth, budget)
  return object(value, classOf(value), classOf(value), depth, budget)
}

function view (value: ArrayBufferView, depth: number, budget: Budget): Json {
  const name = classOf(value)
  const items = new List()
  if (name !== 'DataView') {
    const list = value as unknown as ArrayLike<unknown>
    for (let index = 0; index < list.length && budget.nodes >= 0; index++) items.add(pair(string('str', text(index), budget), guarded(list[index], depth + 1, budget)))
  } else {
    items.add(pair(string('str', 'bytes', budget), guarded(new Uint8Array(bufferOf(value)), depth + 1, budget)))
  }
  return record({ type: str('object'), name: str(name), entries: items.json, text: str(name) })
}

function object (value: object, shown: string, name: string, depth: number, budget: Budget): Json {
  const own = name === 'Error' || value instanceof Error
    ? errorFields(value, depth, budget)
    : fields(value, depth, budget)
  return record({ type: str('object'), name: str(slice(name, 0, 200)), entries: own, text: str(slice(shown, 0, 2000)) })
}

// An error's name and message are what is compared; its stack is not.
function errorFields (value: object, depth: number, budget: Budget): Json {
  const { name, message } = value as Error
  const entries = new List()
  entries.add(pair(string('str', 'name', budget), guarded(name, depth + 1, budget)))
  entries.add(pair(string('str', 'message', budget), guarded(message, depth + 1, budget)))
  return entries.json
}

function fields (value: object, depth: number, budget: Budget): Json {
  const entries = new List()
  for (const key of ownKeys(value)) {
    if (budget.nodes < 0) break
    const found = getOwnPropertyDescriptor(value, key)
    if (!found?.enumerable) continue
    entries.add(pair(typeof key === 'symbol' ? string('symbol', text(key), budget) : string('str', key, budget), field(value, key, found, depth + 1, budget)))
  }
  return entries.json
}

function field (owner: object, key: PropertyKey, found: PropertyDescriptor, depth: number, budget: Budget): Json {
  if ('value' in found) return guarded(found.value, depth, budget)
  try {
    return guarded((owner as Record<PropertyKey, unknown>)[key], depth, budget)
  } catch {
    return CUT // its getter throws
  }
}

function pair (key: Json, value: Json): Json {
  const both = new List()
  both.add(key)
  both.add(value)
  return both.json
}

function string (type: 'str' | 'symbol', value: string, budget: Budget): Json {
  if (value.length > budget.letters) return CUT
  const quoted = str(value) // escapes make it longer
  budget.letters -= quoted.length
  return budget.letters < 0 ? CUT : record({ type: str(type), value: quoted })
}

function classOf (value: object): string {
  const { constructor } = value as { constructor?: unknown }
  return typeof constructor === 'function' && constructor.name !== '' ? text(constructor.name) : 'Object'
}

function nameOf (value: object): string {
  const name: unknown = getOwnPropertyDescriptor(value, 'name')?.value
  return typeof name === 'string' ? name : ''
}

function dateText (value: Date): string {
  return dateTime(value) === dateTime(value) ? isoString(value) : 'Invalid Date'
}

function sizeOf (read: (value: never) => unknown, value: object): unknown {
  try {
    return read(value as never)
  } catch {
    return undefined // an heir of the prototype alone
  }
}

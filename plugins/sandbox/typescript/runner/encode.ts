// Encodes a value as data: see `Value` in agents/sandbox.ts. It runs as little of the program's code as possible. What throws while it
// is read becomes `cut`.

type Encoded = { type: string } & Record<string, unknown>
type Entry = [key: Encoded, value: Encoded]

const MAX_DEPTH = 40
// All of it fits into one frame.
const MAX_NODES = 25_000
const MAX_LETTERS = 500_000
const MAX_NAME = 200
const MAX_SHOWN = 2000

const CUT: Encoded = { type: 'cut' }

interface Budget { nodes: number, letters: number, path: Set<unknown> }

export function encodeValue (value: unknown): Encoded {
  return guarded(value, 0, { nodes: MAX_NODES, letters: MAX_LETTERS, path: new Set() })
}

function guarded (value: unknown, depth: number, budget: Budget): Encoded {
  if (--budget.nodes < 0 || depth > MAX_DEPTH) return CUT
  try {
    return encode(value, depth, budget)
  } catch {
    return CUT // a getter or a proxy threw
  }
}

function encode (value: unknown, depth: number, budget: Budget): Encoded {
  switch (typeof value) {
    case 'object': return value === null ? { type: 'none' } : acyclic(value, depth, budget)
    case 'undefined': return { type: 'undefined' }
    case 'boolean': return { type: 'bool', value }
    case 'number': return { type: 'number', value: Object.is(value, -0) ? '-0' : String(value) }
    case 'bigint': return { type: 'bigint', value: String(value) }
    case 'string': return text('str', value, budget)
    case 'symbol': return text('symbol', String(value), budget)
    case 'function': return object(value, `function ${ownName(value)}`, 'Function', depth, budget)
  }
}

function acyclic (value: object, depth: number, budget: Budget): Encoded {
  if (budget.path.has(value)) return { type: 'cycle' }
  budget.path.add(value)
  try {
    return compound(value, depth, budget)
  } finally {
    budget.path.delete(value)
  }
}

function compound (value: object, depth: number, budget: Budget): Encoded {
  const inner = (item: unknown) => guarded(item, depth + 1, budget)
  if (Array.isArray(value)) return { type: 'array', items: some(value, inner, budget) }
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object that only inherits from Map.prototype has no size.
  if (prototype === Map.prototype && sizeOf(Map.prototype, value) !== undefined) {
    return { type: 'map', entries: [...value as Map<unknown, unknown>].map(([key, item]) => [inner(key), inner(item)]) }
  }
  if (prototype === Set.prototype && sizeOf(Set.prototype, value) !== undefined) {
    return { type: 'set', items: [...value as Set<unknown>].map(inner) }
  }
  if (prototype === Object.prototype || prototype === null) return { type: 'record', entries: fields(value, depth, budget) }
  if (value instanceof Date) {
    return object(value, Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString(), 'Date', depth, budget)
  }
  if (value instanceof RegExp) return object(value, String(value), 'RegExp', depth, budget)
  if (value instanceof Error) return object(value, `${value.name}: ${value.message}`, classOf(value), depth, budget)
  return object(value, classOf(value), classOf(value), depth, budget)
}

function some (list: ArrayLike<unknown>, inner: (item: unknown) => Encoded, budget: Budget): Encoded[] {
  const items: Encoded[] = []
  for (let index = 0; index < list.length && budget.nodes >= 0; index++) items.push(inner(list[index]))
  return items
}

function object (value: object, shown: string, name: string, depth: number, budget: Budget): Encoded {
  return { type: 'object', name: name.slice(0, MAX_NAME), entries: entriesOf(value, depth, budget), text: shown.slice(0, MAX_SHOWN) }
}

function entriesOf (value: object, depth: number, budget: Budget): Entry[] {
  const entry = (key: string, item: unknown): Entry => [text('str', key, budget), guarded(item, depth + 1, budget)]
  if (value instanceof Error) return [entry('name', value.name), entry('message', value.message)] // its stack is not compared
  if (value instanceof DataView) return [entry('bytes', new Uint8Array(value.buffer))]
  if (!ArrayBuffer.isView(value)) return fields(value, depth, budget)
  const entries: Entry[] = []
  const list = value as unknown as ArrayLike<unknown>
  for (let index = 0; index < list.length && budget.nodes >= 0; index++) entries.push(entry(String(index), list[index]))
  return entries
}

function fields (value: object, depth: number, budget: Budget): Entry[] {
  const entries: Entry[] = []
  for (const key of Reflect.ownKeys(value)) {
    if (budget.nodes < 0) break
    const found = Object.getOwnPropertyDescriptor(value, key)
    if (!found?.enumerable) continue
    const name = typeof key === 'symbol' ? text('symbol', String(key), budget) : text('str', key, budget)
    entries.push([name, field(value, key, depth + 1, budget)])
  }
  return entries
}

function field (owner: object, key: PropertyKey, depth: number, budget: Budget): Encoded {
  try {
    return guarded(Reflect.get(owner, key), depth, budget)
  } catch {
    return CUT // its getter throws
  }
}

function text (type: 'str' | 'symbol', value: string, budget: Budget): Encoded {
  if (value.length > budget.letters) return CUT
  budget.letters -= JSON.stringify(value).length // escapes make it longer
  return budget.letters < 0 ? CUT : { type, value }
}

function classOf (value: object): string {
  const { constructor } = value as { constructor?: unknown }
  return typeof constructor === 'function' && constructor.name !== '' ? String(constructor.name) : 'Object'
}

function ownName (value: object): string {
  const name: unknown = Object.getOwnPropertyDescriptor(value, 'name')?.value
  return typeof name === 'string' ? name : ''
}

function sizeOf (prototype: object, value: object): unknown {
  try {
    return Reflect.get(prototype, 'size', value)
  } catch {
    return undefined
  }
}

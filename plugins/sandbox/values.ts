import type { Value } from '../../agents/types.js'

const MAX_DEPTH = 64
const MAX_NODES = 200_000

const CUT: Value = { type: 'cut' }

/**
 * The value that a runner sent, in the shape that the types promise. A part that is too deep, too long or of another shape becomes
 * `cut`, which equals nothing.
 */
export function decodeValue (sent: unknown): Value {
  return decode(sent, 0, { left: MAX_NODES })
}

function decode (sent: unknown, depth: number, budget: { left: number }): Value {
  if (depth > MAX_DEPTH || --budget.left < 0 || !isRecord(sent)) return CUT
  const { type, value, items, entries } = sent
  switch (type) {
    case 'none':
    case 'undefined':
    case 'cycle':
    case 'cut':
      return { type }
    case 'bool':
      return typeof value === 'boolean' ? { type, value } : CUT
    case 'int':
    case 'bigint':
      return typeof value === 'string' && /^-?\d+$/.test(value) ? { type, value } : CUT
    case 'float':
    case 'number':
      return typeof value === 'string' && isNumeral(value) ? { type, value } : CUT
    case 'bytes':
      return typeof value === 'string' && /^(?:[\da-f]{2})*$/.test(value) ? { type, value } : CUT
    case 'str':
    case 'symbol':
      return typeof value === 'string' ? { type, value } : CUT
    case 'list':
    case 'tuple':
    case 'set':
    case 'frozenset':
    case 'array':
      return Array.isArray(items) ? { type, items: items.map(item => decode(item, depth + 1, budget)) } : CUT
    case 'dict':
    case 'map':
    case 'record':
      return Array.isArray(entries) ? { type, entries: decodeEntries(entries, depth, budget) } : CUT
    case 'object':
      if (typeof sent.name !== 'string' || typeof sent.text !== 'string' || !Array.isArray(entries)) return CUT
      return { type, name: sent.name, entries: decodeEntries(entries, depth, budget), text: sent.text }
    default:
      return CUT
  }
}

function decodeEntries (entries: unknown[], depth: number, budget: { left: number }): [Value, Value][] {
  return entries.map(entry => Array.isArray(entry) && entry.length === 2
    ? [decode(entry[0], depth + 1, budget), decode(entry[1], depth + 1, budget)]
    : [CUT, CUT])
}

function isNumeral (text: string): boolean {
  return /^-?(?:nan|inf|NaN|Infinity|\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.test(text)
}

export function isRecord (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

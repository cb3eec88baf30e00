// What of a value @std/assert's assertObjectMatch compares: the part that the wanted object speaks of, as plain objects.
import { defineProperty, isArray, ownKeys } from '../platform.js'
import { entriesOf, isMap, isObject, isRegExp, isSet, itemsOf } from './std-equal.js'

type Table = Record<PropertyKey, unknown>

export function partOf (found: unknown, wanted: unknown, seen = new Map<unknown, unknown>()): unknown {
  if (!isObject(found) || !isObject(wanted) || isRegExp(found)) return found
  if (seen.get(found) === wanted) return found
  seen.set(found, wanted)
  if (isArray(found) && isArray(wanted)) return Array.from({ length: Math.min(found.length, wanted.length) }, (_, at) => partOf(found[at], (wanted as unknown[])[at], seen))
  if (isMap(found) && isMap(wanted)) {
    const others = new Map(entriesOf(wanted))
    return new Map(entriesOf(found).filter(([key]) => others.has(key)).map(([key, value]) => [key, partOf(value, others.get(key), seen)]))
  }
  if (isSet(found) && isSet(wanted)) {
    const others = new Set(itemsOf(wanted))
    return new Set(itemsOf(found).filter(item => others.has(item)))
  }
  const [own, asked] = [ownKeys(found), new Set(ownKeys(wanted))]
  const shared = own.filter(key => asked.has(key))
  const part: Table = {}
  const put = (key: PropertyKey, value: unknown) => defineProperty(part, key, { value, writable: true, enumerable: true, configurable: true })
  if (shared.length === 0 && asked.size > 0) for (const key of own) put(key, found[key])
  for (const key of shared) put(key, partOf(found[key], wanted[key], seen))
  return part
}

// What @std/assert calls equal. The code under test is in the same realm, and may override methods of what it gives: all that
// looks into a value was taken before that code came.
import { Bytes, Failure, getOwnPropertyDescriptor, getPrototypeOf, is, ownKeys, uncurry } from '../platform.js'

type Table = Record<PropertyKey, unknown>

const getterOf = (prototype: object, name: string) => uncurry(getOwnPropertyDescriptor(prototype, name)?.get ?? (() => undefined))
// By what it inherits first: to ask a value that is of another kind throws, which takes long.
const isOf = ({ prototype }: { prototype: object }, read: (value: object) => unknown) => (value: object): boolean => {
  if (!inherits(value, prototype)) return false
  try {
    read(value)
    return true
  } catch {
    return false // of another kind, whatever its prototype says
  }
}

function inherits (value: object, prototype: object): boolean {
  for (let at = getPrototypeOf(value); at !== null; at = getPrototypeOf(at)) if (at === prototype) return true
  return false
}

const time: (date: object) => number = uncurry<object, [], number>(Date.prototype.getTime)
const mapSize = getterOf(Map.prototype, 'size')
const setSize = getterOf(Set.prototype, 'size')
const eachOfMap = uncurry(Map.prototype.forEach) as (map: object, each: (value: unknown, key: unknown) => void) => void
const eachOfSet = uncurry(Set.prototype.forEach) as (set: object, each: (value: unknown) => void) => void
const Typed = getPrototypeOf(Bytes) as unknown as { prototype: object }
const typedName = getterOf(Typed.prototype, Symbol.toStringTag as unknown as string)
const typedLength = getterOf(Typed.prototype, 'length') as (value: object) => number
const bufferSize = getterOf(ArrayBuffer.prototype, 'byteLength')
const deref = uncurry(WeakRef.prototype.deref) as (ref: object) => unknown
const { prototype: anyError } = Failure
const [ofObject, ofArray] = [Object.prototype, Array.prototype]

export const isMap = isOf(Map, mapSize)
export const isSet = isOf(Set, setSize)
const isDate = isOf(Date, time)
const isBuffer = isOf(ArrayBuffer, bufferSize) as (value: object) => value is Table & ArrayBuffer
const weakMapHas = uncurry(WeakMap.prototype.has) as (map: object, key: object) => boolean
const weakSetHas = uncurry(WeakSet.prototype.has) as (set: object, item: object) => boolean
const isWeakMap = isOf(WeakMap, value => weakMapHas(value, {}))
const isWeakSet = isOf(WeakSet, value => weakSetHas(value, {}))
const isRef = isOf(WeakRef, deref)

// These are as they print.
const { Temporal = {} } = globalThis as { Temporal?: Table }
const printed = new Map<object, (value: object) => unknown>()
for (const made of [RegExp, URL, URLSearchParams, Intl.Locale, ...ownKeys(Temporal).map(name => Temporal[name])]) {
  const { prototype } = typeof made === 'function' ? made as { prototype?: { toString?: unknown } } : {}
  if (typeof prototype?.toString === 'function') printed.set(prototype, uncurry(prototype.toString as (this: object) => unknown))
}

export const isRegExp = (value: unknown): boolean => value instanceof RegExp
export const isObject = (value: unknown): value is Table => typeof value === 'object' && value !== null

export function entriesOf (map: object): [key: unknown, value: unknown][] {
  const entries: [unknown, unknown][] = []
  eachOfMap(map, (value, key) => { entries.push([key, value]) })
  return entries
}

export function itemsOf (set: object): unknown[] {
  const items: unknown[] = []
  eachOfSet(set, item => { items.push(item) })
  return items
}

export function equal (a: unknown, b: unknown): boolean {
  return compare(a, b, new Map())
}

function compare (a: unknown, b: unknown, seen: Map<object, object>): boolean {
  if (a === b || is(a, b)) return true
  if (!isObject(a) || !isObject(b)) return false
  const prototype = getPrototypeOf(a)
  if (!areAlike(prototype, getPrototypeOf(b))) return false
  const isBasic = prototype === null || prototype === ofObject || prototype === ofArray
  const special = isBasic ? undefined : compareSpecial(a, b)
  if (special !== undefined) return special
  if (seen.get(a) === b) return true
  const [own, others] = [enumerable(a), enumerable(b)]
  if (own.filter(isText).length !== others.filter(isText).length) return false
  seen.set(a, b)
  if (!isBasic && (isMap(a) || isMap(b))) return isMap(a) && isMap(b) && areEqualEntries(entriesOf(a), entriesOf(b), seen)
  if (!isBasic && (isSet(a) || isSet(b))) return isSet(a) && isSet(b) && areEqualEntries(itemsOf(a).map(item => [item, true]), itemsOf(b).map(item => [item, true]), seen)
  const keys = new Set(isBasic ? [...own, ...others] : [...allKeys(a), ...allKeys(b)])
  for (const key of keys) if (key in a !== key in b || !compare(a[key], b[key], seen)) return false
  return true
}

/** Of what is more than its properties: dates, bytes, what is as it prints. */
function compareSpecial (a: Table, b: Table): boolean | undefined {
  if (isDate(a)) return isDate(b) && is(time(a), time(b))
  if (typedName(a) !== undefined || typedName(b) !== undefined) return areEqualRows(a, b)
  if (isBuffer(a)) return isBuffer(b) && areEqualRows(new Bytes(a), new Bytes(b))
  if (isWeakMap(a) || isWeakSet(a)) throw new TypeError('a WeakMap or a WeakSet cannot be compared')
  if (isRef(a)) return isRef(b) && equal(deref(a), deref(b))
  const print = printed.get(getPrototypeOf(a) ?? ofObject)
  return print && print(a) === print(b)
}

// An object without a prototype is as good as a literal.
function areAlike (a: object | null, b: object | null): boolean {
  return a === b || (a === ofObject && b === null) || (a === null && b === ofObject)
}

const isText = (key: PropertyKey) => typeof key === 'string'
const enumerable = (object: object) => ownKeys(object).filter(key => getOwnPropertyDescriptor(object, key)?.enumerable)

// Of an instance also what its class reads from private fields. An error's stack says where it was made, not what it is.
function allKeys (object: object): PropertyKey[] {
  const keys: PropertyKey[] = []
  let isError = false
  for (let at: object | null = object; at !== null && at !== ofObject && at !== ofArray; at = getPrototypeOf(at)) {
    keys.push(...ownKeys(at))
    isError ||= at === anyError
  }
  return isError ? keys.filter(key => key !== 'stack') : keys
}

function areEqualRows (a: object, b: object): boolean {
  if (typedName(a) !== typedName(b) || typedLength(a) !== typedLength(b)) return false
  for (let at = 0; at < typedLength(a); at++) if (!compare((a as Table)[at], (b as Table)[at], new Map())) return false
  return true
}

/** In any order; keys that are objects are compared, too. */
function areEqualEntries (a: [unknown, unknown][], b: [unknown, unknown][], seen: Map<object, object>): boolean {
  if (a.length !== b.length) return false
  const found = new Map(b)
  if (a.every(([key]) => !isObject(key) && typeof key !== 'function')) return a.every(([key, value]) => found.has(key) && compare(value, found.get(key), seen))
  return a.every(([key, value]) => b.some(([other, wanted]) => compare(key, other, seen) && compare(value, wanted, seen)))
}

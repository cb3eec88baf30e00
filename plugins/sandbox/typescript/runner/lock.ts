import { Bytes, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, preventExtensions } from './platform.js'

// The assertions run in the same realm as the code that they judge. So what they stand on cannot be replaced: methods of the
// language's own objects stay as they are. New ones may be added, as programs do.

const VIEWS = [Int8Array, Bytes, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array]
const STATICS = [Object, Reflect, Array, String, Number, Boolean, Symbol, BigInt, Promise, RegExp, Map, Set, WeakMap, WeakSet, Error, Function, Proxy, ArrayBuffer, getPrototypeOf(Bytes) ?? Bytes, ...VIEWS]
const generate = function * () {}
const generateLater = async function * () {}
const PROTOTYPES = [
  Array.prototype, String.prototype, Number.prototype, Boolean.prototype, Symbol.prototype, BigInt.prototype, Function.prototype, RegExp.prototype, Promise.prototype,
  Map.prototype, Set.prototype, WeakMap.prototype, WeakSet.prototype, ArrayBuffer.prototype, getPrototypeOf(Bytes.prototype), DataView.prototype, ...VIEWS.map(view => view.prototype),
  TextEncoder.prototype, TextDecoder.prototype,
  ...[[][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ''[Symbol.iterator](), 'a'.matchAll(/a/g), generate(), generateLater()].flatMap(lineage)
]

// An iterator's methods lie on the prototypes that it has no name for.
function lineage (object: object): object[] {
  const prototype = getPrototypeOf(object)
  return prototype === null || prototype === Object.prototype ? [] : [prototype, ...lineage(prototype)]
}

// Programs give these to objects of their own by plain assignment, which a locked one further up would refuse.
const ASSIGNED = new Set<PropertyKey>(['toString', 'valueOf', 'toLocaleString', 'constructor', 'name', 'length', 'prototype', 'stackTraceLimit', 'prepareStackTrace', 'captureStackTrace', 'toJSON', 'lastIndex'])

// What libraries ask for by `instanceof`.
const CLASSES = [Object, Array, String, Number, Boolean, Symbol, BigInt, Promise, RegExp, Map, Set, WeakMap, WeakSet, Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError, Function,
  ArrayBuffer, ...VIEWS, DataView, Date, URL]

// Date, timers, fetch, console and Math.random are not among them: tests put others in their place.
const GLOBALS = ['Object', 'Reflect', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Promise', 'RegExp', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Error', 'TypeError', 'RangeError',
  'SyntaxError', 'ReferenceError', 'EvalError', 'URIError', 'AggregateError', 'Function', 'Proxy', 'eval', 'URL', 'JSON', 'Math', 'ArrayBuffer', ...VIEWS.map(view => view.name), 'DataView', 'TextEncoder', 'TextDecoder', 'isNaN', 'isFinite', 'parseInt', 'parseFloat', 'undefined', 'NaN', 'Infinity']

/** Nothing that is there now can be replaced any more; what is assigned to heirs is theirs. */
export function lockLanguage (): void {
  // Some of Deno's are made when they are first read.
  for (const name of GLOBALS) defineProperty(globalThis, name, { value: Reflect.get(globalThis, name), writable: false, configurable: false, enumerable: false })
  lockProperties(Math, new Set(['random']))
  lockProperties(Date.prototype, new Set(ownKeys(Date.prototype).filter(key => key !== Symbol.toPrimitive)))
  for (const object of STATICS) lockProperties(object)
  for (const { prototype } of VIEWS) keepViewParts(prototype)
  for (const prototype of PROTOTYPES) if (prototype) lockProperties(prototype)
  for (const prototype of [Object.prototype, Array.prototype, String.prototype, Number.prototype, Function.prototype, RegExp.prototype, Date.prototype, Map.prototype, Set.prototype, Promise.prototype]) {
    for (const key of ['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable', 'constructor']) shield(prototype, key)
  }
  closeInheritance()
}

// Libraries read these by their names from any view: each of its own is there before one that somebody adds in between.
function keepViewParts (prototype: object): void {
  const parent = getPrototypeOf(prototype) ?? prototype
  for (const part of ['length', 'byteLength', 'byteOffset', 'buffer', Symbol.toStringTag]) {
    const found = getOwnPropertyDescriptor(parent, part)
    if (found && !getOwnPropertyDescriptor(prototype, part)) defineProperty(prototype, part, { ...found, configurable: false })
  }
}

// What is put on a prototype is seen wherever a library asks whether there is such a thing: an option, a flag, a name of a
// kind. Every object has what Object.prototype has, so nothing is added to that. Elsewhere the questions are answered ahead.
function closeInheritance (): void {
  for (const made of CLASSES) defineProperty(made, Symbol.hasInstance, { value: instanceOf, writable: false, configurable: false, enumerable: false })
  for (const prototype of [Array.prototype, String.prototype, Number.prototype, Boolean.prototype, Function.prototype, RegExp.prototype, Date.prototype, Error.prototype]) {
    defineProperty(prototype, Symbol.toStringTag, { value: undefined, writable: false, configurable: false, enumerable: false })
  }
  // What is compared or printed is not asked what it would like to be instead.
  for (const prototype of NEVER_ASKED) for (const key of ['$$typeof', 'asymmetricMatch', 'toAsymmetricMatcher']) shieldAbsent(prototype, key)
  // An array's elements are then its own: a setter for an index of all arrays would swallow them.
  defineProperty(Array.prototype, 'length', { writable: false })
  lockProperties(Object.prototype)
  preventExtensions(Object.prototype)
}

const NEVER_ASKED: object[] = [Array.prototype, String.prototype, Number.prototype, Boolean.prototype, BigInt.prototype, Symbol.prototype, Function.prototype, RegExp.prototype, Date.prototype, Map.prototype, Set.prototype, Error.prototype, getPrototypeOf(Bytes.prototype) ?? Bytes.prototype, ...VIEWS.map(view => view.prototype)]

const instanceOf = Function.prototype[Symbol.hasInstance]

/** Each own property as it is, for good. */
export function lockProperties (object: object, but: ReadonlySet<PropertyKey> = ASSIGNED): void {
  for (const key of ownKeys(object)) {
    if (but.has(key)) continue
    const found = getOwnPropertyDescriptor(object, key)
    if (found?.configurable) defineProperty(object, key, 'value' in found ? { writable: false, configurable: false } : { configurable: false })
  }
}

// Reads as before, cannot be replaced, and lets heirs have their own by assignment.
function shield (prototype: object, key: string): void {
  const found = getOwnPropertyDescriptor(prototype, key)
  if (!found?.configurable || !('value' in found)) return
  shieldWith(prototype, key, found.value, found.enumerable)
}

function shieldAbsent (prototype: object, key: string): void {
  if (!getOwnPropertyDescriptor(prototype, key)) shieldWith(prototype, key, undefined)
}

function shieldWith (prototype: object, key: string, value: unknown, enumerable = false): void {
  defineProperty(prototype, key, {
    configurable: false,
    enumerable, // classes of the old kind are copied by what can be listed
    get: () => value,
    set (this: object, value: unknown) {
      if (this === prototype) throw new TypeError(`${key} cannot be replaced here: tests stand on it`)
      defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true })
    }
  })
}

// What tests and their libraries use besides the language. A test may replace some of it, and then says so in its own text.
const TOOLS = ['structuredClone', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'Buffer', 'Intl', 'EventTarget', 'Event', 'URLSearchParams', 'queueMicrotask', 'WeakRef', 'Iterator', 'SharedArrayBuffer', 'Atomics', 'AbortController', 'AbortSignal']

/** Locks what is not the language's own, but for the names that the tests speak of. */
export function lockTools (but: ReadonlySet<PropertyKey>, modules: readonly object[]): void {
  queueMicrotask(() => {}) // Deno's takes itself off globalThis, once, when it is first called
  for (const name of TOOLS) {
    const value = lockGlobal(name, but)
    if (typeof value === 'object' && value !== null) lockProperties(value, but)
  }
  // Date.now is for everybody's clock.
  for (const object of [JSON, ...modules]) lockProperties(object, but)
  shieldMethods(Date.prototype, but)
  for (const made of [URL, TextEncoder, TextDecoder, ...Object.values(Object.getOwnPropertyDescriptors(Intl)).map(({ value }): unknown => value)]) if (typeof made === 'function') lockClass(made, but)
}

/** What is not to be locked, given the names that tests replace. */
export function exceptions (spoken: ReadonlySet<PropertyKey>): ReadonlySet<PropertyKey> {
  return new Set([...ASSIGNED, ...spoken])
}

/** Gives what the name stands for. It is read first: some of Deno's are made only then. */
export function lockGlobal (name: string, but: ReadonlySet<PropertyKey>): unknown {
  const value: unknown = Reflect.get(globalThis, name)
  if (value === undefined) return undefined
  if (!but.has(name)) defineProperty(globalThis, name, { value, writable: false, configurable: false, enumerable: false })
  if (typeof value === 'function') lockClass(value, but)
  return value
}

/** Its own, and all that those that it makes have by it. */
export function lockClass (made: object, but: ReadonlySet<PropertyKey>): void {
  lockProperties(made, but)
  const found = getOwnPropertyDescriptor(made, 'prototype')
  const prototype = found?.value as object | undefined
  if (!prototype) return
  if (found?.writable === true) defineProperty(made, 'prototype', { writable: false })
  if (!getOwnPropertyDescriptor(made, Symbol.hasInstance)) defineProperty(made, Symbol.hasInstance, { value: Reflect.get(made, Symbol.hasInstance), writable: false, configurable: false, enumerable: false })
  for (const place of [prototype, ...lineage(prototype)]) shieldMethods(place, but)
  // What it inherits would be hidden by what is put on itself, or by another ancestor.
  if (lineage(prototype).length > 0 && ![...but].some(key => !ASSIGNED.has(key) && key in prototype)) preventExtensions(prototype)
}

/** As `lockProperties`, and programs may give their own objects another one by assignment. */
export function shieldMethods (prototype: object, but: ReadonlySet<PropertyKey> = ASSIGNED): void {
  for (const key of ownKeys(prototype)) if (typeof key === 'string' && !but.has(key)) shield(prototype, key)
  lockProperties(prototype, but)
}

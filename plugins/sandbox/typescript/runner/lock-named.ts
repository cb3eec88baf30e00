import process from 'node:process'
import { lockClass, lockGlobal, lockProperties } from './lock.js'
import { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } from './platform.js'

/** Locks what the tests speak of, as `lockTools` does what every test stands on. */
export function lockNamed ({ globals, modules }: { globals: string[], modules: string[] }, but: ReadonlySet<PropertyKey>): void {
  for (const name of globals) {
    const value = lockGlobal(name, but)
    if (typeof value === 'object' && value !== null) lockInstance(value, but)
  }
  const seen = new Set<object>()
  for (const name of modules) lockMembers(process.getBuiltinModule(`node:${name}`), but, seen)
}

// Of a module, or of a part of one: what it exports, and what that is made of.
function lockMembers (module: unknown, but: ReadonlySet<PropertyKey>, seen: Set<object>): void {
  if (!isObject(module) || seen.has(module)) return
  seen.add(module)
  for (const key of ownKeys(module)) {
    const found = getOwnPropertyDescriptor(module, key)
    if (!found || key === 'prototype') continue
    const value = 'value' in found ? found.value as unknown : madeLater(module, key)
    if (typeof value === 'function' && isClass(value)) lockClass(value, but)
    if (typeof value === 'function' || isPlain(value)) {
      // One that is made when it is first read could be set to another.
      if (!('value' in found) && found.configurable && !but.has(key)) defineProperty(module, key, { value, writable: false, enumerable: true, configurable: false })
      lockMembers(value, but, seen)
    }
  }
  lockProperties(module, but)
}

// A class's own (`defaultMaxListeners`) are settings.
function madeLater (module: object, key: PropertyKey): unknown {
  return typeof module === 'object' ? Reflect.get(module, key) : undefined
}

function isClass (made: object): boolean {
  const prototype = getOwnPropertyDescriptor(made, 'prototype')?.value as unknown
  return isObject(prototype) && (ownKeys(prototype).length > 1 || getPrototypeOf(prototype) !== Object.prototype)
}

// There is one of it, and whatever is put on itself would hide what its class has.
function lockInstance (object: object, but: ReadonlySet<PropertyKey>): void {
  for (let place = getPrototypeOf(object); place !== null && place !== Object.prototype; place = getPrototypeOf(place)) {
    for (const key of ownKeys(place)) {
      const found = getOwnPropertyDescriptor(place, key)
      if (!found || key === 'constructor' || but.has(key)) continue
      if (!getOwnPropertyDescriptor(object, key)) defineProperty(object, key, { ...found, configurable: false, ...('value' in found && { writable: false }) })
      const part: unknown = 'value' in found ? undefined : Reflect.get(object, key)
      if (typeof part === 'object' && part !== null) lockInstance(part, but)
    }
  }
}

function isObject (value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null)
}

function isPlain (value: unknown): boolean {
  return typeof value === 'object' && value !== null && (getPrototypeOf(value) === null || getPrototypeOf(value) === Object.prototype)
}

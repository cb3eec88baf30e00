// jest.replaceProperty: another value in the place of one, until it is restored.

interface Replaced { replaceValue (value: unknown): Replaced, restore (): void }

const replaced = new Map<object, Map<PropertyKey, Replaced>>()

export function replaceProperty (object: object, key: PropertyKey, value: unknown): Replaced {
  const known = replaced.get(object)?.get(key)
  if (known) return known.replaceValue(value)
  const found = lookUp(object, key)
  const name = String(key)
  if (!found) throw new Error(`replaceProperty: there is no property '${name}'`)
  if (!('value' in found)) throw new Error(`replaceProperty: '${name}' is a getter or a setter: use spyOn(object, '${name}', 'get')`)
  if (typeof found.value === 'function') throw new Error(`replaceProperty: '${name}' is a function: use spyOn(object, '${name}')`)
  const isOwn = Object.hasOwn(object, key)
  const made: Replaced = {
    replaceValue (value) {
      if (!Reflect.set(object, key, value)) throw new Error(`replaceProperty: '${name}' cannot be replaced`)
      return made
    },
    restore () {
      if (isOwn) Reflect.set(object, key, found.value)
      else Reflect.deleteProperty(object, key)
      replaced.get(object)?.delete(key)
    }
  }
  made.replaceValue(value)
  replaced.set(object, (replaced.get(object) ?? new Map<PropertyKey, Replaced>()).set(key, made))
  return made
}

export function restoreProperties (): void {
  for (const keys of replaced.values()) for (const one of keys.values()) one.restore()
  replaced.clear()
}

function lookUp (object: object, key: PropertyKey): PropertyDescriptor | undefined {
  for (let at: object | null = object; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, key)
    if (found) return found
  }
  return undefined
}

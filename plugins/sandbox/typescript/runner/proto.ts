const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function'

/**
 * Adds `__proto__` as Node has it. Deno's does nothing. It gives no access beyond Object.getPrototypeOf and Object.setPrototypeOf.
 */
export function installProto (): void {
  Object.defineProperty(Object.prototype, '__proto__', {
    get (this: unknown): unknown { return Object.getPrototypeOf(Object(this)) },
    set (this: unknown, value: unknown) {
      if (!isObject(this) || (value !== null && !isObject(value))) return
      if (!Reflect.setPrototypeOf(this, value)) throw new TypeError('the prototype of this object cannot be changed')
    },
    enumerable: false,
    configurable: true
  })
}

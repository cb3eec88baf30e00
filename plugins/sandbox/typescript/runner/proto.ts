const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function'

/**
 * `__proto__`, which in Deno says and does nothing: as Node has it, and no more than Object.getPrototypeOf and
 * Object.setPrototypeOf do for anybody.
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

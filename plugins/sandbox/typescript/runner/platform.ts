// What the runner needs of Deno and of the language, taken before any code under test is loaded. Nothing that is decided or
// reported later may look a property up where that code could have put another.

interface DenoParts {
  stdin: { read (buffer: Uint8Array): Promise<number | null> }
  stdout: { writeSync (bytes: Uint8Array): number }
  stderr: { writeSync (bytes: Uint8Array): number }
  exit (code: number): never
  errors: { NotCapable: new (message: string) => Error }
}

const { Deno: deno } = globalThis as unknown as { Deno: DenoParts & Record<string, unknown> }
const { call } = Function.prototype

/** `uncurry(f)(self, ...args)` is `f.call(self, ...args)` whatever becomes of `call`. */
function uncurry<S, A extends unknown[], R> (method: (this: S, ...args: A) => R): (self: S, ...args: A) => R {
  return call.bind(method as (...args: unknown[]) => unknown) as (self: S, ...args: A) => R
}

const { stdin, stdout, stderr } = deno
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const encodeText = uncurry(TextEncoder.prototype.encode)
const decodeText = uncurry(TextDecoder.prototype.decode)
const setBytes = uncurry(Uint8Array.prototype.set)
const partOf = (name: 'length' | 'buffer') => {
  const { get } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name) ?? {}
  return uncurry(get as (this: Uint8Array) => unknown)
}
const lengthPart = partOf('length')
const bufferPart = partOf('buffer')

export const host = deno
export const Bytes = Uint8Array
export const encode = (text: string) => encodeText(encoder, text)
export const decode = (bytes: Uint8Array) => decodeText(decoder, bytes)
// Not by their names: a getter that code puts on a prototype would be handed the bytes of a frame.
export const lengthOf = (bytes: Uint8Array) => lengthPart(bytes) as number
export const rest = (bytes: Uint8Array, from: number) => new Bytes(bufferPart(bytes) as ArrayBuffer, from)
export const copy = (to: Uint8Array, from: Uint8Array, at: number) => setBytes(to, from, at)
export const writeOut = stdout.writeSync.bind(stdout)
export const writeError = stderr.writeSync.bind(stderr)
export const readIn = stdin.read.bind(stdin)
export const leave = deno.exit.bind(deno)

export const { stringify, parse } = JSON
const { getPrototypeOf: prototypeOf } = Object
export const { is, freeze, defineProperty, preventExtensions, getOwnPropertyDescriptor } = Object
export const { isArray } = Array
export const { ownKeys } = Reflect
export const getPrototypeOf = (object: object): object | null => prototypeOf(object) as object | null
export const now = performance.now.bind(performance)
export const later = setTimeout
export const cancel = clearTimeout
export const slice = uncurry(String.prototype.slice)
export const text = String
export const Failure = Error
/** What Deno throws where it was given no permission. */
export const { NotCapable } = deno.errors
const isInstance = uncurry<unknown, [unknown], boolean>(Function.prototype[Symbol.hasInstance])
export const isDenied = (thrown: unknown): boolean => isInstance(NotCapable, thrown)
export const Pending = Promise
export { uncurry }

const then = uncurry(Promise.prototype.then)
const resolved = Promise.resolve.bind(Promise)
/** Calls one of the two once the value, if it is a promise, has settled. */
export const whenSettled = (value: unknown, onValue: (value: unknown) => void, onThrown: (reason: unknown) => void): void => {
  void then(resolved(value) as Promise<void>, onValue, onThrown)
}

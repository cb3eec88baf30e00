// What the runner uses of Deno and of the language. It is saved before there is a job, since tests replace timers, the clock and stdout.

interface DenoParts {
  stdin: { read (buffer: Uint8Array): Promise<number | null>, readSync (buffer: Uint8Array): number | null }
  stdout: { writeSync (bytes: Uint8Array): number }
  stderr: { writeSync (bytes: Uint8Array): number }
  exit (code: number): never
  errors: { NotCapable: new (message: string) => Error }
}

const { Deno: deno } = globalThis as unknown as { Deno: DenoParts & Record<string, unknown> }
const { stdin, stdout, stderr } = deno
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const host = deno
export const encode = encoder.encode.bind(encoder)
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes)
export const writeOut = stdout.writeSync.bind(stdout)
export const writeError = stderr.writeSync.bind(stderr)
export const readIn = stdin.read.bind(stdin)
export const readInSync = stdin.readSync.bind(stdin)
export const leave = deno.exit.bind(deno)
export const { stringify, parse } = JSON
export const now = performance.now.bind(performance)
export const later = setTimeout
export const cancel = clearTimeout
/** The error that Deno throws for something that it does not permit. */
export const { NotCapable } = deno.errors

/** Replaces a property, also one that cannot be assigned to. */
export function replace (owner: object, name: PropertyKey, value: unknown): void {
  const enumerable = Object.getOwnPropertyDescriptor(owner, name)?.enumerable ?? false
  if (!Reflect.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable })) Reflect.set(owner, name, value)
}

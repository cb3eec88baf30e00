import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const STREAMS: Record<string, number> = { '/dev/stdin': 0, '/dev/stdout': 1, '/dev/stderr': 2 }

/** The absolute path of a file argument, without a slash at its end. */
export function pathOf (name: unknown): string {
  if (name instanceof URL) return fileURLToPath(name)
  if (typeof name === 'string') return resolve(name)
  if (name instanceof Uint8Array) return resolve(Buffer.from(name).toString())
  throw wrongType('The "path" argument must be of type string or an instance of Buffer or URL.')
}

/** The descriptor of a standard stream; undefined for any other file. */
export function streamOf (name: unknown): number | undefined {
  if (typeof name === 'number') return name <= 2 ? name : undefined
  return typeof name === 'string' ? STREAMS[name] : undefined
}

export function bytesOf (data: unknown, encoding: unknown = 'utf8'): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, encodingOf(encoding) ?? 'utf8')
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  throw wrongType('The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.')
}

/** The encoding among the options, which may be the encoding alone. */
export function encodingOf (options: unknown): BufferEncoding | undefined {
  const encoding: unknown = typeof options === 'object' && options !== null ? Reflect.get(options, 'encoding') : options
  return typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : undefined
}

export function option (options: unknown, name: string): unknown {
  return typeof options === 'object' && options !== null ? Reflect.get(options, name) : undefined
}

export function wrongType (message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_TYPE' })
}

// The GGUF file format, version 3, as far as a small model needs it: metadata, then the directory of tensors, then
// their data, each aligned to 32 bytes. https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

export type Metadata =
  | { key: string, type: 'u32' | 'f32', value: number }
  | { key: string, type: 'bool', value: boolean }
  | { key: string, type: 'text', value: string }
  | { key: string, type: 'texts', value: readonly string[] }
  | { key: string, type: 'i32s', value: readonly number[] }

export interface Tensor {
  name: string
  /** The length of a row first. */
  shape: readonly number[]
  data: Float32Array
  /** Norms are read as 32 bits. */
  type: 'f16' | 'f32'
}

const ALIGNMENT = 32
const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8, array: 9 }
const TENSOR_TYPES = { f32: 0, f16: 1 }

export function encodeGguf (metadata: readonly Metadata[], tensors: readonly Tensor[]): Buffer {
  const head = new Writer()
  head.raw(Buffer.from('GGUF'))
  head.u32(3)
  head.u64(tensors.length)
  head.u64(metadata.length)
  for (const entry of metadata) head.entry(entry)
  const data = tensors.map(encodeTensor)
  let offset = 0
  for (const [i, { name, shape, type }] of tensors.entries()) {
    head.text(name)
    head.u32(shape.length)
    for (const length of shape) head.u64(length)
    head.u32(TENSOR_TYPES[type])
    head.u64(offset)
    offset += data[i]?.length ?? 0
  }
  return Buffer.concat([padded(head.bytes()), ...data])
}

class Writer {
  readonly #parts: Buffer[] = []

  bytes (): Buffer { return Buffer.concat(this.#parts) }

  raw (bytes: Buffer): void { this.#parts.push(bytes) }

  u32 (value: number): void {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    this.raw(bytes)
  }

  u64 (value: number): void {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(value))
    this.raw(bytes)
  }

  f32 (value: number): void {
    const bytes = Buffer.alloc(4)
    bytes.writeFloatLE(value)
    this.raw(bytes)
  }

  text (value: string): void {
    const bytes = Buffer.from(value, 'utf8')
    this.u64(bytes.length)
    this.raw(bytes)
  }

  entry (entry: Metadata): void {
    this.text(entry.key)
    switch (entry.type) {
      case 'u32': this.u32(TYPES.u32); return this.u32(entry.value)
      case 'f32': this.u32(TYPES.f32); return this.f32(entry.value)
      case 'bool': this.u32(TYPES.bool); return this.raw(Buffer.of(entry.value ? 1 : 0))
      case 'text': this.u32(TYPES.text); return this.text(entry.value)
      case 'texts': this.#array(TYPES.text, entry.value.length); return entry.value.forEach(text => this.text(text))
      case 'i32s': this.#array(TYPES.i32, entry.value.length); return entry.value.forEach(value => this.u32(value))
    }
  }

  #array (type: number, length: number): void {
    this.u32(TYPES.array)
    this.u32(type)
    this.u64(length)
  }
}

function encodeTensor ({ data, type }: Tensor): Buffer {
  if (type === 'f32') return padded(Buffer.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)))
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.length)
  const bytes = Buffer.alloc(data.length * 2)
  for (let i = 0; i < bits.length; i++) bytes.writeUInt16LE(half(bits[i] ?? 0), i * 2)
  return padded(bytes)
}

/** The 16-bit float nearest to a 32-bit one, both as bits. */
function half (bits: number): number {
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 112
  const mantissa = bits & 0x7fffff
  if (exponent >= 31) return sign | 0x7bff // the largest there is
  if (exponent < -10) return sign
  if (exponent <= 0) { // below the normal numbers
    const shift = 14 - exponent
    return sign | (((mantissa | 0x800000) + (1 << (shift - 1))) >>> shift)
  }
  return sign | ((exponent << 10) + (mantissa >>> 13) + ((mantissa >>> 12) & 1))
}

function padded (bytes: Buffer): Buffer {
  const rest = bytes.length % ALIGNMENT
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(ALIGNMENT - rest)])
}

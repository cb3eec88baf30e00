// A runner sends its messages on stdout, between what the code under test prints there. A frame is
// "\n", the nonce, " ", the length of the JSON in bytes, " ", the JSON, " ", the nonce, "\n". The code under test never sees the
// nonce, so it cannot write a frame. What it writes into one from another thread moves the end, and the frame is not accepted.

const SPACE = 32
const DIGITS = 8

/** The JSON of a frame, and what was printed between the frame before it and this one. */
export interface Message { body: unknown, output: string }

export interface FrameLimits {
  /** Bytes that the code may print. */
  outputBytes: number
  /** Bytes of one frame, and of all together. */
  frameBytes: number
  framesBytes: number
  /** The number of frames: each takes the service's time. */
  frames: number
}

export class FrameReader {
  readonly messages: Message[] = []
  readonly #start: Buffer
  readonly #end: Buffer
  readonly #limits: FrameLimits
  #pending: Buffer = Buffer.alloc(0)
  #output: Buffer[] = []
  #printed = 0
  #framed = 0

  constructor (nonce: string, limits: FrameLimits) {
    this.#start = Buffer.from(`\n${nonce} `)
    this.#end = Buffer.from(` ${nonce}\n`)
    this.#limits = limits
  }

  /** What was printed after the last frame. */
  get rest (): string {
    return textOf([...this.#output, this.#pending])
  }

  /** Returns false once a limit was passed. */
  push (chunk: Buffer): boolean {
    const { frameBytes, framesBytes, frames } = this.#limits
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    for (;;) {
      const start = this.#pending.indexOf(this.#start)
      // The last bytes may be the beginning of a frame.
      if (start < 0) return this.#print(Math.max(0, this.#pending.length - this.#start.length + 1))
      const head = start + this.#start.length
      const gap = this.#pending.subarray(head, head + DIGITS + 1).indexOf(SPACE)
      if (gap < 0 && this.#pending.length <= head + DIGITS) return this.#print(start)
      const size = sizeIn(this.#pending.toString('latin1', head, head + Math.max(0, gap)))
      if (size > frameBytes || this.#framed + size > framesBytes || this.messages.length >= frames) return false
      const from = head + gap + 1
      const to = from + size
      if (this.#pending.length < to + this.#end.length) return this.#print(start)
      this.#framed += size
      const json = this.#pending.subarray(from, to)
      const isWhole = this.#pending.subarray(to, to + this.#end.length).equals(this.#end)
      // Where the end is not in its place, nobody knows where the frame ends: the rest is treated as printed.
      const rest = this.#pending.subarray(isWhole ? to + this.#end.length : head)
      const isWithin = this.#print(start)
      this.messages.push({ body: isWhole ? parse(json) : undefined, output: textOf(this.#output) })
      this.#output = []
      this.#pending = rest
      if (!isWithin) return false
    }
  }

  // The first `count` bytes were printed by the code.
  #print (count: number): boolean {
    if (count === 0) return true
    const room = Math.max(0, this.#limits.outputBytes - this.#printed)
    if (room > 0) this.#output.push(this.#pending.subarray(0, Math.min(count, room)))
    this.#printed += count
    this.#pending = this.#pending.subarray(count)
    return this.#printed <= this.#limits.outputBytes
  }
}

function textOf (parts: Buffer[]): string {
  return Buffer.concat(parts).toString('utf8')
}

// Of a frame without a proper length no byte is accepted.
function sizeIn (digits: string): number {
  return /^\d+$/.test(digits) ? Number(digits) : 0
}

function parse (json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'))
  } catch {
    return undefined // no runner of ours writes such a frame: readers ignore it
  }
}

// What a harness reports travels on its stdout, between what the code under test prints there: a frame is
// "\n", the nonce, " ", how many bytes of JSON there are, " ", the JSON, " ", the nonce, "\n". The code never sees the nonce, so
// it cannot write a frame. What it writes into one, from another thread, makes the end of that come too late.

const SPACE = 32
const DIGITS = 8

/** A frame, and what was printed before it since the last one. */
export interface Report { body: unknown, output: string }

export interface FrameLimits {
  /** Bytes that the code may print. */
  outputBytes: number
  /** Bytes of one frame, and of all together. */
  frameBytes: number
  framesBytes: number
  /** How many there may be: each takes the service's time. */
  frames: number
}

export class FrameReader {
  readonly reports: Report[] = []
  readonly #mark: Buffer
  readonly #end: Buffer
  readonly #limits: FrameLimits
  #pending: Buffer = Buffer.alloc(0)
  #output: Buffer[] = []
  #printed = 0
  #framed = 0

  constructor (nonce: string, limits: FrameLimits) {
    this.#mark = Buffer.from(`\n${nonce} `)
    this.#end = Buffer.from(` ${nonce}\n`)
    this.#limits = limits
  }

  /** What was printed after the last frame. */
  get rest (): string {
    return textOf([...this.#output, this.#pending])
  }

  /** False once a limit was passed. */
  push (chunk: Buffer): boolean {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    for (;;) {
      const start = this.#pending.indexOf(this.#mark)
      if (start < 0) {
        // The mark may have come in part.
        return this.#print(Math.max(0, this.#pending.length - this.#mark.length + 1))
      }
      const head = start + this.#mark.length
      const gap = this.#pending.subarray(head, head + DIGITS + 1).indexOf(SPACE)
      if (gap < 0 && this.#pending.length <= head + DIGITS) return this.#print(start)
      const size = sizeIn(this.#pending.toString('latin1', head, head + Math.max(0, gap)))
      if (size > this.#limits.frameBytes || this.#framed + size > this.#limits.framesBytes || this.reports.length >= this.#limits.frames) return false
      const from = head + gap + 1
      const to = from + size
      if (this.#pending.length < to + this.#end.length) return this.#print(start)
      this.#framed += size
      const json = this.#pending.subarray(from, to)
      const isWhole = this.#pending.subarray(to, to + this.#end.length).equals(this.#end)
      // Of one that is not whole nobody can say where it ends: what is left of it was printed, for all that is known.
      const rest = this.#pending.subarray(isWhole ? to + this.#end.length : head)
      const isWithin = this.#print(start)
      this.reports.push({ body: isWhole ? parse(json) : undefined, output: textOf(this.#output) })
      this.#output = []
      this.#pending = rest
      if (!isWithin) return false
    }
  }

  // The first `count` bytes are the code's.
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

// Where something else stands there, no byte of it is taken.
function sizeIn (digits: string): number {
  return /^\d+$/.test(digits) ? Number(digits) : 0
}

function parse (json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'))
  } catch {
    return undefined // no harness of ours writes such a frame, so whoever reads it takes it as none
  }
}

// What a harness reports travels on its stdout, between what the code under test prints there: a frame is
// "\n", the nonce, " ", one line of JSON, "\n". The code never sees the nonce, so it cannot write a frame.

const LINE = 10

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
  readonly #limits: FrameLimits
  #pending: Buffer = Buffer.alloc(0)
  #output: Buffer[] = []
  #printed = 0
  #framed = 0

  constructor (nonce: string, limits: FrameLimits) {
    this.#mark = Buffer.from(`\n${nonce} `)
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
      const from = start + this.#mark.length
      const end = this.#pending.indexOf(LINE, from)
      const size = (end < 0 ? this.#pending.length : end) - from
      if (size > this.#limits.frameBytes || this.#framed + size > this.#limits.framesBytes || this.reports.length >= this.#limits.frames) return false
      if (end < 0) return this.#print(start)
      this.#framed += size
      const isWithin = this.#print(start)
      this.reports.push({ body: parse(this.#pending.subarray(this.#mark.length, this.#mark.length + size)), output: textOf(this.#output) })
      this.#output = []
      this.#pending = this.#pending.subarray(this.#mark.length + size + 1)
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

function parse (json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'))
  } catch {
    return undefined // no harness of ours writes such a frame, so whoever reads it takes it as none
  }
}

import { type Json, record, str } from './json.js'
import { Bytes, copy, decode, encode, lengthOf, parse, readIn, rest, text, writeOut } from './platform.js'

// The way to the service: see plugins/sandbox/frames.ts for the other end. The nonce is kept as bytes: no string of it ever
// exists, so no code in this process can come by it.

const NONCE = 32
const DIGITS = 9
const LINE = 10
const SPACE = 32

let nonce = new Bytes(0)

/** Says that the process waits for its job, and gives it. Undefined where the service went away. What follows on stdin is a program's. */
export async function receive (): Promise<string | undefined> {
  write(encode('READY\n'))
  const head = await readWhole(NONCE + DIGITS + 2)
  const body = head && await readWhole(Number(decode(head.subarray(NONCE + 1, NONCE + 1 + DIGITS))))
  if (!head || !body) return undefined
  nonce = head.slice(0, NONCE)
  const job = decode(body)
  head.fill(0)
  body.fill(0)
  return job
}

/** So many bytes, and none of those behind them. */
async function readWhole (size: number): Promise<Uint8Array | undefined> {
  const all = new Bytes(size)
  for (let done = 0; done < size;) {
    const count = await readIn(all.subarray(done))
    if (count === null) return undefined
    done += count
  }
  return all
}

export const parseJob = (job: string): unknown => parse(job)

/** One report. */
export function send (type: string, fields: Record<string, Json> = {}): void {
  const body = encode(record({ type: str(type), ...fields }))
  const length = lengthOf(body)
  const count = encode(text(length))
  const digits = lengthOf(count)
  const frame = new Bytes(length + digits + 2 * NONCE + 5)
  const at = NONCE + digits + 3 + length
  frame[0] = LINE
  copy(frame, nonce, 1)
  frame[NONCE + 1] = SPACE
  copy(frame, count, NONCE + 2)
  frame[NONCE + 2 + digits] = SPACE
  copy(frame, body, NONCE + 3 + digits)
  frame[at] = SPACE
  copy(frame, nonce, at + 1)
  frame[at + NONCE + 1] = LINE
  write(frame)
}

function write (bytes: Uint8Array): void {
  const length = lengthOf(bytes)
  for (let done = 0; done < length;) done += writeOut(done === 0 ? bytes : rest(bytes, done))
}

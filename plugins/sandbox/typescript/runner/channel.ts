import { decode, encode, parse, readIn, stringify, writeOut } from './platform.js'

// The way to the service: see plugins/sandbox/frames.ts for the other end. Only this module knows the nonce, so nothing that a
// program prints is taken for a report.

const NONCE = 32
const DIGITS = 9

let nonce = ''

/** Says that the process waits for its job, and gives it. Undefined where the service went away. What follows on stdin is a program's. */
export async function receive (): Promise<unknown> {
  writeAll(writeOut, 'READY\n')
  const head = await readWhole(NONCE + DIGITS + 2)
  const body = head && await readWhole(Number(head.slice(NONCE + 1, NONCE + 1 + DIGITS)))
  if (head === undefined || body === undefined) return undefined
  nonce = head.slice(0, NONCE)
  return parse(body)
}

/** So many bytes, and none of those behind them. */
async function readWhole (size: number): Promise<string | undefined> {
  const all = new Uint8Array(size)
  for (let done = 0; done < size;) {
    const count = await readIn(all.subarray(done))
    if (count === null) return undefined
    done += count
  }
  return decode(all)
}

/** One report. */
export function send (type: string, fields: object = {}): void {
  const body = stringify({ type, ...fields })
  writeAll(writeOut, `\n${nonce} ${encode(body).length} ${body} ${nonce}\n`)
}

/** All of it is out when this returns, so that no end of the process loses any. */
export function writeAll (write: (bytes: Uint8Array) => number, text: string): void {
  const bytes = encode(text)
  for (let done = 0; done < bytes.length;) done += write(bytes.subarray(done))
}

import { decode, encode, parse, readIn, stringify, writeOut } from './platform.js'

// The connection to the service: see plugins/sandbox/frames.ts for the other end. Only this module knows the nonce, so that nothing
// which a program prints is taken for a message.

const NONCE = 32
const DIGITS = 9

let nonce = ''

/** Announces that the process is ready, and waits for the job. Undefined if the service has ended. The rest of stdin is the program's. */
export async function receive (): Promise<unknown> {
  writeAll(writeOut, 'READY\n')
  const head = await readWhole(NONCE + DIGITS + 2)
  const body = head && await readWhole(Number(head.slice(NONCE + 1, NONCE + 1 + DIGITS)))
  if (head === undefined || body === undefined) return undefined
  nonce = head.slice(0, NONCE)
  return parse(body)
}

/** Reads exactly so many bytes. */
async function readWhole (size: number): Promise<string | undefined> {
  const all = new Uint8Array(size)
  for (let done = 0; done < size;) {
    const count = await readIn(all.subarray(done))
    if (count === null) return undefined
    done += count
  }
  return decode(all)
}

/** Sends a message. */
export function send (type: string, fields: object = {}): void {
  const body = stringify({ type, ...fields })
  writeAll(writeOut, `\n${nonce} ${encode(body).length} ${body} ${nonce}\n`)
}

/** Returns when everything is written, so that nothing is lost if the process ends. */
export function writeAll (write: (bytes: Uint8Array) => number, text: string): void {
  const bytes = encode(text)
  for (let done = 0; done < bytes.length;) done += write(bytes.subarray(done))
}

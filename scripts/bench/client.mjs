// A client on bare sockets. The client of node:http would spend more time on a request than the servers, and distort the figures.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const HEAD = '\r\n\r\n'
const LAST_CHUNK = '\r\n0\r\n\r\n'
const PATIENCE = 10_000

/** The bytes of a chat request. */
export function chat (model, { stream = false, content = 'Write a function that adds two numbers' } = {}) {
  const body = JSON.stringify({
    model,
    stream,
    temperature: 0.2,
    messages: [
      { role: 'system', content: 'You are a careful programmer who answers with code and few words.' },
      { role: 'user', content: 'Which languages do you know?' },
      { role: 'assistant', content: 'Python and TypeScript.' },
      { role: 'user', content }
    ]
  })
  return Buffer.from(`POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer unused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

export async function dial (port, localAddress) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, ...(localAddress && { localAddress }) })
  await once(socket, 'connect')
  return socket
}

/** Detects the end of a response. There is one request at a time, so a response always ends at the end of a received part. */
class Framing {
  #head = ''
  #left // bytes of the body; undefined while the head is not complete, Infinity where it comes in chunks
  #tail = ''

  push (part) {
    const body = this.#left === undefined ? this.#begin(part) : part.length
    if (body < 0) return false
    this.#left -= body
    this.#tail = part.length >= 7 ? part.latin1Slice(part.length - 7) : (this.#tail + part.latin1Slice()).slice(-7)
    if (this.#left === Infinity ? this.#tail !== LAST_CHUNK : this.#left > 0) return false
    this.#left = undefined
    this.#head = this.#tail = ''
    return true
  }

  /** How much of a part is body; -1 while the head is not complete. */
  #begin (part) {
    const before = this.#head.length
    this.#head += part.toString('latin1', 0, 4096)
    const end = this.#head.indexOf(HEAD)
    if (end < 0) return -1
    if (!this.#head.startsWith('HTTP/1.1 200')) throw new Error(`a request failed: ${this.#head.slice(0, 500)}`)
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1]
    this.#left = length === undefined ? Infinity : Number(length)
    return part.length - (end + HEAD.length - before)
  }
}

/** Sends one request after the other on each connection for a while; returns the number of answers and the time in milliseconds. */
export async function load (port, payload, { connections, ms }) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => dial(port)))
  let answered = 0
  let failed
  let over = false
  const start = performance.now()
  const idle = sockets.map(socket => new Promise(resolve => {
    const framing = new Framing()
    const fail = error => { failed ??= error; resolve() }
    socket.on('data', part => {
      try {
        if (!framing.push(part)) return
      } catch (error) { return fail(error) }
      if (over) return resolve()
      answered++
      socket.write(payload)
    })
    socket.once('error', fail)
    socket.once('close', () => fail(new Error('a connection was closed')))
    socket.write(payload)
  }))
  await sleep(ms)
  over = true
  const elapsed = performance.now() - start
  const counted = answered
  await Promise.race([Promise.all(idle), sleep(PATIENCE)])
  for (const socket of sockets) socket.removeAllListeners('close').resetAndDestroy()
  if (failed) throw failed
  return { answered: counted, elapsed }
}

/** One request: the text of the response, and the milliseconds until its first byte. */
export async function exchange (socket, payload) {
  const framing = new Framing()
  const parts = []
  let first
  const start = performance.now()
  await new Promise((resolve, reject) => {
    const finish = settle => value => {
      socket.off('data', onData).off('error', fail).off('close', cut)
      settle(value)
    }
    const done = finish(resolve)
    const fail = finish(reject)
    const cut = () => fail(new Error('the connection was closed'))
    const onData = part => {
      first ??= performance.now() - start
      parts.push(part)
      try {
        if (framing.push(part)) done()
      } catch (error) { fail(error) }
    }
    socket.on('data', onData).once('error', fail).once('close', cut)
    socket.write(payload)
  })
  return { first, text: Buffer.concat(parts).toString() }
}

/** The body of a response, without the parts that differ from one response to the next. */
export function bodyOf (text) {
  const [head, ...rest] = text.split(HEAD)
  const body = rest.join(HEAD)
  const whole = /transfer-encoding: chunked/i.test(head) ? body.replace(/(^|\r\n)[0-9a-f]+\r\n/g, '').replace(/\r\n$/, '') : body
  return whole.replace(/chatcmpl-[\w-]+/g, 'chatcmpl-').replace(/"created":\d+/g, '"created":0')
}

import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from '../../dist/app.js'
import { Server } from './children.mjs'
import { chat, dial } from './client.mjs'
import { atLeast, atMost, interleave, median, pick, quantile, row } from './figures.mjs'

const FIRST_TOKENS = 50
const REQUESTS = 2000
const AT_ONCE = 8
const ABORTS = 100
const PATIENCE = 30_000

const never = new AbortController().signal

/** What the HTTP backend costs compared with reading the bare socket, how many requests it loses, and how soon an abort arrives. */
export async function backend ({ rounds }) {
  const server = await Server.start('model')
  const url = `http://127.0.0.1:${server.port}`
  const apps = {}
  try {
    for (const model of ['tokens', 'short', 'endless']) apps[model] = await buildApp({ backendUrl: url, backendModel: model })
    const subjects = { svc: () => throughBackend(apps.tokens.backend), socket: () => throughSocket(server.port) }
    const found = await interleave(Object.keys(subjects), rounds, name => measure(subjects[name]))
    const lost = await losses(apps.short.backend)
    const late = await aborts(apps.endless.backend, url)
    const perToken = pick(found, 'perToken')
    const first = pick(found, 'first')
    return {
      rows: [row('sent to read, per token p50', 'ms', perToken, 3), row('request to first token p50', 'ms', first, 3)],
      goals: [
        atMost('added per token p50', median(perToken.svc) - median(perToken.socket), 0.3, ' ms'),
        atMost(`lost of ${REQUESTS}, ${AT_ONCE} at once, to a server that closes its connections`, lost, 0),
        atLeast(`aborts of ${ABORTS} that arrive within 50 ms`, late.filter(ms => ms <= 50).length, ABORTS)
      ],
      notes: [`the first token comes ${(median(first.svc) - median(first.socket)).toFixed(3)} ms later than on the socket; the slowest abort took ${Math.max(...late).toFixed(1)} ms`]
    }
  } finally {
    await Promise.all(Object.values(apps).map(app => app.close()))
    await server.stop()
  }
}

/** Reads one long reply for the cost of a token, and the first token of many replies. */
async function measure (tokens) {
  const taken = []
  for await (const { at, sent } of within(tokens())) taken.push(at - sent)
  const firsts = []
  for (let i = 0; i < FIRST_TOKENS; i++) {
    const start = now()
    for await (const { at } of within(tokens())) {
      firsts.push(at - start)
      break
    }
  }
  return { perToken: quantile(taken.slice(1), 0.5), first: quantile(firsts, 0.5) }
}

async function * throughBackend (model) {
  for await (const event of model.chat(request('bench'), never)) {
    if (event.type === 'fragment') yield * stamps(event.text)
  }
}

async function * throughSocket (port) {
  const socket = await dial(port)
  try {
    socket.write(chat('tokens', { stream: true }))
    for await (const part of socket) {
      yield * stamps(part.latin1Slice())
      if (part.includes('[DONE]')) return
    }
  } finally {
    socket.resetAndDestroy()
  }
}

function * stamps (text) {
  const at = now()
  for (const [, sent] of text.matchAll(/<(\d+)>/g)) yield { at, sent: millis(BigInt(sent)) }
}

async function losses (model) {
  let [begun, lost] = [0, 0]
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (begun < REQUESTS) {
      begun++
      let text = ''
      try {
        for await (const event of model.chat(request('bench'), never)) if (event.type === 'fragment') text += event.text
      } catch {
        // counted below
      }
      if (text !== 'whole') lost++
    }
  }))
  return lost
}

/** Milliseconds from each abort to the moment when the server sees that its reader has gone. */
async function aborts (model, url) {
  const aborted = {}
  for (let i = 0; i < ABORTS; i++) {
    const abort = new AbortController()
    const run = `abort-${i}`
    try {
      for await (const event of model.chat(request(run), abort.signal)) {
        if (event.type !== 'fragment') continue
        aborted[run] = now()
        abort.abort()
      }
    } catch {
      // an abort makes chat() throw
    }
  }
  const end = performance.now() + PATIENCE
  for (;;) {
    const gone = await (await fetch(`${url}/gone`)).json()
    const runs = Object.keys(aborted)
    if (runs.every(run => gone[run] !== undefined)) return runs.map(run => millis(BigInt(gone[run])) - aborted[run])
    if (performance.now() > end) throw new Error('aborts do not arrive')
    await sleep(20)
  }
}

/** Every wait has an end. */
async function * within (tokens) {
  try {
    for (;;) {
      const next = await Promise.race([tokens.next(), sleep(PATIENCE, undefined, { ref: false }).then(() => { throw new Error('no tokens come') })])
      if (next.done) return
      yield next.value
    }
  } finally {
    await tokens.return()
  }
}

function request (run) {
  return { messages: [{ role: 'user', content: 'Write a function that adds two numbers' }], temperature: 0.2, top_p: 1, step: 'answer', run }
}

function now () {
  return millis(process.hrtime.bigint())
}

function millis (nanos) {
  return Number(nanos % 1_000_000_000_000n) / 1e6
}

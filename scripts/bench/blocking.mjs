import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from './children.mjs'
import { dial } from './client.mjs'
import { atMost, median, row } from './figures.mjs'
import { REPLIES } from './hostile/replies.mjs'
import { isSingleText, requestsTo } from './hostile/requests.mjs'

const GOAL = 100
const GOAL_OF_ONE_TEXT = 150
const MOST_ROUNDS = 3
// If the event loop is blocked for longer than this, the service is restarted for the next input.
const PATIENCE = 10_000
const PACE = 10

/** How long the worst requests, and the worst replies of a model, block the event loop. */
export async function blocking ({ rounds }) {
  const model = await Server.start('hostile')
  const subject = new Subject(`http://127.0.0.1:${model.port}/v1`)
  const found = []
  try {
    for (const { what, body, goal } of inputs()) {
      const samples = []
      for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) samples.push(await subject.measure(body))
      found.push({ what, goal, samples })
    }
  } finally {
    await subject.stop()
    await model.stop()
  }
  return {
    rows: found.map(({ what, samples }) => row(what, 'ms', columns(samples))),
    goals: found.map(({ what, goal, samples }) => atMost(what, median(samples.map(ownHold)), goal, ' ms')),
    notes: ['"held" is the longest delay of the event loop, "processor" the longest time that its thread kept the processor in between, which is what the goals judge where the system tells it, "/health" the slowest answer meanwhile, "answer" the time to the end of the reply']
  }
}

function * inputs () {
  for (const model of ['hungry', 'svc-code']) {
    for (const [name, body] of Object.entries(requestsTo(model))) yield { what: `${model}: ${name}`, body, goal: isSingleText(name) ? GOAL_OF_ONE_TEXT : GOAL }
  }
  for (const name of Object.keys(REPLIES)) {
    for (const model of ['hungry-relay', 'svc-code']) {
      const body = JSON.stringify({ model, stream: model !== 'svc-code', messages: [{ role: 'user', content: name }] })
      yield { what: `${model} is told ${name}`, body, goal: GOAL }
    }
  }
}

// The part of a delay during which the loop's own thread used the processor; on a busy machine, other programs cause the rest.
function ownHold ({ held, processor }) {
  return Number.isNaN(processor) ? held : Math.min(held, processor)
}

function columns (samples) {
  return Object.fromEntries(['held', 'processor', '/health', 'answer'].map(name => [name, samples.map(sample => sample[name])]))
}

/** The service under test. */
class Subject {
  #server
  #backend

  constructor (backend) { this.#backend = backend }

  async measure (body) {
    this.#server ??= await this.#start()
    const { port } = this.#server
    const payload = Buffer.from(`POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nidempotency-key: ${Math.random()}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    await this.#server.watchLoop()
    const over = new AbortController()
    const asked = askHealth(port, over.signal)
    const since = performance.now()
    const isAnswered = await ended(port, payload)
    const answer = isAnswered ? performance.now() - since : Infinity
    over.abort()
    const health = await asked
    const { max, kept } = await this.#delay()
    return { held: max, processor: kept, '/health': health, answer }
  }

  /** The delay of the event loop; Infinity if the service does not answer any more, which also restarts it. */
  async #delay () {
    const patience = new AbortController()
    try {
      return await Promise.race([this.#server.loopDelay(), sleep(PATIENCE, undefined, { signal: patience.signal }).then(async () => {
        await this.stop()
        return { max: Infinity, kept: Infinity }
      })])
    } finally {
      patience.abort()
    }
  }

  async stop () {
    await this.#server?.stop()
    this.#server = undefined
  }

  async #start () {
    const server = await Server.start('service', { args: [this.#backend] })
    // These requests load what is loaded once, with the first request of each kind: that is not measured here.
    for (const model of ['hungry', 'hungry-relay']) await ended(server.port, chat(model))
    return server
  }
}

function chat (model) {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'short' }] })
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Whether the response ends within the time limit. */
async function ended (port, payload) {
  const socket = await dial(port)
  const patience = new AbortController()
  try {
    return await Promise.race([
      new Promise(resolve => {
        socket.on('error', () => resolve(true)).once('close', () => resolve(true)).resume()
        socket.write(payload)
      }),
      sleep(PATIENCE, false, { signal: patience.signal }).catch(() => false)
    ])
  } finally {
    patience.abort()
    socket.destroy()
  }
}

/** The slowest answer of `/health`, which is requested repeatedly until the signal aborts. */
async function askHealth (port, signal) {
  let slowest = 0
  do {
    const since = performance.now()
    const isAnswered = await ended(port, 'GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    slowest = Math.max(slowest, isAnswered ? performance.now() - since : Infinity)
    await sleep(PACE)
  } while (!signal.aborted)
  return slowest
}

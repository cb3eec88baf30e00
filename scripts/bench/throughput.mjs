import { bodyOf, chat, dial, exchange, load } from './client.mjs'
import { withServers } from './children.mjs'
import { atLeast, interleave, median, pick, row } from './figures.mjs'

const SERVERS = { svc: 'service', 'node:http': 'node', fastify: 'fastify' }
const CONNECTIONS = 16

/** Requests a second, each server in turn under the same load, and the processor time that a request takes there. */
async function compare (payload, { rounds, ms }) {
  return await withServers(SERVERS, {}, async servers => {
    await expectSameBodies(servers, payload)
    const found = await interleave(Object.keys(servers), rounds, async name => {
      const before = await servers[name].cpu()
      const { rate, answered } = await load(servers[name].port, payload, { connections: CONNECTIONS, ms })
      return { rate, micros: (await servers[name].cpu() - before) / answered }
    })
    const [rates, micros] = [pick(found, 'rate'), pick(found, 'micros')]
    return {
      rates,
      micros,
      ratio: other => median(rates.svc) / median(rates[other]),
      /** The same by processor time, which other programs on the machine disturb less. */
      byTime: other => median(micros[other]) / median(micros.svc)
    }
  })
}

async function expectSameBodies (servers, payload) {
  const bodies = new Set()
  for (const { port } of Object.values(servers)) {
    const socket = await dial(port)
    bodies.add(bodyOf((await exchange(socket, payload)).text))
    socket.destroy()
  }
  if (bodies.size > 1) throw new Error(`the servers do not send the same:\n${[...bodies].join('\n---\n')}`)
}

const rowsOf = (what, { rates, micros }) => [row(what, 'requests/s', rates), row('  server time', 'us/request', micros)]

const byServerTime = (what, { byTime }) => `${what}, by server time: ${byTime('node:http').toFixed(2)}x of node:http, ${byTime('fastify').toFixed(2)}x of Fastify`

export async function json (options) {
  const whole = await compare(chat('whole'), options)
  return {
    rows: rowsOf('JSON reply', whole),
    goals: [
      atLeast('requests/s of node:http', whole.ratio('node:http'), 0.7, 'x'),
      atLeast('requests/s of bare Fastify', whole.ratio('fastify'), 0.9, 'x')
    ],
    notes: [byServerTime('JSON reply', whole)]
  }
}

export async function sse (options) {
  const atOnce = await compare(chat('fragments', { stream: true }), options)
  const turns = await compare(chat('turns', { stream: true }), options)
  return {
    rows: [...rowsOf('100 fragments at once', atOnce), ...rowsOf('a turn after each', turns)],
    goals: [atLeast('100 fragments at once, requests/s of node:http', atOnce.ratio('node:http'), 1.8, 'x')],
    notes: [byServerTime('at once', atOnce), byServerTime('a turn after each (no goal)', turns)]
  }
}

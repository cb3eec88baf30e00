import { bodyOf, chat, dial, exchange } from './client.mjs'
import { withServers } from './children.mjs'
import { atLeast, interleave, median, onlyIf, pick, row } from './figures.mjs'
import { generator, limitOf, load, pin } from './load.mjs'

const SERVERS = { svc: 'service', 'node:http': 'bare', fastify: 'fastify' }
const CONNECTIONS = 32
// Newer versions of V8 speed up bare node:http more than the service.
const REPORTED = Number(process.versions.node.split('.')[0]) >= 24 ? 0.6 : 0.55
const COUNTED = 0.45

/** For each server under the same load: requests per second, processor time per request, and its share of a core. */
async function compare (payload, { rounds, ms }) {
  return await withServers(SERVERS, {}, async servers => {
    for (const { pid } of Object.values(servers)) pin(pid)
    await expectSameBodies(servers, payload)
    const found = await interleave(Object.keys(servers), rounds, async name => {
      const [before, since] = [await servers[name].cpu(), performance.now()]
      const { rate, answered } = await load(servers[name].port, payload, { connections: CONNECTIONS, ms })
      const [used, elapsed] = [await servers[name].cpu() - before, 1000 * (performance.now() - since)]
      return { rate, micros: used / answered, share: used / elapsed }
    })
    const [rates, micros, shares] = [pick(found, 'rate'), pick(found, 'micros'), pick(found, 'share')]
    return {
      rates,
      micros,
      limit: limitOf(Object.fromEntries(Object.entries(shares).map(([name, samples]) => [name, median(samples)]))),
      ratio: other => median(rates.svc) / median(rates[other]),
      /** The same ratio by processor time, which other programs disturb less. */
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

const goalOf = (what, { limit, ratio }, least) => onlyIf(limit.isServers, atLeast(`${what}, requests/s of node:http`, ratio('node:http'), least, 'x'))

export async function json (options) {
  const reported = await compare(chat('whole'), options)
  const counted = await compare(chat('counted'), options)
  return {
    rows: [...rowsOf('usage reported', reported), ...rowsOf('usage counted', counted)],
    goals: [
      goalOf('usage reported by the agent', reported, REPORTED),
      goalOf('usage counted by the service', counted, COUNTED)
    ],
    notes: [
      byServerTime('reported', reported), `reported: ${reported.limit.words}`,
      byServerTime('counted', counted), `counted: ${counted.limit.words}`, `load: ${generator}, ${CONNECTIONS} connections`
    ]
  }
}

export async function sse (options) {
  const atOnce = await compare(chat('fragments', { stream: true }), options)
  const turns = await compare(chat('turns', { stream: true }), options)
  return {
    rows: [...rowsOf('100 fragments at once', atOnce), ...rowsOf('a turn after each', turns)],
    goals: [goalOf('100 fragments at once', atOnce, 2)],
    notes: [
      byServerTime('at once', atOnce), `at once: ${atOnce.limit.words}`,
      byServerTime('a turn after each (no goal)', turns), `load: ${generator}, ${CONNECTIONS} connections; node:http writes each fragment by itself`
    ]
  }
}

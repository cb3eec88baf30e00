import { setTimeout as sleep } from 'node:timers/promises'
import { Server, withServers } from './children.mjs'
import { chat, dial } from './client.mjs'
import { atMost, interleave, median, pick, quantile, row } from './figures.mjs'

const TOKENS = 300
const WARM_UP = 50
const PATIENCE = 30_000

/** A backend sends the time every 10 ms: how much later it arrives through a server than directly from the backend. */
export async function addedLatency ({ rounds }) {
  const backend = await Server.start('backend')
  try {
    const files = { svc: 'service', 'node:http': 'node' }
    return await withServers(files, { args: [`http://127.0.0.1:${backend.port}/v1`] }, servers => compare(backend, servers, rounds))
  } finally {
    await backend.stop()
  }
}

async function compare (backend, servers, rounds) {
  const direct = []
  const found = await interleave(Object.keys(servers), rounds, async name => {
    const [straight, through] = await Promise.all([listen(backend.port, 'clock'), listen(servers[name].port, 'relay')])
    const common = [...through.keys()].filter(tick => straight.has(tick)).slice(WARM_UP)
    if (common.length < TOKENS / 2) throw new Error(`only ${common.length} tokens came on both ways`)
    const added = common.map(tick => through.get(tick).at - straight.get(tick).at)
    direct.push(quantile(common.map(tick => straight.get(tick).at - straight.get(tick).sent), 0.5))
    return { p50: quantile(added, 0.5), p99: quantile(added, 0.99) }
  })
  const p50 = pick(found, 'p50')
  return {
    rows: [row('added per token p50', 'ms', p50, 3), row('added per token p99', 'ms', pick(found, 'p99'), 3)],
    goals: [atMost('added p50', median(p50.svc), 0.3, ' ms')],
    notes: [`straight from the backend a token takes ${median(direct).toFixed(3)} ms; node:http here pipes the bytes through`]
  }
}

/** When each token was sent and when it arrived, in milliseconds of the machine's clock. */
async function listen (port, model) {
  const tokens = new Map()
  const socket = await dial(port)
  try {
    await Promise.race([
      new Promise((resolve, reject) => {
        socket.once('error', reject).once('close', () => reject(new Error('the connection was closed')))
        socket.on('data', part => {
          const at = millis(process.hrtime.bigint())
          for (const [, tick, sent] of part.latin1Slice().matchAll(/<(\d+) (\d+)>/g)) tokens.set(tick, { at, sent: millis(BigInt(sent)) })
          if (tokens.size >= TOKENS + WARM_UP) resolve()
        })
        socket.write(chat(model, { stream: true }))
      }),
      sleep(PATIENCE, undefined, { ref: false }).then(() => { throw new Error('no tokens come') })
    ])
    return tokens
  } finally {
    socket.removeAllListeners('close').resetAndDestroy()
  }
}

function millis (nanos) {
  return Number(nanos % 1_000_000_000_000n) / 1e6
}

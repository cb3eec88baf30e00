import { setTimeout as sleep } from 'node:timers/promises'
import { chat, dial, exchange } from './client.mjs'
import { withServers } from './children.mjs'
import { atMost, interleave, median, pick, quantile, row } from './figures.mjs'

const OPEN = 200
const REQUESTS = 200
const PAUSE = 5

/** How long a new stream waits for its first byte while 200 others are being written, 20 fragments a second each. */
export async function firstByte ({ rounds }) {
  return await withServers({ svc: 'service', 'node:http': 'node' }, {}, async servers => {
    const found = await interleave(Object.keys(servers), rounds, name => measure(servers[name].port))
    const p99 = pick(found, 'p99')
    return {
      rows: [row('first byte p50', 'ms', pick(found, 'p50'), 2), row('first byte p99', 'ms', p99, 2)],
      goals: [atMost(`p99 with ${OPEN} open streams`, median(p99.svc), 10, ' ms')]
    }
  })
}

async function measure (port) {
  const streams = await Promise.all(Array.from({ length: OPEN }, () => dial(port)))
  const socket = await dial(port)
  try {
    const ticking = chat('ticking', { stream: true })
    for (const stream of streams) {
      stream.resume().write(ticking)
      if (Math.random() < 0.2) await sleep(1) // otherwise all streams would send at the same moments
    }
    const request = chat('fragments', { stream: true })
    const times = []
    for (let i = 0; i < REQUESTS; i++) {
      times.push((await exchange(socket, request)).first)
      await sleep(PAUSE)
    }
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
  } finally {
    for (const each of [...streams, socket]) each.resetAndDestroy()
  }
}

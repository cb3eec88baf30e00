import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from './children.mjs'
import { chat, dial } from './client.mjs'
import { atMost, interleave, median, pick, row } from './figures.mjs'

const WARM_UP = 500
const AT_ONCE = 100
const PATIENCE = 20_000
const KIB = 1024

// The bare server is measured with the same agent, and with one that never continues.
const SUBJECTS = {
  svc: { file: 'service', model: 'idle' },
  'node:http': { file: 'node', model: 'idle' },
  'no agent': { file: 'node', model: 'mute' }
}

/** How much memory an open, silent stream takes. Each round has a new server, because a process does not return its memory. */
export async function idleStreams ({ rounds, streams }) {
  const count = Math.min(streams, descriptors() - 500)
  const found = await interleave(Object.keys(SUBJECTS), rounds, async name => {
    const { file, model } = SUBJECTS[name]
    const server = await Server.start(file, { flags: ['--expose-gc'] })
    try {
      return await measure(server, model, count)
    } finally {
      await server.stop()
    }
  })
  const [heap, rss] = [pick(found, 'heap'), pick(found, 'rss')]
  return {
    rows: [row('heap after GC', 'KiB/stream', heap, 1), row('RSS', 'KiB/stream', rss, 1)],
    goals: [
      atMost('heap after GC', median(heap.svc), 12, ' KiB'),
      atMost('RSS of node:http', median(rss.svc) / median(rss['node:http']), 1.5, 'x')
    ],
    notes: [`${count} open streams${count < streams ? `, not ${streams}: the descriptor limit is ${descriptors()}; raise it with ulimit -n` : ''}`]
  }
}

// The limit of open files: benchmark and server each hold one end of a stream. Node raises its own limit, and children inherit it.
function descriptors () {
  if (process.platform === 'win32') return Infinity
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? Infinity : Number(limit)
}

async function measure (server, model, count) {
  await close(await open(server.port, model, WARM_UP))
  const before = await server.memory()
  const sockets = await open(server.port, model, count)
  try {
    const after = await server.memory()
    return Object.fromEntries(Object.keys(after).map(key => [key, (after[key] - before[key]) / KIB / count]))
  } finally {
    await close(sockets)
  }
}

/** Opens streams, and reads the first fragment of each. */
async function open (port, model, count) {
  const sockets = []
  const request = chat(model, { stream: true })
  try {
    for (let from = 0; from < count; from += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, async (_, i) => {
        // One address has too few ports; other systems than Linux have only one loopback address.
        const socket = await dial(port, process.platform === 'linux' ? `127.0.0.${2 + (from + i) % 4}` : undefined)
        sockets.push(socket)
        socket.write(request)
        await firstFragment(socket)
        socket.resume()
      }))
    }
    return sockets
  } catch (error) {
    await close(sockets)
    throw error
  }
}

async function firstFragment (socket) {
  const signal = AbortSignal.timeout(PATIENCE)
  for (let text = ''; !text.includes('fragment 0');) text += (await once(socket, 'data', { signal }))[0].latin1Slice()
}

async function close (sockets) {
  for (const socket of sockets) socket.resetAndDestroy()
  await sleep(500)
}

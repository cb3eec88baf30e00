import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { clearInterval, setInterval } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSnapshot } from 'node:v8'

const delays = monitorEventLoopDelay({ resolution: 1 })

const OWN = ['object', 'closure', 'string', 'concatenated string', 'sliced string', 'array', 'number', 'symbol', 'bigint', 'regexp']

const answers = {
  async memory () {
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.()
      await sleep(50)
    }
    const { heapUsed, rss } = process.memoryUsage()
    return { heap: heapUsed, rss }
  },

  /** The objects of the program itself. V8's own part (compiled code and type feedback) is left out, because it grows all the time. */
  async objects () {
    const parts = []
    for await (const part of getHeapSnapshot()) parts.push(part)
    const { snapshot: { meta }, nodes } = JSON.parse(parts.join(''))
    const [type, size] = ['type', 'self_size'].map(field => meta.node_fields.indexOf(field))
    const own = new Set(OWN.map(kind => meta.node_types[type].indexOf(kind)))
    let bytes = 0
    for (let at = 0; at < nodes.length; at += meta.node_fields.length) if (own.has(nodes[at + type])) bytes += nodes[at + size]
    return { bytes }
  },

  cpu () {
    const { user, system } = process.cpuUsage()
    return { micros: user + system }
  },

  watch () {
    delays.reset()
    delays.enable()
    turns.watch()
    return {}
  },

  delay () {
    delays.disable()
    return { p99: delays.percentile(99) / 1e6, max: delays.max / 1e6, kept: turns.longest() }
  }
}

/** The longest processor time between two turns of the event loop: unlike a delay, it does not grow on a busy machine. */
const turns = {
  timer: undefined,
  most: 0,
  watch () {
    clearInterval(turns.timer)
    turns.most = 0
    let before = ownMillis()
    turns.timer = setInterval(() => {
      const now = ownMillis()
      turns.most = Math.max(turns.most, now - before)
      before = now
    }, 1)
  },
  longest () {
    clearInterval(turns.timer)
    return turns.most
  }
}

/** The processor time of the thread of the event loop; NaN if the system does not report it. */
function ownMillis () {
  return process.platform === 'linux' ? Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6 : NaN
}

/** Sends the server's port to the benchmark, and answers its questions. The server ends together with the benchmark. */
export function listens (port) {
  process.on('message', async what => process.send(await answers[what]()))
  process.once('disconnect', () => process.exit())
  process.send({ port })
}

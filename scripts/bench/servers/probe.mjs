import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

const delays = monitorEventLoopDelay({ resolution: 1 })

const answers = {
  async memory () {
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.()
      await sleep(50)
    }
    const { heapUsed, rss } = process.memoryUsage()
    return { heap: heapUsed, rss }
  },

  cpu () {
    const { user, system } = process.cpuUsage()
    return { micros: user + system }
  },

  watch () {
    delays.reset()
    delays.enable()
    return {}
  },

  delay () {
    delays.disable()
    return { p99: delays.percentile(99) / 1e6, max: delays.max / 1e6 }
  }
}

/** Tells the bench where the server listens, and answers what it asks. The server never outlives the bench. */
export function listens (port) {
  process.on('message', async what => process.send(await answers[what]()))
  process.once('disconnect', () => process.exit())
  process.send({ port })
}

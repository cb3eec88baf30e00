import { setTimeout as sleep } from 'node:timers/promises'

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
  }
}

/** Tells the bench where the server listens, and answers what it asks. The server never outlives the bench. */
export function listens (port) {
  process.on('message', async what => process.send(await answers[what]()))
  process.once('disconnect', () => process.exit())
  process.send({ port })
}

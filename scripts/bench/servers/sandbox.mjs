// The service, of which only the sandbox is used: it carries out the orders of the benchmark and reports how long they took. The
// plain programs for comparison are also started from here.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { clearInterval, setInterval } from 'node:timers'
import { buildApp } from '../../../dist/app.js'

const app = await buildApp({ backendUrl: 'http://127.0.0.1:9' })
await app.listen({ port: 0, host: '127.0.0.1' })
const { sandbox } = app
const options = () => ({ signal: AbortSignal.timeout(60_000) })

const WORK = {
  async job ({ operation, job }) {
    const since = performance.now()
    const result = await sandbox[operation](job, options())
    const ms = performance.now() - since
    expectRight(operation, result)
    return ms
  },

  async plain ({ command, env, input = '' }) {
    const since = performance.now()
    const child = spawn(command[0], command.slice(1), { env: { ...process.env, ...env }, stdio: ['pipe', 'ignore', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', part => { stderr += part })
    child.stdin.on('error', () => {}) // the program ended before it had read its input
    child.stdin.end(input)
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
    if (code !== 0) throw new Error(`${command.join(' ')} ended with code ${code}: ${stderr}`)
    return performance.now() - since
  },

  async together ({ count, each }) {
    const loop = watchLoop()
    const since = performance.now()
    await Promise.all(Array.from({ length: count }, () => WORK[each.do](each)))
    return { ms: performance.now() - since, loop: loop.end() }
  },

  warm: ({ language }) => { sandbox.warm(language) }
}

function expectRight (operation, result) {
  const isRight = {
    format: () => Object.keys(result).length > 0,
    check: () => result.diagnostics.every(({ severity }) => severity !== 'error') && result.unchecked.length === 0,
    test: () => result.outcome === 'passed' && result.tests.length === 5,
    evaluate: () => result.every(({ type }) => type === 'returned'),
    run: () => result.outcome === 'exited' && result.exitCode === 0 && result.stdout.startsWith('2.5')
  }
  if (!isRight[operation]()) throw new Error(`${operation} went wrong: ${JSON.stringify(result).slice(0, 2000)}`)
}

/** Measures the delays of the event loop, and its processor time between two turns, which does not grow on a busy machine. */
function watchLoop () {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  let held = 0
  let before = ownMillis()
  const timer = setInterval(() => {
    const now = ownMillis()
    held = Math.max(held, now - before)
    before = now
  }, 1)
  histogram.enable()
  return {
    end () {
      histogram.disable()
      clearInterval(timer)
      return { p99: histogram.percentile(99) / 1e6, max: histogram.max / 1e6, held }
    }
  }
}

/** The processor time of the thread of the event loop; NaN if the system does not report it. */
function ownMillis () {
  return process.platform === 'linux' ? Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6 : NaN
}

process.on('message', async message => {
  try {
    process.send({ result: await WORK[message.do](message) })
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) })
  }
})
process.once('disconnect', () => void app.close().finally(() => process.exit()))
process.send({ port: app.server.address().port })

import type { FastifyInstance } from 'fastify'
import { describe } from '../../schemas/errors.js'
import { runContext } from '../../plugins/runs/run.js'

// An agent that throws in a timer, or forgets a promise, must not take the others with it.
export function survive (app: FastifyInstance): void {
  const report = (err: unknown) => app.log.error({ ...strayRun(app), err: err instanceof Error ? err : new Error(describe(err)) }, 'something failed outside of any reply; the service goes on')
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
}

// Known where runs are traced; elsewhere it is one of those in flight.
function strayRun (app: FastifyInstance): object {
  const run = runContext.getStore()
  return run === undefined ? { runs: app.runs.ids.slice(0, 10) } : { run }
}

// npm hands a Ctrl-C on to us, and so does the terminal; two `npm stop` may cross. What comes at once counts once.
const SAME_SIGNAL = 150

// Beyond the drain and the last words of what it ended: what an agent does at the end may never be done.
const CLOSING = 5000

/** Gives what a signal does, for those who are asked to leave in another way. */
export function leaveOnSignals (app: FastifyInstance, drain: number, onStop: () => void): (signal: NodeJS.Signals, end?: () => void) => void {
  let first: { signal: string, at: number } | undefined
  const onSignal = (signal: NodeJS.Signals, end: () => void = () => process.exit(0)) => {
    const at = performance.now()
    if (first !== undefined) {
      const mayBeTheSame = process.env.npm_lifecycle_event !== undefined || (signal === 'SIGTERM' && first.signal === signal)
      if (mayBeTheSame && at - first.at < SAME_SIGNAL) return
      process.exit(1)
    }
    first = { signal, at }
    onStop()
    const { runs } = app.runs.load
    app.log.info({ signal, runs }, runs === 0 ? 'svc stops' : `svc stops; ${runs === 1 ? '1 run has' : `${runs} runs have`} ${drain} s to finish (once more to end at once)`)
    setTimeout(() => {
      app.log.error('an agent did not let go at the end: svc stops all the same')
      process.exit(0)
    }, drain * 1000 + CLOSING).unref()
    app.close().then(end, error => {
      app.log.error(error)
      process.exit(1)
    })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => onSignal(signal))
  return onSignal
}

/** Ends as a Ctrl-C ends a program that knows nothing of it, so that npm and the shell need not report a failure. */
export function endByInterrupt (): void {
  process.once('exit', () => {
    if (process.platform === 'win32') return
    process.removeAllListeners('SIGINT')
    process.kill(process.pid, 'SIGINT')
  })
  process.exit(130)
}

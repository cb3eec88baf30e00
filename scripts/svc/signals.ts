import type { FastifyInstance } from 'fastify'
import { describe } from '../../schemas/errors.js'
import { runContext } from '../../plugins/runs/run.js'

const STRAY = 'something failed outside of any reply; the service goes on'

/** Logs stray errors instead of ending the process: an agent that throws in a timer must not end the runs of others. */
export function logStrayErrors (app: FastifyInstance): void {
  const report = (error: unknown) => {
    const err = error instanceof Error ? error : new Error(describe(error))
    app.log.error({ ...strayRun(app), err }, STRAY)
  }
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
}

// The run that a stray error belongs to, if runs are traced; otherwise the runs in flight, one of which it must be.
function strayRun (app: FastifyInstance): object {
  const run = runContext.getStore()
  return run === undefined ? { runs: app.runs.ids.slice(0, 10) } : { run }
}

// A Ctrl-C comes twice: from the terminal and from npm. Signals within this many milliseconds count as one.
const SAME_SIGNAL = 150

// How many milliseconds closing may take after the drain: the onClose hook of an agent may never end.
const CLOSING = 5000

const HANGS = 'an agent did not let go at the end: svc stops all the same'

/** Stops the service on a signal. Returns the function that does so, for other ways to stop. */
export function stopOnSignals (
  app: FastifyInstance, drain: number, onStop: () => void
): (signal: NodeJS.Signals, end?: () => void) => void {
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
    const inFlight = runs === 1 ? '1 run has' : `${runs} runs have`
    app.log.info({ signal, runs }, runs === 0 ? 'svc stops' : `svc stops; ${inFlight} ${drain} s to finish (once more to end at once)`)
    setTimeout(() => {
      app.log.error(HANGS)
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

/** Ends the process by SIGINT, like a program that does not handle Ctrl-C, so that npm and the shell do not report a failure. */
export function endByInterrupt (): void {
  process.once('exit', () => {
    if (process.platform === 'win32') return
    process.removeAllListeners('SIGINT')
    process.kill(process.pid, 'SIGINT')
  })
  process.exit(130)
}

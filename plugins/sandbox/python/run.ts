import type { RunReport } from '../../../agents/types.js'
import { type Ending, printed, readMessages, runReport, sentenceFor } from '../run-report.js'
import type { WorkerRun } from '../worker.js'
import { endOf, frameIn, textIn, unavailableIn, unavailableMessage } from './messages.js'

// How harness/failures.py names what run-report.ts calls a need.
const NEEDS: Record<string, string> = { 'network connections': 'network', processes: 'processes' }
// How an interpreter that fails begins to print why.
const LAST_STACK = 'Stack (most recent call first):\n'
const LAST_WORDS = 'Pyodide has suffered a fatal error.'
// As a traceback or a warning names a file.
const OWN_PATHS = /(File "|^)\/job\//gm

export function programReport (run: WorkerRun): RunReport {
  const messages = readMessages(run)
  const { over } = messages
  const unavailable = unavailableIn(over?.unavailable)
  const ability = unavailable && 'ability' in unavailable ? unavailable.ability : null
  const ending: Ending = {
    exitCode: typeof over?.exitCode === 'number' ? over.exitCode : null,
    limit: over?.cause === 'time' || over?.cause === 'memory' ? over.cause : null,
    missing: unavailable && 'module' in unavailable ? unavailable.module : null,
    unavailable: ability === null ? null : sentenceFor(NEEDS[ability] ?? '') ?? unavailableMessage({ ability }),
    frame: frameIn(over?.frame),
    stdout: printed(run),
    stderr: run.stderr.replace(OWN_PATHS, '$1')
  }
  if (over || run.cause !== 'exited') return runReport(run, messages, ending)
  // The program killed its interpreter. What the interpreter printed at last is not the program's.
  const [stdout = ''] = ending.stdout.split(LAST_STACK, 1)
  const [stderr = ''] = ending.stderr.split(LAST_WORDS, 1)
  const why = endOf('the program', { cause: 'exited', stderr: `${run.stderr.slice(stderr.length)}\n${textIn(messages.thrown?.message)}` })
  return runReport(run, messages, { ...ending, unavailable: why, stdout, stderr })
}

import type { RunReport } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { type Ending, type Limit, printed, readTold, runReport, sentenceOf } from '../programs.js'
import { frameOf, lackOf, sayEnd, sayLack, textOf } from './reports.js'

// What harness/failures.py calls these.
const NEEDS: Record<string, string> = { 'network connections': 'network', processes: 'processes' }
// How an interpreter that gives up begins to say so.
const LAST_STACK = 'Stack (most recent call first):\n'
const LAST_WORDS = 'Pyodide has suffered a fatal error.'
// As a traceback or a warning names a file.
const OWN_PATHS = /(File "|^)\/job\//gm

/** What became of a program that was run. */
export function programReport (run: CellRun): RunReport {
  const told = readTold(run)
  const { over } = told
  const lack = lackOf(over?.lacks)
  const ending: Ending = {
    exitCode: typeof over?.exitCode === 'number' ? over.exitCode : null,
    limit: limitOf(over?.cause),
    missing: lack && 'module' in lack ? lack.module : null,
    lack: lack && 'ability' in lack ? sentenceOf(NEEDS[lack.ability] ?? '') ?? sayLack(lack) : null,
    frame: frameOf(over?.frame),
    stdout: printed(run),
    stderr: run.stderr.replace(OWN_PATHS, '$1')
  }
  if (over || run.cause !== 'exited') return runReport(run, told, ending)
  // It killed its interpreter: what that said last is nothing of the program's.
  const [stdout = ''] = ending.stdout.split(LAST_STACK, 1)
  const [stderr = ''] = ending.stderr.split(LAST_WORDS, 1)
  const why = sayEnd('the program', { cause: 'exited', stderr: `${run.stderr.slice(stderr.length)}\n${textOf(told.thrown?.message)}` })
  return runReport(run, told, { ...ending, lack: why, stdout, stderr })
}

function limitOf (cause: unknown): Limit | null {
  return cause === 'time' || cause === 'memory' ? cause : null
}

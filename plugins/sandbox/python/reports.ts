import type { Frame, TestReport, TestResult } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import type { Report } from '../frames.js'
import { isRecord } from '../values.js'
import { isPackage } from './packages.js'

const ENDS: Record<Exclude<NonNullable<CellRun['cause']>, 'exited'>, string> = {
  time: 'it ran out of time',
  cpu: 'it ran out of CPU time',
  memory: 'it ran out of memory',
  output: 'it printed more than it may'
}
// Of the interpreter, when it cannot go on.
const FATAL = /The cause of the fatal error was:\s*(.*)/

/** What the harness tells, as far as it has the shape that it should. It speaks from within the code's own process. */
export type Told =
  | FileTold
  | { type: 'collected', tests: TestName[] }
  | { type: 'left out', tests: TestName[] }
  | { type: 'begin', file: string, name: string }
  | { type: 'test', test: TestResult, limit: string | null, lacks: Lack | null, skipper: Frame | null }
  | { type: 'outcome', index: number, outcome: Record<string, unknown> }
  | { type: 'done', limit: Limit | null, ended: { how: string, message: string } | null }

/** Of a file that did not load, or that skips all that is in it. */
export interface FileTold { type: 'file', file: string, problem: string, message: string, frame: Frame | null, lacks: Lack | null, output: string }
export interface TestName { file: string, name: string }
export interface Limit { cause: NonNullable<TestReport['cause']>, message: string }

/** A module that is not there, or something that this place cannot do. */
export type Lack = { module: string } | { ability: string }

export interface ToldRun {
  /** Tests that the files declare, without their parameters: told by the worker itself before any code of the job ran, as are the doubts. */
  declared: TestName[]
  doubts: string[]
  told: Told[]
}

export function readReports (reports: Report[]): ToldRun {
  const run: ToldRun = { declared: [], doubts: [], told: [] }
  for (const [index, { body }] of reports.entries()) {
    if (!isRecord(body)) continue
    if (index === 0 && body.type === 'looked' && isRecord(body.at)) {
      run.declared = listOf(body.at.declared).filter(isRecord).flatMap(({ file, names }) => listOf(names).map(name => ({ file: textOf(file), name: textOf(name) })))
      run.doubts = listOf(body.at.doubts).map(textOf)
    } else if (body.type === 'told') {
      const event = eventOf(body.event)
      if (event) run.told.push(event)
    }
  }
  return run
}

function eventOf (event: unknown): Told | undefined {
  if (!isRecord(event)) return undefined
  const { type, file, message, frame, lacks, output } = event
  switch (type) {
    case 'file': return { type, file: textOf(file), problem: textOf(event.problem), message: textOf(message), frame: frameOf(frame), lacks: lackOf(lacks), output: textOf(output) }
    case 'collected':
    case 'left out': return { type, tests: listOf(event.tests).map(listOf).map(([file, name]) => ({ file: textOf(file), name: textOf(name) })) }
    case 'begin': return { type, file: textOf(file), name: textOf(event.name) }
    case 'test': {
      const test = testOf(event)
      return test && { type, test, limit: typeof event.limit === 'string' ? event.limit : null, lacks: lackOf(lacks), skipper: frameOf(event.skipper) }
    }
    case 'outcome': return typeof event.index === 'number' && isRecord(event.outcome) ? { type, index: event.index, outcome: event.outcome } : undefined
    case 'done': return {
      type,
      limit: isRecord(event.limit) ? { cause: causeOf(event.limit.cause), message: textOf(event.limit.message) } : null,
      ended: isRecord(event.ended) ? { how: textOf(event.ended.how), message: textOf(event.ended.message) } : null
    }
    default: return undefined
  }
}

function testOf ({ file, name, outcome, durationMs, message, frame, output }: Record<string, unknown>): TestResult | undefined {
  if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'skipped') return undefined
  return {
    name: textOf(name), file: textOf(file), outcome, trust: outcome === 'skipped' ? 'not run' : 'ran', durationMs: typeof durationMs === 'number' ? durationMs : 0,
    message: typeof message === 'string' ? message : null, frame: frameOf(frame), output: textOf(output)
  }
}

export function frameOf (frame: unknown): Frame | null {
  return isRecord(frame) && typeof frame.file === 'string' && typeof frame.line === 'number' ? { file: frame.file, line: frame.line } : null
}

/** Only what is known to lack: any other name is the program's own mistake. */
export function lackOf (lacks: unknown): Lack | null {
  if (!isRecord(lacks)) return null
  if (typeof lacks.ability === 'string') return { ability: lacks.ability }
  if (typeof lacks.module === 'string' && (lacks.standard === true || isPackage(lacks.module))) return { module: lacks.module }
  return null
}

export function sayLack (lack: Lack): string {
  return 'module' in lack ? `not available here: ${lack.module}` : `it needs ${lack.ability}, which are not here`
}

export function causeOf (cause: unknown): NonNullable<TestReport['cause']> {
  return cause === 'time' || cause === 'output' || cause === 'memory' || cause === 'exited' || cause === 'load error' ? cause : 'exited'
}

export function textOf (value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf (value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Why a cell ended before it had told of all `what` it was to run. */
export function sayEnd (what: string, { cause, stderr }: Pick<CellRun, 'cause' | 'stderr'>): string {
  if (cause !== null && cause !== 'exited') return ENDS[cause]
  const said = stderr.trim()
  const why = said.includes('Maximum call stack size exceeded') ? 'it recursed deeper than can be followed here, through functions that are not written in Python' : FATAL.exec(said)?.[1] ?? said
  return `the process ended before ${what} had${why === '' ? '' : `: ${why.slice(0, 300)}`}`
}

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
  | { type: 'file', file: string, problem: string | null, message: string, frame: Frame | null, lacks: Lack | null, found: string[], output: string }
  | { type: 'begin', file: string, name: string }
  | { type: 'test', file: string, test: TestResult, limit: string | null, lacks: Lack | null }
  | { type: 'outcome', index: number, outcome: Record<string, unknown> }
  | { type: 'done', isAlive: boolean, limit: Limit | null }

interface Limit { cause: NonNullable<TestReport['cause']>, message: string }

/** A module that is not there, or something that this place cannot do. */
export type Lack = { module: string } | { ability: string }

export interface Declared {
  names: string[]
  /** Those that cannot skip themselves: nothing in their text says so. */
  firm: Set<string>
}

export interface ToldRun {
  /** Tests that the files declare, by file: told by the worker itself before any code of the job ran. */
  declared: Map<string, Declared>
  told: Told[]
  /** Whether every report was one, and nothing that runs tests was reached for or replaced. */
  isSound: boolean
  /** How many of those told came before anything of that kind. */
  sound: number
}

export function readReports (reports: Report[]): ToldRun {
  const declared = new Map<string, Declared>()
  const told: Told[] = []
  let isSound = true
  let sound = 0
  for (const [index, { body }] of reports.entries()) {
    if (isSound) sound = told.length
    if (!isRecord(body)) isSound = false
    else if (index === 0 && body.type === 'declared') for (const { file, names, firm } of listOf(body.files).filter(isRecord)) declared.set(textOf(file), { names: listOf(names).map(textOf), firm: new Set(listOf(firm).map(textOf)) })
    else if (body.type === 'told') {
      const event = eventOf(body.event)
      if (event) told.push(event)
      else isSound = false
    } else if (body.type !== 'end') isSound = false
  }
  return { declared, told, isSound, sound: isSound ? told.length : sound }
}

function eventOf (event: unknown): Told | undefined {
  if (!isRecord(event)) return undefined
  const { type, file, frame, lacks, output } = event
  switch (type) {
    case 'file': return { type, file: textOf(file), problem: typeof event.problem === 'string' ? event.problem : null, message: textOf(event.message), frame: frameOf(frame), lacks: lackOf(lacks), found: listOf(event.found).map(textOf), output: textOf(output) }
    case 'begin': return { type, file: textOf(file), name: textOf(event.name) }
    case 'test': {
      const test = testOf(event)
      return test && { type, file: textOf(file), test, limit: typeof event.limit === 'string' ? event.limit : null, lacks: lackOf(lacks) }
    }
    case 'outcome': return typeof event.index === 'number' && isRecord(event.outcome) ? { type, index: event.index, outcome: event.outcome } : undefined
    case 'done': return { type, isAlive: event.alive === true, limit: isRecord(event.limit) ? { cause: causeOf(event.limit.cause), message: textOf(event.limit.message) } : null }
    default: return undefined
  }
}

function testOf ({ file, name, outcome, durationMs, message, frame, output }: Record<string, unknown>): TestResult | undefined {
  if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'skipped') return undefined
  return { name: textOf(name), file: textOf(file), outcome, durationMs: typeof durationMs === 'number' ? durationMs : 0, message: typeof message === 'string' ? message : null, frame: frameOf(frame), output: textOf(output) }
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

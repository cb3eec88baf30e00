import type { Frame, TestReport, TestResult } from '../../../agents/types.js'
import type { Message } from '../frames.js'
import { LIMIT_REACHED } from '../limits.js'
import { type Failure, notAvailable } from '../test-report.js'
import { isRecord } from '../values.js'
import type { WorkerRun } from '../worker.js'
import { isPackage } from './packages.js'

// What the interpreter prints when it cannot go on.
const FATAL = /The cause of the fatal error was:\s*(.*)/

/** What the harness sent, where it has the expected shape. The harness shares its process with the code under test. */
export type Event =
  | FileProblem
  | { type: 'collected' | 'deselected', tests: TestName[] }
  | { type: 'begin', file: string, name: string }
  | { type: 'test', test: TestResult, limit: string | null, unavailable: Unavailable | null, skippedAt: Frame | null }
  | { type: 'outcome', index: number, outcome: Record<string, unknown> }
  | { type: 'done', failure: Failure | null }

/** A file that did not load, or that skips all its tests. */
export interface FileProblem {
  type: 'file'
  file: string
  problem: string
  message: string
  frame: Frame | null
  unavailable: Unavailable | null
  output: string
}

export interface TestName { file: string, name: string }

/** A module that is not here, or something that Python cannot do here. */
export type Unavailable = { module: string } | { ability: string }

export interface Events {
  /** Tests that the files declare, without parameters. The worker read them, and the doubts, before any code of the job ran. */
  declared: TestName[]
  doubts: string[]
  events: Event[]
}

export function readEvents (messages: Message[]): Events {
  const found: Events = { declared: [], doubts: [], events: [] }
  for (const [index, { body }] of messages.entries()) {
    if (!isRecord(body)) continue
    if (index === 0 && body.type === 'prepared' && isRecord(body.found)) {
      const files = listIn(body.found.declared).filter(isRecord)
      found.declared = files.flatMap(({ file, names }) => listIn(names).map(name => ({ file: textIn(file), name: textIn(name) })))
      found.doubts = listIn(body.found.doubts).map(textIn)
    } else if (body.type === 'event' && isRecord(body.event)) {
      const event = eventIn(body.event)
      if (event) found.events.push(event)
    }
  }
  return found
}

function eventIn (event: Record<string, unknown>): Event | undefined {
  const { type } = event
  const [file, message] = [textIn(event.file), textIn(event.message)]
  const [frame, unavailable] = [frameIn(event.frame), unavailableIn(event.unavailable)]
  switch (type) {
    case 'file': return { type, file, problem: textIn(event.problem), message, frame, unavailable, output: textIn(event.output) }
    case 'collected':
    case 'deselected': {
      const names = listIn(event.tests).map(listIn)
      return { type, tests: names.map(([file, name]) => ({ file: textIn(file), name: textIn(name) })) }
    }
    case 'begin': return { type, file, name: textIn(event.name) }
    case 'test': {
      const test = testIn(event)
      const limit = typeof event.limit === 'string' ? event.limit : null
      return test && { type, test, limit, unavailable, skippedAt: frameIn(event.skippedAt) }
    }
    case 'outcome': {
      const { index, outcome } = event
      return typeof index === 'number' && isRecord(outcome) ? { type, index, outcome } : undefined
    }
    case 'done': return { type, failure: typeof event.cause === 'string' ? { cause: causeIn(event.cause), message, frame: null } : null }
    default: return undefined
  }
}

function testIn ({ file, name, outcome, durationMs, message, frame, output }: Record<string, unknown>): TestResult | undefined {
  if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'skipped') return undefined
  return {
    name: textIn(name),
    file: textIn(file),
    outcome,
    trust: outcome === 'skipped' ? 'not run' : 'ran',
    durationMs: typeof durationMs === 'number' ? durationMs : 0,
    message: typeof message === 'string' ? message : null,
    frame: frameIn(frame),
    output: textIn(output)
  }
}

export function frameIn (frame: unknown): Frame | null {
  const isFrame = isRecord(frame) && typeof frame.file === 'string' && typeof frame.line === 'number'
  return isFrame ? { file: String(frame.file), line: Number(frame.line) } : null
}

/** Only modules that are known packages: any other name is more likely a mistake of the program. */
export function unavailableIn (sent: unknown): Unavailable | null {
  if (!isRecord(sent)) return null
  if (typeof sent.ability === 'string') return { ability: sent.ability }
  if (typeof sent.module === 'string' && (sent.standard === true || isPackage(sent.module))) return { module: sent.module }
  return null
}

export function unavailableMessage (unavailable: Unavailable): string {
  return 'module' in unavailable ? notAvailable([unavailable.module]) : `it needs ${unavailable.ability}, which are not here`
}

const CAUSES = new Set(['time', 'output', 'memory', 'exited', 'load error'])

export function causeIn (cause: unknown): NonNullable<TestReport['cause']> {
  return typeof cause === 'string' && CAUSES.has(cause) ? cause as NonNullable<TestReport['cause']> : 'exited'
}

export function textIn (value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listIn (value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Why a worker ended before it had reported everything that `what` names. */
export function endOf (what: string, { cause, stderr }: Pick<WorkerRun, 'cause' | 'stderr'>): string {
  if (cause !== null && cause !== 'exited') return LIMIT_REACHED[cause]
  const printed = stderr.trim()
  const why = printed.includes('Maximum call stack size exceeded')
    ? 'it recursed deeper than can be followed here, through functions that are not written in Python'
    : FATAL.exec(printed)?.[1] ?? printed
  return `the process ended before ${what} had${why === '' ? '' : `: ${why.slice(0, 300)}`}`
}

import type { Call, Files, Frame, Language, Outcome, RunReport, Sandbox } from '../../types.js'
import { keyOf, print } from './comparable.js'

/** The result of one call of a program. */
export interface Result {
  /** The comparable text of the result: two programs behave alike for this call if these texts are equal. */
  print: string
  outcome: Outcome
}

export interface Trial {
  results: Map<string, Result>
  /** Why nothing ran, if so. */
  fault: Fault | null
}

/** Why a program as a whole could not be run. */
export interface Fault { kind: 'load' | 'missing' | 'limit' | 'sandbox', message: string, missing: string[], frame?: Frame | null }

const WALL_MS = 6000

/** Runs calls of a program. Their results are keyed by the text of the call. */
export async function run (
  sandbox: Sandbox,
  program: { language: Language, files: Files },
  calls: readonly Call[],
  signal: AbortSignal
): Promise<Trial> {
  if (calls.length === 0) return { results: new Map(), fault: null }
  const outcomes = await sandbox.evaluate({ ...program, calls: [...calls] }, { signal, limits: { wallMs: WALL_MS } })
  const results = new Map<string, Result>()
  for (const [index, call] of calls.entries()) {
    const outcome = outcomes[index]
    if (outcome) results.set(keyOf(call), { print: printOf(outcome), outcome })
  }
  return { results, fault: faultOf(outcomes) }
}

/** Loads a program without calling anything. */
export async function load (
  sandbox: Sandbox,
  program: { language: Language, files: Files },
  nothing: Call,
  signal: AbortSignal
): Promise<Trial> {
  return { results: new Map(), fault: (await run(sandbox, program, [nothing], signal)).fault }
}

/** Why a started program did not end by itself, if so. */
export function faultOfRun (report: RunReport): Fault | null {
  switch (report.outcome) {
    case 'exited': return null
    case 'not available': return { kind: 'missing', message: report.message ?? '', missing: report.missing }
    default: return { kind: 'limit', message: report.message ?? '', missing: report.missing }
  }
}

/** Says what is not available: the missing modules, or else the message of the sandbox. */
export function lackOf ({ missing, message }: { missing: readonly string[], message: string | null }): string {
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not available here`
  return message?.split('\n', 1)[0] ?? 'it needs what is not here'
}

// There is a fault only if no call ran: one call that hangs also stops the calls after it, but the program itself may be right.
function faultOf (outcomes: readonly Outcome[]): Fault | null {
  const [first] = outcomes
  if (!first || first.type !== 'not run' || outcomes.some(outcome => outcome.type !== 'not run')) return null
  const { cause, message, missing } = first
  switch (cause) {
    case 'load error': return { kind: 'load', message, missing }
    case 'not available': return { kind: 'missing', message, missing }
    default: return { kind: 'limit', message, missing }
  }
}

function printOf (outcome: Outcome): string {
  switch (outcome.type) {
    case 'returned': return print(outcome.value)
    // All errors count as equal: programs that are both right may raise different ones.
    case 'raised': return 'raises'
    case 'not run': return `not run: ${outcome.cause}`
  }
}

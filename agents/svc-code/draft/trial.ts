import type { Call, Files, Frame, Language, Outcome, RunReport, Sandbox } from '../../types.js'
import { keyOf, print } from './prints.js'

/** What a program gave for one call, in a form that can be compared and shown. */
export interface Result {
  /** Equal texts mean that two programs cannot be told apart by this call. */
  print: string
  outcome: Outcome
}

export interface Trial {
  results: Map<string, Result>
  /** Why nothing ran, where that is so. */
  fault: Fault | null
}

/** Why a program as a whole could not be run. */
export interface Fault { kind: 'load' | 'missing' | 'limit' | 'sandbox', message: string, missing: string[], frame?: Frame | null }

const WALL_MS = 6000

/** Runs a program on calls. Each call is known by its text. */
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

/** Loads a program and calls nothing of it. */
export async function load (
  sandbox: Sandbox,
  program: { language: Language, files: Files },
  nothing: Call,
  signal: AbortSignal
): Promise<Trial> {
  return { results: new Map(), fault: (await run(sandbox, program, [nothing], signal)).fault }
}

/** Why a started program came to no end of its own, where that says something about it. */
export function faultOfRun (report: RunReport): Fault | null {
  switch (report.outcome) {
    case 'exited': return null
    case 'not available': return { kind: 'missing', message: report.message ?? '', missing: report.missing }
    default: return { kind: 'limit', message: report.message ?? '', missing: report.missing }
  }
}

/** What is not here, in words: modules by their names, or anything else as the sandbox tells it. */
export function lackOf ({ missing, message }: { missing: readonly string[], message: string | null }): string {
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not available here`
  return message?.split('\n', 1)[0] ?? 'it needs what is not here'
}

// One call that hangs takes the ones after it with it, but says nothing against the program as a whole.
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
    // Which error it is, is often a matter of taste; that it is one, is not.
    case 'raised': return 'raises'
    case 'not run': return `not run: ${outcome.cause}`
  }
}

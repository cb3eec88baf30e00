import type { TestReport, TestResult } from '../../agents/types.js'

/** Why a run of tests failed as a whole. */
export interface Failure { cause: NonNullable<TestReport['cause']>, message: string | null, frame: TestReport['frame'] }

/** What is known of one run of tests, in either language. TypeScript has one for each file of tests. */
export interface TestRun {
  tests: TestResult[]
  failure: Failure | undefined
  /** Modules that are not here. */
  missing: string[]
  /** Something else that is not here and that a file needed while it was loaded, in a sentence. */
  unavailable: string | undefined
  output: string
  durationMs: number
}

/** A pass is vouched for where there are no doubts. */
export function testReport (runs: TestRun[], doubts: string[]): TestReport {
  const verdict = verdictOf(runs)
  return {
    ...verdict,
    missing: missingIn(runs),
    vouched: verdict.outcome === 'passed' && doubts.length === 0,
    doubts,
    tests: runs.flatMap(({ tests }) => tests),
    output: runs.map(({ output }) => output).join(''),
    durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0)
  }
}

/** The verdict. The causes are in the order of their importance to a person. */
export function verdictOf (runs: TestRun[]): Pick<TestReport, 'outcome' | 'cause' | 'message' | 'frame'> {
  const tests = runs.flatMap(({ tests }) => tests)
  const failure = runs.find(({ failure }) => failure)?.failure
  if (failure) return { outcome: 'failed', ...failure }
  if (tests.some(({ outcome }) => outcome === 'failed')) return { outcome: 'failed', cause: null, message: null, frame: null }
  const missing = missingIn(runs)
  const unavailable = runs.find(({ unavailable }) => unavailable !== undefined)?.unavailable
  const notRun = tests.find(({ outcome }) => outcome === 'not run')
  if (missing.length > 0 || unavailable !== undefined || notRun) {
    const message = missing.length > 0 ? notAvailable(missing) : unavailable ?? notRun?.message ?? null
    return { outcome: 'not run', cause: 'not available', message, frame: null }
  }
  if (tests.some(({ outcome }) => outcome === 'passed')) return { outcome: 'passed', cause: null, message: null, frame: null }
  const message = tests.length === 0 ? 'no test was defined' : 'every test was skipped'
  return { outcome: 'not run', cause: 'no tests', message, frame: null }
}

export function notAvailable (modules: string[]): string {
  return `not available here: ${modules.join(', ')}`
}

function missingIn (runs: TestRun[]): string[] {
  return [...new Set(runs.flatMap(({ missing }) => missing))]
}

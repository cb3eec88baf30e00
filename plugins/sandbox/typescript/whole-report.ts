import type { TestReport } from '../../../agents/types.js'
import { sayMissing } from './lacks.js'
import type { Verdict } from './tests.js'

/** One report of all files of tests, each of which had a process of its own, and of what was seen in the other files. */
export function wholeReport (reports: TestReport[], doubts: string[]): TestReport {
  const { outcome, cause, message, frame } = verdictOf(reports)
  return {
    outcome, cause, message, frame,
    missing: missingOf(reports),
    vouched: outcome === 'passed' && doubts.length === 0,
    doubts,
    tests: reports.flatMap(({ tests }) => tests),
    output: reports.map(({ output }) => output).join(''),
    durationMs: reports.reduce((sum, { durationMs }) => sum + durationMs, 0)
  }
}

function verdictOf (reports: TestReport[]): Verdict {
  const of = (outcome: TestReport['outcome'], isIt: (report: TestReport) => boolean = () => true) => reports.find(report => report.outcome === outcome && isIt(report))
  const found = of('not run', ({ cause }) => cause === 'not available')
  const missing = missingOf(reports)
  const lacking = found && { ...found, message: missing.length > 0 ? sayMissing(missing) : found.message }
  // A file without any test is none to complain of where others have some.
  return of('failed', ({ cause }) => cause !== null) ?? of('failed') ?? lacking ?? of('passed')
    ?? reports.find(({ tests }) => tests.length > 0) ?? reports[0] ?? { outcome: 'not run', cause: 'no tests', message: 'no test was defined', frame: null }
}

function missingOf (reports: TestReport[]): string[] {
  return [...new Set(reports.flatMap(({ missing }) => missing))]
}

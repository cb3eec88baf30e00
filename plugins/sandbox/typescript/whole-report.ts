import type { TestReport } from '../../../agents/types.js'
import { sayMissing } from './lacks.js'

/** One report of all files of tests, each of which had a process of its own. */
export function wholeReport (reports: TestReport[]): TestReport {
  const [first] = reports
  if (first && reports.length === 1) return first
  const { outcome, cause, message, frame } = verdictOf(reports)
  return {
    outcome, cause, message, frame,
    missing: missingOf(reports),
    tests: reports.flatMap(({ tests }) => tests),
    output: reports.map(({ output }) => output).join(''),
    durationMs: reports.reduce((sum, { durationMs }) => sum + durationMs, 0)
  }
}

function verdictOf (reports: TestReport[]): Pick<TestReport, 'outcome' | 'cause' | 'message' | 'frame'> {
  const of = (outcome: TestReport['outcome'], isIt: (report: TestReport) => boolean = () => true) => reports.find(report => report.outcome === outcome && isIt(report))
  const found = of('not run', ({ cause }) => cause === 'not available')
  const missing = missingOf(reports)
  const lacking = found && { ...found, message: missing.length > 0 ? sayMissing(missing) : found.message }
  // A file without any test is none to complain of where others have some.
  return of('failed', ({ cause }) => cause === 'tampered') ?? of('failed', ({ cause }) => cause !== null) ?? of('failed') ?? lacking ?? of('passed')
    ?? reports.find(({ tests }) => tests.length > 0) ?? reports[0] ?? { outcome: 'not run', cause: 'no tests', message: 'no test was defined', frame: null }
}

function missingOf (reports: TestReport[]): string[] {
  return [...new Set(reports.flatMap(({ missing }) => missing))]
}

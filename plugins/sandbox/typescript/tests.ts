import type { Files, TestReport, TestResult } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { isRecord } from '../values.js'
import { type Lack, lacksOf, sayMissing } from './lacks.js'
import { type Thrown, frameOf, localised, sentence, thrownOf } from './traces.js'

const WORDS: Record<NonNullable<CellRun['cause']>, string> = {
  exited: 'the process ended before its tests had',
  time: 'it ran out of time',
  cpu: 'it ran out of CPU time',
  memory: 'it ran out of memory',
  output: 'it printed more than it may'
}

interface Ground { files: Files, test: string, folder: string }
type Told = Ground & { lackOf: (thrown: Thrown) => Lack | undefined, lacks: Set<Lack> }
type Known = TestResult & { isSettled: boolean, isRunning: boolean }
export type Verdict = Pick<TestReport, 'outcome' | 'cause' | 'message' | 'frame'>

/** What came of one file of tests, from what the runner reported before it ended or was ended. Whether it is vouched for is said of all files together. */
export function testReport (run: CellRun, ground: Ground): TestReport {
  const { files, folder } = ground
  const told: Told = { ...ground, lackOf: lacksOf(files), lacks: new Set() }
  const tests: Known[] = []
  const failures: Thrown[] = []
  // Whatever was thrown outside of any test.
  const fail = (thrown: Thrown) => {
    const lack = told.lackOf(thrown)
    if (lack) told.lacks.add(lack)
    else failures.push(thrown)
  }
  let running: Known | undefined
  let loading: string | undefined
  let output = ''
  for (const { body, output: printed } of run.reports) {
    const report = isRecord(body) ? body : {}
    const target = typeof report.id === 'number' ? tests[report.id] : undefined
    if (running?.isRunning) running.output += printed
    else output += printed
    switch (report.type) {
      case 'loading': loading = String(report.file); break
      case 'loaded': loading = undefined; break
      case 'load error':
        loading = undefined
        fail(thrownOf(report))
        break
      case 'tests': for (const test of Array.isArray(report.tests) ? report.tests : []) tests.push(announced(test)); break
      case 'start':
        running = target
        if (target) target.isRunning = true
        break
      case 'test': if (target) settle(target, report, told); break
      case 'broken': fail(thrownOf(report)); break
    }
  }
  const late = run.testMs === null ? undefined : `did not end within ${run.testMs / 1000} s`
  if (running?.isRunning) running.output += run.rest
  else output += run.rest

  const why = late ? `a test ${late}` : run.cause !== null ? WORDS[run.cause] : null
  for (const test of tests) {
    if (test.isRunning) Object.assign(test, { outcome: 'failed', trust: 'ran', message: late ? `it ${late}` : WORDS[run.cause ?? 'exited'] })
    else if (!test.isSettled && test.outcome !== 'skipped') test.message ??= late ? 'it was not reached' : why ?? 'nothing was reported of it'
  }
  const missing = [...new Set([...told.lacks].map(({ module }) => module).filter(module => module !== undefined))]
  const verdict = verdictOf(run, { tests, failures, lacks: told.lacks, missing, why: loading === undefined ? why : `${why ?? ''} while ${loading} was loaded` })
  const [failure] = failures
  return {
    ...verdict,
    message: verdict.message === null ? null : localised(verdict.message, folder),
    frame: failure && verdict.cause !== null ? frameOf(failure, files, folder) : null,
    missing, vouched: false, doubts: [],
    tests: tests.map(test => resultOf(test, folder)),
    output: localised(output, folder),
    durationMs: run.durationMs
  }
}

interface Found { tests: Known[], failures: Thrown[], lacks: Set<Lack>, missing: string[], why: string | null }

function verdictOf (run: CellRun, { tests, failures, lacks, missing, why }: Found): Verdict {
  const verdict = (outcome: Verdict['outcome'], cause: Verdict['cause'], message: string | null): Verdict => ({ outcome, cause, message, frame: null })
  if (run.cause !== null) return verdict('failed', run.cause, why)
  const [failure] = failures
  if (failure) return verdict('failed', failure.kind === 'exit' ? 'exited' : 'load error', sentence(failure))
  if (tests.some(test => test.outcome === 'failed')) return verdict('failed', null, null)
  const [lack] = lacks
  if (lack || tests.some(test => test.outcome === 'not run')) return verdict('not run', 'not available', missing.length > 0 ? sayMissing(missing) : lack?.message ?? 'not all tests were run')
  if (!tests.some(test => test.outcome === 'passed')) return verdict('not run', 'no tests', tests.length === 0 ? 'no test was defined' : 'every test was skipped')
  return verdict('passed', null, null)
}

function resultOf ({ name, file, outcome, trust, durationMs, message, frame, output }: Known, folder: string): TestResult {
  return { name: localised(name, folder), file, outcome, trust, durationMs, message, frame, output: localised(output, folder) }
}

function announced (test: unknown): Known {
  const { name, file, skipped } = isRecord(test) ? test : {}
  const outcome = skipped === true ? 'skipped' : 'not run'
  return { name: String(name), file: String(file), outcome, trust: 'not run', durationMs: 0, message: null, frame: null, output: '', isSettled: false, isRunning: false }
}

function settle (test: Known, report: Record<string, unknown>, { files, folder, lackOf, lacks }: Told): void {
  const { outcome, ms } = report
  test.isSettled = true
  test.isRunning = false
  test.durationMs = typeof ms === 'number' ? ms : 0
  if (outcome === 'passed' || outcome === 'skipped') test.outcome = outcome
  if (outcome === 'passed') test.trust = 'ran'
  if (outcome === 'skipped' && typeof report.message === 'string' && report.message !== '') test.message = localised(report.message, folder)
  if (outcome !== 'failed') return
  const thrown = thrownOf(report)
  const lack = lackOf(thrown)
  if (lack) lacks.add(lack)
  test.outcome = lack ? 'not run' : 'failed'
  test.trust = lack ? 'not run' : 'ran'
  test.message = lack?.message ?? localised(sentence(thrown), folder)
  test.frame = frameOf(thrown, files, folder)
}

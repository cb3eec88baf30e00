import type { Files, TestReport, TestResult } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { isRecord } from '../values.js'
import { type Lack, lacksOf, sayMissing } from './lacks.js'
import { countDeclared, speaksOfSkipping } from './test-texts.js'
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
type Known = TestResult & { isSettled: boolean, isAnnouncedAsSkipped: boolean }

/** What came of one file of tests, from what the runner reported before it ended or was ended. */
export function testReport (run: CellRun, ground: Ground): TestReport {
  const { files, test: path, folder } = ground
  const lacks = new Set<Lack>()
  const told: Told = { ...ground, lackOf: lacksOf(files), lacks }
  const tests: Known[] = []
  const failures: Thrown[] = []
  // Whatever was thrown outside of any test.
  const fail = (thrown: Thrown) => {
    const lack = told.lackOf(thrown)
    if (lack) lacks.add(lack)
    else failures.push(thrown)
  }
  let isWhole = true
  let running: Known | undefined
  let loading: string | undefined
  let isTampered = false
  let ended: number | undefined
  let output = ''
  for (const { body, output: printed } of run.reports) {
    const report = isRecord(body) ? body : {}
    if (report !== body) isTampered = true // something was written into it
    const target = typeof report.id === 'number' ? tests[report.id] : undefined
    if (running && report.type === 'test') running.output += printed
    else output += printed
    switch (report.type) {
      case 'loading': loading = String(report.file); break
      case 'loaded': loading = undefined; break
      case 'load error':
        fail(thrownOf(report))
        isWhole = false
        loading = undefined
        break
      case 'tests': for (const test of Array.isArray(report.tests) ? report.tests : []) tests.push(announced(test)); break
      case 'start': running = target; break
      case 'test':
        if (target) settle(target, report, told)
        running = undefined
        break
      case 'end':
        isTampered ||= report.tampered === true
        ended = Number(report.count)
        break
      case 'broken':
        fail(thrownOf(report))
        isWhole = false
        break
    }
  }
  const late = run.testMs === null ? undefined : `did not end within ${run.testMs / 1000} s`
  if (running) Object.assign(running, { outcome: 'failed', isSettled: true, message: late ? `it ${late}` : WORDS[run.cause ?? 'exited'], output: running.output + run.rest })
  else output += run.rest

  const cause = run.cause ?? (isTampered || (isWhole && tests.length < countDeclared(files[path])) || ended !== tests.filter(test => test.isSettled).length ? 'tampered' : null)
  const why = late ? `a test ${late}` : run.cause !== null ? WORDS[run.cause] : null
  for (const test of tests) if (!test.isSettled) test.message ??= late ? 'it was not reached' : why
  const missing = [...new Set([...lacks].map(({ module }) => module).filter(module => module !== undefined))]
  const base = { missing, tests: tests.map(test => resultOf(test, folder)), output: localised(output, folder), durationMs: run.durationMs }
  const verdict = (outcome: TestReport['outcome'], cause: TestReport['cause'], message: string | null, thrown?: Thrown): TestReport =>
    ({ outcome, cause, message: message === null ? null : localised(message, folder), frame: thrown ? frameOf(thrown, files, folder) : null, ...base })

  if (cause === 'tampered') return verdict('failed', cause, 'the code meddled with its tests or with what they stand on')
  if (cause !== null) return verdict('failed', cause, loading === undefined ? why : `${why} while ${loading} was loaded`)
  const [failure] = failures
  if (failure) return verdict('failed', failure.kind === 'exit' ? 'exited' : 'load error', sentence(failure), failure)
  if (tests.some(test => test.outcome === 'failed')) return verdict('failed', null, null)
  const [lack] = lacks
  if (lack || tests.some(test => test.outcome === 'not run')) return verdict('not run', 'not available', missing.length > 0 ? sayMissing(missing) : lack?.message ?? 'not all tests were run')
  if (!tests.some(test => test.outcome === 'passed')) return verdict('not run', 'no tests', tests.length === 0 ? 'no test was defined' : 'every test was skipped')
  return verdict('passed', null, null)
}

function resultOf ({ name, file, outcome, durationMs, message, frame, output }: Known, folder: string): TestResult {
  return { name: localised(name, folder), file, outcome, durationMs, message, frame, output: localised(output, folder) }
}

function announced (test: unknown): Known {
  const { name, file, skipped } = isRecord(test) ? test : {}
  return { name: String(name), file: String(file), outcome: skipped === true ? 'skipped' : 'not run', durationMs: 0, message: null, frame: null, output: '', isSettled: false, isAnnouncedAsSkipped: skipped === true }
}

function settle (test: Known, report: Record<string, unknown>, { files, test: path, folder, lackOf, lacks }: Told): void {
  const { outcome, ms } = report
  test.isSettled = true
  test.durationMs = typeof ms === 'number' ? ms : 0
  if (outcome === 'skipped' && !test.isAnnouncedAsSkipped && !speaksOfSkipping(files[path])) {
    test.outcome = 'failed'
    test.message = 'the code under test skipped its test'
    return
  }
  if (outcome === 'passed' || outcome === 'skipped') test.outcome = outcome
  if (outcome === 'skipped' && typeof report.message === 'string' && report.message !== '') test.message = localised(report.message, folder)
  if (outcome !== 'failed') return
  const thrown = thrownOf(report)
  const lack = lackOf(thrown)
  if (lack) lacks.add(lack)
  test.outcome = lack ? 'not run' : 'failed'
  test.message = lack?.message ?? localised(sentence(thrown), folder)
  test.frame = frameOf(thrown, files, folder)
}

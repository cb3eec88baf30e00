import type { TestReport, TestResult } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { type FileTold, type Limit, type TestName, type ToldRun, causeOf, readReports, sayEnd, sayLack } from './reports.js'

type Verdict = Pick<TestReport, 'outcome' | 'cause' | 'message' | 'frame'>

const CONFTEST = /(?:^|\/)conftest\.py$/
const MAX_DOUBTS = 50

/** What came of a test job. Nothing is passed on what the harness says it was, only on what it says of each test. */
export function testReport (run: CellRun, files: string[]): TestReport {
  const told = readReports(run.reports)
  const missing = new Set<string>()
  const tests = testsOf(told, missing)
  const problems = told.told.filter((event): event is FileTold => event.type === 'file')
  const limit = limitOf(run, told)
  const begun = told.told.at(-1)
  if (limit && begun?.type === 'begin') tests.push({ ...notRun(begun, run.testMs === null ? limit.message : `it did not end within ${run.testMs / 1000} s`), outcome: 'failed', trust: 'ran' })
  tests.push(...leftOut(told, tests, problems, run.testMs === null ? limit?.message : undefined))
  const verdict = verdictOf({ told, tests, problems, missing, limit })
  const doubts = [...new Set([...told.doubts, ...undone(told, tests, problems), ...skippers(told, files)])].slice(0, MAX_DOUBTS)
  return {
    ...verdict,
    missing: [...missing],
    vouched: verdict.outcome === 'passed' && doubts.length === 0,
    doubts,
    tests: inOrder(tests, files),
    output: problems.map(({ output }) => output).join('') + run.rest.trim(),
    durationMs: run.durationMs
  }
}

/** Why the run did not come to its end, whoever ended it. */
function limitOf (run: CellRun, { told }: ToldRun): Limit | undefined {
  if (run.testMs !== null) return { cause: 'time', message: `a test did not end within ${run.testMs / 1000} s` }
  if (run.cause !== null) return { cause: run.cause, message: sayEnd('its tests', run) }
  const done = told.at(-1)
  if (done?.type !== 'done') return { cause: 'exited', message: 'the process ended before its tests had' }
  if (done.ended) return { cause: done.ended.how === 'exited' ? 'exited' : 'load error', message: done.ended.message }
  return done.limit ?? undefined
}

function testsOf ({ told }: ToldRun, missing: Set<string>): TestResult[] {
  const tests: TestResult[] = []
  for (const event of told) {
    if ((event.type === 'test' || event.type === 'file') && event.lacks && 'module' in event.lacks) missing.add(event.lacks.module)
    if (event.type === 'left out') tests.push(...event.tests.map((test): TestResult => ({ ...notRun(test, 'the settings leave it out'), outcome: 'skipped' })))
    if (event.type !== 'test') continue
    const { test, lacks } = event
    tests.push(lacks && test.outcome === 'failed' ? { ...test, outcome: 'not run', trust: 'not run', message: `${sayLack(lacks)}. ${test.message ?? ''}`.trim() } : test)
  }
  return tests
}

function notRun ({ file, name }: TestName, message: string | null): TestResult {
  return { name, file, outcome: 'not run', trust: 'not run', durationMs: 0, message, frame: null, output: '' }
}

function inOrder (tests: TestResult[], files: string[]): TestResult[] {
  const places = new Map(files.map((file, place) => [file, place]))
  return tests.sort((a, b) => (places.get(a.file) ?? -1) - (places.get(b.file) ?? -1))
}

/** Tests that were collected and not reported; where a file did not load, or none was collected, those that it declares. */
function leftOut ({ declared, told }: ToldRun, tests: TestResult[], problems: FileTold[], why = 'it was not reached'): TestResult[] {
  const done = new Set(tests.map(keyOf))
  const problemOf = (file: string) => problems.find(problem => problem.file === file || (CONFTEST.test(problem.file) && problem.problem !== 'skipped'))
  const collections = told.filter(event => event.type === 'collected')
  const expected = [...collections.flatMap(event => event.tests), ...declared.filter(({ file }) => collections.length === 0 || problemOf(file))]
  return expected.filter(test => !done.has(keyOf(test))).map(test => {
    const problem = problemOf(test.file)
    if (!problem) return notRun(test, why)
    const [said = null] = problem.message.split('\n')
    const message = !problem.lacks ? said : 'module' in problem.lacks ? sayLack(problem.lacks) : `${sayLack(problem.lacks)}. ${said}`
    return { ...notRun(test, message), outcome: problem.problem === 'skipped' ? 'skipped' : 'not run' }
  })
}

function keyOf ({ file, name }: TestName): string {
  return `${file}\n${name}`
}

interface Evidence { told: ToldRun, tests: TestResult[], problems: FileTold[], missing: Set<string>, limit: Limit | undefined }

function verdictOf ({ told, tests, problems, missing, limit }: Evidence): Verdict {
  const failed = (cause: TestReport['cause'], message: string | null, frame: Verdict['frame'] = null): Verdict => ({ outcome: 'failed', cause, message, frame })
  const broken = problems.find(({ problem, lacks }) => problem !== 'skipped' && !lacks)
  if (limit && !(broken && limit.cause === 'load error')) return failed(limit.cause, limit.message, broken?.frame)
  if (broken) return failed(causeOf(broken.problem), broken.problem === 'exited' ? `${broken.file} ended the program while it was loaded` : broken.message, broken.frame)
  const over = told.told.find(event => event.type === 'test' && event.limit !== null && !event.lacks)
  if (over?.type === 'test') return failed(causeOf(over.limit), over.test.message, over.test.frame)
  if (tests.some(({ outcome }) => outcome === 'failed')) return failed(null, null)
  if (tests.some(({ outcome }) => outcome === 'not run') || problems.some(({ lacks }) => lacks)) {
    const why = missing.size > 0 ? `not available here: ${[...missing].join(', ')}` : tests.find(({ outcome }) => outcome === 'not run')?.message ?? null
    return { outcome: 'not run', cause: 'not available', message: why, frame: null }
  }
  if (!tests.some(({ outcome }) => outcome === 'passed')) return { outcome: 'not run', cause: 'no tests', message: tests.length === 0 ? 'no test was defined' : 'every test was skipped', frame: null }
  return { outcome: 'passed', cause: null, message: null, frame: null }
}

/** Tests that a file declares and of which nothing was heard, though it loaded; and tests that were reported twice. */
function undone ({ declared, told }: ToldRun, tests: TestResult[], problems: FileTold[]): string[] {
  const broken = new Set(problems.map(({ file }) => file))
  const heard = new Set(tests.map(({ file, name }) => keyOf({ file, name: name.split('[', 1)[0] ?? '' })))
  const silent = declared.filter(test => !broken.has(test.file) && !heard.has(keyOf(test))).map(({ file, name }) => `${file}:1: ${name} is declared there and was not run`)
  const reports = told.flatMap(event => event.type === 'test' ? [keyOf(event.test)] : [])
  return new Set(reports).size < reports.length ? [...silent, 'a test was reported twice'] : silent
}

/** Code under test that skipped a test: tests and conftest files may. */
function skippers ({ told }: ToldRun, files: string[]): string[] {
  return told.flatMap(event => event.type === 'test' && event.skipper && !files.includes(event.skipper.file) && !CONFTEST.test(event.skipper.file)
    ? [`${event.skipper.file}:${event.skipper.line}: it has ${event.test.name} skipped`]
    : [])
}

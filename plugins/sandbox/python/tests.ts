import type { TestReport, TestResult } from '../../../agents/types.js'
import { type Failure, testReport } from '../test-report.js'
import type { WorkerRun } from '../worker.js'
import { type Events, type FileProblem, type TestName, causeIn, endOf, readEvents, unavailableMessage } from './messages.js'

const CONFTEST = /(?:^|\/)conftest\.py$/
const MAX_DOUBTS = 50

/** The report of a test job. It relies on what the harness said of each test, never on a total that it gave. */
export function pythonReport (run: WorkerRun, files: string[]): TestReport {
  const events = readEvents(run.messages)
  const problems = events.events.filter((event): event is FileProblem => event.type === 'file')
  const { tests, missing } = testsIn(events)
  const stop = stopOf(run, events)
  const last = events.events.at(-1)
  const isLate = run.testMs !== null
  if (stop && last?.type === 'begin') {
    const message = isLate ? `it did not end within ${(run.testMs ?? 0) / 1000} s` : stop.message
    tests.push({ ...notRun(last, message), outcome: 'failed', trust: 'ran' })
  }
  tests.push(...unreported(events, tests, problems, isLate ? null : stop?.message ?? null))
  const order = new Map(files.map((file, index) => [file, index]))
  tests.sort((a, b) => (order.get(a.file) ?? -1) - (order.get(b.file) ?? -1))
  const unavailable = problems.find(({ unavailable }) => unavailable)?.unavailable
  const doubts = new Set([...events.doubts, ...lostTests(events, tests, problems), ...skippedByCode(events, files)])
  return testReport([{
    tests,
    failure: failureOf(events, stop, problems),
    missing,
    unavailable: unavailable ? unavailableMessage(unavailable) : undefined,
    output: problems.map(({ output }) => output).join('') + run.rest.trim(),
    durationMs: run.durationMs
  }], [...doubts].slice(0, MAX_DOUBTS))
}

function testsIn ({ events }: Events): { tests: TestResult[], missing: string[] } {
  const tests: TestResult[] = []
  const missing = new Set<string>()
  for (const event of events) {
    const absent = event.type === 'test' || event.type === 'file' ? event.unavailable : null
    if (absent && 'module' in absent) missing.add(absent.module)
    if (event.type === 'deselected') {
      tests.push(...event.tests.map((test): TestResult => ({ ...notRun(test, 'the settings leave it out'), outcome: 'skipped' })))
    }
    if (event.type !== 'test') continue
    const { test, unavailable } = event
    const message = unavailable ? `${unavailableMessage(unavailable)}. ${test.message ?? ''}`.trim() : null
    tests.push(unavailable && test.outcome === 'failed' ? { ...test, outcome: 'not run', trust: 'not run', message } : test)
  }
  return { tests, missing: [...missing] }
}

/** Why the run did not finish, whether we ended it or the code did. */
function stopOf (run: WorkerRun, { events }: Events): Failure | undefined {
  if (run.testMs !== null) return { cause: 'time', message: `a test did not end within ${run.testMs / 1000} s`, frame: null }
  if (run.cause !== null) return { cause: run.cause, message: endOf('its tests', run), frame: null }
  const done = events.at(-1)
  if (done?.type === 'done') return done.failure ?? undefined
  return { cause: 'exited', message: 'the process ended before its tests had', frame: null }
}

/** A file that did not load explains more than a run that could not go on without it. */
function failureOf ({ events }: Events, stop: Failure | undefined, problems: FileProblem[]): Failure | undefined {
  const broken = problems.find(({ problem, unavailable }) => problem !== 'skipped' && !unavailable)
  if (stop && !(broken && stop.cause === 'load error')) return { ...stop, frame: broken?.frame ?? null }
  if (broken) {
    const { problem, file, message, frame } = broken
    return { cause: causeIn(problem), message: problem === 'exited' ? `${file} ended the program while it was loaded` : message, frame }
  }
  const late = events.find(event => event.type === 'test' && event.limit !== null && !event.unavailable)
  return late?.type === 'test' ? { cause: causeIn(late.limit), message: late.test.message, frame: late.test.frame } : undefined
}

function notRun ({ file, name }: TestName, message: string | null): TestResult {
  return { name, file, outcome: 'not run', trust: 'not run', durationMs: 0, message, frame: null, output: '' }
}

/** Tests that were collected and not reported. Where a file did not load, or nothing was collected: those that the file declares. */
function unreported ({ declared, events }: Events, tests: TestResult[], problems: FileProblem[], why: string | null): TestResult[] {
  const known = new Set(tests.map(keyOf))
  const problemOf = (file: string) => problems.find(problem => {
    return problem.file === file || (CONFTEST.test(problem.file) && problem.problem !== 'skipped')
  })
  const collections = events.flatMap(event => event.type === 'collected' ? [event.tests] : [])
  const expected = [...collections.flat(), ...declared.filter(({ file }) => collections.length === 0 || problemOf(file))]
  return expected.filter(test => !known.has(keyOf(test))).map(test => {
    const problem = problemOf(test.file)
    if (!problem) return notRun(test, why ?? 'it was not reached')
    const [line = ''] = problem.message.split('\n')
    const { unavailable } = problem
    const absent = unavailable && unavailableMessage(unavailable)
    const message = !absent ? line : 'module' in unavailable ? absent : `${absent}. ${line}`
    return { ...notRun(test, message), outcome: problem.problem === 'skipped' ? 'skipped' : 'not run' }
  })
}

function keyOf ({ file, name }: TestName): string {
  return `${file}\n${name}`
}

/** A doubt for each test that a file declares and that was not reported, though the file loaded, and for tests reported twice. */
function lostTests ({ declared, events }: Events, tests: TestResult[], problems: FileProblem[]): string[] {
  const broken = new Set(problems.map(({ file }) => file))
  const reported = new Set(tests.map(({ file, name }) => keyOf({ file, name: name.split('[', 1)[0] ?? '' })))
  const lost = declared.filter(test => !broken.has(test.file) && !reported.has(keyOf(test)))
  const doubts = lost.map(({ file, name }) => `${file}:1: ${name} is declared there and was not run`)
  const keys = events.flatMap(event => event.type === 'test' ? [keyOf(event.test)] : [])
  return new Set(keys).size < keys.length ? [...doubts, 'a test was reported twice'] : doubts
}

/** A doubt for each test that the code under test skipped. Tests and conftest files may skip. */
function skippedByCode ({ events }: Events, files: string[]): string[] {
  return events.flatMap(event => {
    const at = event.type === 'test' ? event.skippedAt : null
    if (event.type !== 'test' || !at || files.includes(at.file) || CONFTEST.test(at.file)) return []
    return [`${at.file}:${at.line}: it has ${event.test.name} skipped`]
  })
}

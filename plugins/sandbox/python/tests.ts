import type { Files, TestReport, TestResult } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { type Told, type ToldRun, causeOf, readReports, sayEnd, sayLack } from './reports.js'

// Words of their own: a test that is called test_skips_blank skips nothing.
const SKIPS = /\b(?:skip(?:if|unless|test)?|importorskip|xfail|expectedFailure)\b/i
const CONFTEST = /(?:^|\/)conftest\.py$/

type FileTold = Extract<Told, { type: 'file' }>
type Verdict = Pick<TestReport, 'outcome' | 'cause' | 'message' | 'frame'>

/** What came of a test job. Nothing is passed on what the harness says it was, only on what it says of each test. */
export function testReport (run: CellRun, sources: Files, files: string[]): TestReport {
  const told = readReports(run.reports)
  const missing = new Set<string>()
  const tests = testsOf(told, missing)
  const problems = told.told.filter((event): event is FileTold => event.type === 'file' && event.problem !== null)
  const cut = cutOf(run, told)
  if (cut) {
    const running = lastBegun(told.told)
    if (running) tests.push({ ...running, outcome: 'failed', durationMs: 0, message: run.testMs === null ? cut.message : `it did not end within ${run.testMs / 1000} s`, frame: null, output: '' })
  }
  const left = leftOut(told, tests, problems, run.testMs === null ? cut?.message : undefined)
  tests.push(...left)
  return {
    ...verdict({ told, sources, files, tests, left, problems, missing, cut }),
    missing: [...missing],
    tests: inOrder(tests, files),
    output: told.told.map(event => event.type === 'file' ? event.output : '').join('') + run.rest.trim(),
    durationMs: run.durationMs
  }
}

interface Evidence { told: ToldRun, sources: Files, files: string[], tests: TestResult[], left: TestResult[], problems: FileTold[], missing: Set<string>, cut: Cut | undefined }
interface Cut { cause: NonNullable<TestReport['cause']>, message: string }

/** Why the run did not come to its end, whoever ended it. */
function cutOf (run: CellRun, { told }: ToldRun): Cut | undefined {
  if (run.testMs !== null) return { cause: 'time', message: `a test did not end within ${run.testMs / 1000} s` }
  if (run.cause !== null) return { cause: run.cause, message: sayEnd('its tests', run) }
  const done = told.at(-1)
  return done?.type === 'done' && done.limit ? done.limit : undefined
}

function testsOf ({ told }: ToldRun, missing: Set<string>): TestResult[] {
  const tests: TestResult[] = []
  for (const event of told) {
    if ((event.type === 'test' || event.type === 'file') && event.lacks && 'module' in event.lacks) missing.add(event.lacks.module)
    if (event.type !== 'test') continue
    const { test, lacks } = event
    tests.push(lacks ? { ...test, outcome: 'not run', message: `${sayLack(lacks)}. ${test.message ?? ''}`.trim() } : test)
  }
  return tests
}

function lastBegun (told: Told[]): { file: string, name: string } | undefined {
  const last = told.at(-1)
  return last?.type === 'begin' ? { file: last.file, name: last.name } : undefined
}

function inOrder (tests: TestResult[], files: string[]): TestResult[] {
  const places = new Map(files.map((file, place) => [file, place]))
  return tests.sort((a, b) => (places.get(a.file) ?? -1) - (places.get(b.file) ?? -1))
}

/** Tests that the files declare, or that were found in them, and nothing was told of. */
function leftOut ({ declared, told: events }: ToldRun, tests: TestResult[], problems: FileTold[], why = 'it was not reached'): TestResult[] {
  const toldOf = new Map<string, Set<string>>([...declared.keys()].map(file => [file, new Set()]))
  for (const { file, name } of tests) toldOf.get(file)?.add(baseOf(name))
  const found = new Map(events.filter(event => event.type === 'file').map(event => [event.file, event.found.map(baseOf)]))
  return [...declared].flatMap(([file, { names: plain }]) => {
    const told = toldOf.get(file) ?? new Set()
    const names = [...new Set([...plain, ...found.get(file) ?? []])]
    const problem = problems.find(found => found.file === file)
    const skipped = problem?.problem === 'skipped'
    const said = problem?.message.split('\n')[0] ?? null
    const message = !problem ? why : !problem.lacks ? said : 'module' in problem.lacks ? sayLack(problem.lacks) : `${sayLack(problem.lacks)}. ${said}`
    return names.filter(name => !told.has(name)).map((name): TestResult => ({ name, file, outcome: skipped ? 'skipped' : 'not run', durationMs: 0, message, frame: null, output: '' }))
  })
}

/** Without its parameters. */
function baseOf (name: string): string {
  return name.split('[', 1)[0] ?? ''
}

function verdict (evidence: Evidence): Verdict {
  const { told, tests, problems, missing, cut } = evidence
  const failed = (cause: TestReport['cause'], message: string | null, frame: Verdict['frame'] = null): Verdict => ({ outcome: 'failed', cause, message, frame })
  const broken = problems.find(({ problem, lacks }) => problem !== 'skipped' && !lacks)
  if (cut) return failed(cut.cause, cut.message, broken?.frame)
  if (isTampered(evidence)) return failed('tampered', 'the code meddled with its tests or with what they stand on')
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

/** Of a run that came to its end: each file and test was told of once, no declared test is gone, only tests that speak of it are skipped, assertions still fail. */
function isTampered ({ told: { told, declared, isSound }, sources, files, tests, left, problems }: Evidence): boolean {
  const done = told.at(-1)
  if (!isSound || done?.type !== 'done' || !done.isAlive || told.filter(({ type }) => type === 'done').length !== 1) return true
  const asked = new Set(files)
  if (tests.some(({ file }) => !asked.has(file)) || left.some(({ file }) => !problems.some(problem => problem.file === file))) return true
  const skipped = tests.filter(({ name, outcome }) => outcome === 'skipped' && !name.endsWith('[NOTSET]'))
  const speak = (isOf: (path: string) => boolean) => Object.entries(sources).some(([path, text]) => isOf(path) && SKIPS.test(text))
  const shared = speak(path => CONFTEST.test(path))
  if (skipped.length > 0 && !shared && !speak(path => asked.has(path))) return true // the code under test may not
  if (!shared && skipped.some(({ file, name }) => declared.get(file)?.firm.has(baseOf(name)))) return true
  const names = told.flatMap(event => event.type === 'test' ? [`${event.file}\n${event.test.name}`] : [])
  if (new Set(names).size < names.length) return true
  const loaded = told.flatMap(event => event.type === 'file' ? [event.file] : [])
  return loaded.length !== asked.size || new Set(loaded).size !== asked.size || loaded.some(file => !asked.has(file))
}

// The test files of a project.
import type { Files, TestReport } from '../../types.js'
import type { RunScope } from '../run-scope.js'
import { isVouched } from '../draft/candidate.js'
import type { Assertion, Profile } from '../languages/profile.js'
import { type Part, passed } from './part.js'

/** A test file for each module, with the tests that it passes. */
export function suitesOf (parts: readonly Part[], taken: Files): Record<string, string> {
  const files: Record<string, string> = {}
  for (const part of parts) {
    if (!('source' in part) || part.profile === undefined) continue
    const { planned: { path }, profile, source } = part
    const cases = passed(part).map(({ assertion }) => assertion)
    const names = profile
      .statements(source)
      .filter(({ kind }) => kind === 'definition' || kind === 'binding')
      .flatMap(({ names }) => names)
      .filter(name => cases.some(each => mentions(each, name)))
    const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
    const suite = profile.suite(path, names, [{ title: stem, cases }])
    if (suite) files[free(profile.testFolder(suite.path), { ...taken, ...files })] = profile.fromFolder(suite.source, path)
  }
  return files
}

function mentions ({ expression, setup, wanted }: Assertion, name: string): boolean {
  const text = `${setup ?? ''} ${expression} ${wanted.type === 'value' ? wanted.source : wanted.type === 'raises' ? wanted.name ?? '' : ''}`
  return new Set(text.match(/[A-Za-z_$][\w$]*/g)).has(name)
}

/** A path that is not taken: `tests/test_utils.py`, or `tests/test_utils2.py`. */
function free (path: string, taken: Files): string {
  const dot = path.indexOf('.', path.lastIndexOf('/'))
  for (let index = 1; ; index++) {
    const candidate = index === 1 ? path : `${path.slice(0, dot)}${index}${path.slice(dot)}`
    if (!Object.hasOwn(taken, candidate)) return candidate
  }
}

export interface TestsResult {
  /** How many tests passed. */
  passed: number
  /** Test files that did not run because something is not available here, and what that is. */
  notRun: { path: string, why: string }[]
  failing: { path: string, why: string }[]
}

/** Runs all test files of a project. */
export async function runTests (
  { sandbox, signal }: Pick<RunScope, 'sandbox' | 'signal'>, profile: Profile, files: Files
): Promise<TestsResult> {
  const tried: TestsResult = { passed: 0, notRun: [], failing: [] }
  const own = Object.fromEntries(Object.entries(files).filter(([path]) => profile.runs(path)))
  const tests = Object
    .keys(own)
    .filter(path => profile.isTestFile(path, own[path] ?? '') && !path.endsWith('conftest.py') && !path.endsWith('__init__.py'))
  if (tests.length === 0) return tried
  const together = await sandbox.test({ language: profile.id, files: own, tests, prove: true }, { signal })
  if (isVouched(together)) return { ...tried, passed: passes(together) }
  for (const path of tests) {
    const report = await sandbox.test({ language: profile.id, files: own, tests: [path] }, { signal })
    tried.passed += passes(report)
    if (isVouched(report)) continue
    const failed = report.tests.find(({ outcome }) => outcome === 'failed')
    const [why = ''] = (failed?.message ?? report.doubts[0] ?? report.message ?? report.cause ?? '').trim().split('\n', 1)
    if (report.cause === 'not available') tried.notRun.push({ path, why: report.missing.length > 0 ? report.missing.join(', ') : why })
    else tried.failing.push({ path, why })
  }
  return tried
}

function passes ({ tests }: TestReport): number {
  return tests.filter(({ outcome }) => outcome === 'passed').length
}

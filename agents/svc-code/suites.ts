// The test files of a project.
import type { Files, Language, TestReport } from '../types.js'
import type { Desk } from './desk.js'
import { isTest } from './paths.js'
import { type Part, passed } from './project.js'
import { moduleOf } from './prompts.js'
import { type Case, suiteOf } from './suite.js'
import { lackOf } from './trial.js'

/** A test file for each module, of the tests that it passes. */
export function suitesOf (parts: readonly Part[], language: Language, { taken, isVitest }: { taken: Files, isVitest: boolean }): Record<string, string> {
  const files: Record<string, string> = {}
  for (const part of parts) {
    if (!('source' in part)) continue
    const { path, exports } = part.planned
    const cases = passed(part).map(({ assertion }): Case => ({ expression: assertion.expression, expected: assertion.wanted, tolerance: assertion.tolerance }))
    const suite = suiteOf(language, path, namesIn(exports, part.source, cases), [{ title: moduleOf(path).split('.').at(-1) ?? 'module', cases }])
    if (!suite) continue
    const source = language === 'python' ? suite.source : suite.source.replace(`'./${path.replace(/^.*\//, '')}'`, `'../${path}'`)
    files[free(suite.path, { ...taken, ...files })] = isVitest ? source.replace("import test from 'node:test';", "import { test } from 'vitest';") : source
  }
  return files
}

/** `tests/test_utils.py`, or where that is taken `tests/test_utils_2.py`: no test is lost for another. */
function free (path: string, taken: Files): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const place = path.endsWith('.py') ? `tests/${name}` : `test/${name}`
  for (let index = 1; ; index++) {
    const candidate = index === 1 ? place : place.replace(/(?=\.(?:py|test\.\w+)$)/, place.endsWith('.py') ? `_${index}` : `-${index}`)
    if (!Object.hasOwn(taken, candidate)) return candidate
  }
}

/** What the tests use of a module. */
function namesIn (exports: string, source: string, cases: readonly Case[]): string[] {
  const text = cases.map(({ expression, setup, expected }) => `${setup ?? ''} ${expression} ${expected.type === 'value' ? expected.source : expected.type === 'raises' ? expected.name ?? '' : ''}`).join('\n')
  const defined = new Set([...source.matchAll(/^(?:export )?(?:default )?(?:async )?(?:def|class|function\*?|const|let|type|interface|enum) +([\w$]+)|^(\w+) *(?::[^=\n]+)?= /gm)].map(match => match[1] ?? match[2] ?? ''))
  return [...defined].filter(name => name !== '' && new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text))
}

export interface Tried {
  /** Tests that passed, all together. */
  passed: number
  /** Test files that did not run for want of something that is not here, and of what. */
  notRun: { path: string, why: string }[]
  /** Test files that were there before, and fail. */
  failing: { path: string, why: string }[]
  /** Test files that were written here and fail: no part of the reply. */
  dropped: string[]
}

/** Runs all test files that lie there; `fresh` are those that were made here from tests which passed one by one. */
export async function tryTests ({ sandbox, signal }: Desk, language: Language, files: Files, fresh: readonly string[]): Promise<Tried> {
  const tried: Tried = { passed: 0, notRun: [], failing: [], dropped: [] }
  const tests = Object.keys(files).filter(path => isTest(path) && (language === 'python' ? /(?:^|\/)(?:test_[^/]+|[^/]+_test)\.py$/ : /\.(?:test|spec)\.[mc]?tsx?$/).test(path))
  if (tests.length === 0) return tried
  const together = await sandbox.test({ language, files, tests }, { signal })
  if (together.outcome === 'passed') return { ...tried, passed: passes(together) }
  for (const path of tests) {
    const report = await sandbox.test({ language, files, tests: [path] }, { signal })
    tried.passed += passes(report)
    if (report.outcome === 'passed') continue
    const why = report.tests.find(({ outcome }) => outcome === 'failed')?.message ?? report.message ?? report.cause ?? 'it did not pass'
    if (report.cause === 'not available') tried.notRun.push({ path, why: lackOf(report) })
    else if (fresh.includes(path)) {
      tried.passed -= passes(report)
      tried.dropped.push(path)
    } else tried.failing.push({ path, why: why.trim().split('\n', 1)[0] ?? '' })
  }
  return tried
}

function passes ({ tests }: TestReport): number {
  return tests.filter(({ outcome }) => outcome === 'passed').length
}

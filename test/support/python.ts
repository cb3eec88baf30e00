import { join } from 'node:path'
import type { Test } from 'tap'
import type { Call, Files, Limits, Outcome, TestReport, TestResult } from '../../agents/types.js'
import { LocalSandbox } from '../../plugins/sandbox/sandbox.js'

// The prepared Python is kept for the next test, but not among the user's own files.
process.env.XDG_CACHE_HOME = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')

const silent = () => {}

export const SILENT = { debug: silent, info: silent, warn: silent, error: silent }

/** A sandbox of the test's own, and short ways to ask it about Python. */
export interface Python {
  sandbox: LocalSandbox
  test: (files: Files, limits?: Partial<Limits>) => Promise<TestReport>
  evaluate: (source: string, calls: (string | Call)[], limits?: Partial<Limits>) => Promise<Outcome[]>
}

export function python (t: Test): Python {
  const sandbox = new LocalSandbox({ log: SILENT })
  t.teardown(() => sandbox.close())
  const { signal } = new AbortController()
  return {
    sandbox,
    test: (files, limits = {}) => sandbox.test({ language: 'python', files, tests: Object.keys(files).filter(isTest) }, { signal, limits }),
    evaluate: (source, calls, limits = {}) => sandbox.evaluate({
      language: 'python', files: { 'main.py': source }, calls: calls.map(call => typeof call === 'string' ? { file: 'main.py', expression: call } : { file: 'main.py', ...call })
    }, { signal, limits })
  }
}

function isTest (path: string): boolean {
  return /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path)
}

/** Its tests by name, each with what came of it. */
export function outcomesOf ({ tests }: TestReport): Record<string, TestResult['outcome']> {
  return Object.fromEntries(tests.map(({ name, outcome }) => [name, outcome]))
}

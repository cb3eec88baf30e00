import { join } from 'node:path'
import type { Test } from 'tap'
import type { Call, Files, Limits, Outcome, TestReport, TestResult } from '../../agents/types.js'
import { LocalSandbox } from '../../plugins/sandbox/sandbox.js'

// The snapshot is kept for other tests, but not among the user's own files.
process.env.XDG_CACHE_HOME = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')

const silent = () => {}

export const SILENT = { debug: silent, info: silent, warn: silent, error: silent }

/** A sandbox for one file of tests, with short functions for Python. `processes`: how many jobs run at once. */
export interface Python {
  sandbox: LocalSandbox
  test: (files: Files, limits?: Partial<Limits>) => Promise<TestReport>
  evaluate: (source: string, calls: (string | Call)[], limits?: Partial<Limits>) => Promise<Outcome[]>
}

export function python (t: Test, processes?: number): Python {
  const sandbox = new LocalSandbox({ log: SILENT, ...(processes !== undefined && { processes }) })
  t.teardown(() => sandbox.close())
  const { signal } = new AbortController()
  return {
    sandbox,
    test: (files, limits = {}) => {
      return sandbox.test({ language: 'python', files, tests: Object.keys(files).filter(isTest) }, { signal, limits })
    },
    evaluate: (source, expressions, limits = {}) => {
      const calls = expressions.map(call => ({ file: 'main.py', ...typeof call === 'string' ? { expression: call } : call }))
      return sandbox.evaluate({ language: 'python', files: { 'main.py': source }, calls }, { signal, limits })
    }
  }
}

function isTest (path: string): boolean {
  return /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path)
}

/** The outcomes of the tests by their names. */
export function outcomesOf ({ tests }: TestReport): Record<string, TestResult['outcome']> {
  return Object.fromEntries(tests.map(({ name, outcome }) => [name, outcome]))
}

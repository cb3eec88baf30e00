// The test file that is delivered with a program: the user's examples, then tests made from the description. It is run before.
import type { Sandbox } from '../../types.js'
import { type Candidate, type Subject, agreeing, isVouched, meets } from '../draft/candidate.js'
import type { SearchResult } from '../draft/search.js'
import type { Assertion } from '../languages/profile.js'
import { definedBy } from '../reply/draft.js'

export interface Written { path: string, source: string, passed: number }

export async function suiteFor (
  { best, tests }: SearchResult,
  subject: Subject,
  { sandbox, signal }: { sandbox: Sandbox, signal: AbortSignal }
): Promise<Written | null> {
  const { candidate } = best
  const { profile, entry, examples } = subject
  if (candidate.fault !== null
    || candidate.topFault !== null
    || candidate.spliced
    || entry === undefined
    || profile.isTestFile(candidate.path, candidate.main.source)) {
    return null
  }
  const given = examples.filter(example => meets(candidate, example)).map(({ assertion }) => assertion)
  const known = new Set(given.map(({ expression }) => expression))
  const more = agreeing(tests, candidate).map(({ assertion }) => assertion).filter(({ expression }) => !known.has(expression))
  const cases = [...given, ...more]
  const names = definedBy(candidate.main).filter(name => cases.some(each => mentions(each, name)))
  const suite = profile.suite(candidate.path, names, [{ title: 'examples', cases: given }, { title: 'further cases', cases: more }])
  if (!suite || Object.hasOwn(candidate.files, suite.path)) return null
  const source = (await sandbox.format({ language: profile.id, files: { [suite.path]: suite.source }, fix: false }, { signal }))[suite.path]
    ?? suite.source
  const files = { ...runnable(candidate, subject), [suite.path]: source }
  const report = await sandbox.test({ language: profile.id, files, tests: [suite.path] }, { signal })
  return isVouched(report)
    ? { path: suite.path, source, passed: report.tests.filter(({ outcome }) => outcome === 'passed').length }
    : null
}

function mentions ({ expression, setup, wanted }: Assertion, name: string): boolean {
  return `${setup ?? ''} ${expression} ${wanted.type === 'value' ? wanted.source : ''}`.includes(name)
}

function runnable ({ files }: Candidate, { profile, otherFiles }: Subject): Record<string, string> {
  return { ...otherFiles, ...Object.fromEntries(Object.entries(files).filter(([path]) => profile.runs(path))) }
}

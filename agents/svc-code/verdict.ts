import type { BlindTest } from './blind-tests.js'
import { type Candidate, meets, standing } from './candidate.js'
import type { Expectation } from './expectations.js'
import { contrast, line } from './findings.js'
import type { Ranked } from './judge.js'
import type { Solved, Work } from './solve.js'
import { keyOf, lackOf } from './trial.js'

/** `verified`: the user's own examples or tests pass. `tested`: there were none, and independent witnesses agree. */
export type Claim = 'verified' | 'tested' | 'unverified'

export interface Verdict { claim: Claim, lines: string[] }

// Below these, examples or tests that pass are outweighed by what speaks against the program: the chance that it is right,
// and the share of the drafts that do the same. A model that seldom writes the same twice does not know the task.
const TRUSTED = { withExamples: { chance: 0.85, share: 1 / 3 }, without: { chance: 0.92, share: 2 / 3 } }

/** What may be said of the program, and what it rests on. Nothing is said that did not run. */
export function verdictOf (work: Work, solved: Solved, suite: { passed: number, path: string } | null): Verdict {
  const { best } = solved
  if (!best) return { claim: 'unverified', lines: ['unverified: no program came out of it.', ...effort(solved)] }
  const { candidate } = best
  const claim = claimOf(work, best, solved)
  return {
    claim,
    lines: [
      `${claim}: ${ground(work, solved, claim)}`,
      ...examplesOf(work, candidate),
      ...testsOf(candidate),
      ...witnesses(solved, candidate),
      ...(suite && suite.passed > 0 ? [`- \`${suite.path}\` was run in the sandbox: ${count(suite.passed, 'test')} passed.`] : []),
      ...tools(candidate),
      ...effort(solved)
    ]
  }
}

function claimOf ({ examples, tests }: Work, { candidate, chance, drafts, share }: Ranked, solved: Solved): Claim {
  if (candidate.fault !== null) return 'unverified'
  const isTrusted = (least: { chance: number, share: number }) => chance >= least.chance && share >= least.share
  if (examples.length > 0 || Object.keys(tests).length > 0) return standing(candidate, examples) === 'passes' && isTrusted(TRUSTED.withExamples) ? 'verified' : 'unverified'
  return isTrusted(TRUSTED.without) && drafts > 1 && agreeing(solved.tests, candidate).length > 0 ? 'tested' : 'unverified'
}

function ground ({ examples, tests }: Work, { best, candidates }: Solved, claim: Claim): string {
  const candidate = best?.candidate
  if (!candidate) return ''
  const given = [...(examples.length > 0 ? [count(examples.length, 'example')] : []), ...(Object.keys(tests).length > 0 ? ['tests'] : [])].join(' and ')
  if (claim === 'verified') return `the program was run in the sandbox, and your ${given} ${examples.length === 1 && Object.keys(tests).length === 0 ? 'passes' : 'pass'}.`
  if (claim === 'tested') return 'the task gives no examples; the program was run in the sandbox, and tests that were written without sight of it agree.'
  switch (candidate.fault?.kind) {
    case 'missing': return `it could not be run: ${lackOf(candidate.fault)}. It was read and checked only.`
    case 'sandbox':
    case 'limit': return `it was not run: ${candidate.fault.message.split('\n', 1)[0] ?? ''}`
    case 'load': return `it cannot be run: ${candidate.fault.message.split('\n', 1)[0] ?? ''}`
    case undefined: break
  }
  if (given !== '') return standing(candidate, examples) === 'passes' ? `your ${given} pass, but ${candidates.length > 1 ? 'other drafts or ' : ''}independent tests disagree with it; look at it before you rely on it.` : `not all of your ${given} pass. This is the best of ${count(candidates.length, 'program')}.`
  return candidate.results.size > 0 ? 'the task gives no examples, and independent drafts and tests do not agree enough to trust it.' : 'it was checked, and nothing of it could be tested.'
}

function examplesOf ({ examples, ask }: Work, candidate: Candidate): string[] {
  if (examples.length === 0 || candidate.fault !== null) return []
  const failing = examples.filter(example => !meets(candidate, example))
  return [
    `- Examples of the task: ${examples.length - failing.length} of ${examples.length} pass.`,
    ...failing.slice(0, 3).map((example: Expectation) => `  - ${contrast(candidate, example, ask.language)}`)
  ]
}

function testsOf ({ report }: Candidate): string[] {
  if (!report) return []
  const passed = report.tests.filter(({ outcome }) => outcome === 'passed').length
  return [`- Your tests: ${report.tests.length === 0 ? `not run: ${report.message ?? report.cause ?? ''}` : `${passed} of ${report.tests.length} pass.`}`]
}

function witnesses ({ tests, candidates }: Solved, candidate: Candidate): string[] {
  if (candidate.fault !== null || tests.length === 0) return []
  const agree = agreeing(tests, candidate)
  const doubt = tests.find(test => !agree.includes(test))
  return [
    `- Tests that the model wrote without seeing the program: ${agree.length} of ${tests.length} agree.`,
    ...(doubt ? [`  - One wants \`${doubt.call.expression}\` to ${doubt.shown}; such a test may be wrong itself, and it was left out.`] : []),
    ...(candidates.length > 1 ? [`- Programs that were compared: ${candidates.length}.`] : [])
  ]
}

export function agreeing (tests: readonly BlindTest[], candidate: Candidate): BlindTest[] {
  return tests.filter(({ call, print }) => candidate.results.get(keyOf(call))?.print === print)
}

function tools ({ diagnostics, missing }: Candidate): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return [
    errors.length === 0 ? '- Formatted; linter and type checker report no errors.' : `- Formatted; linter and type checker report ${count(errors.length, 'error')}:`,
    ...errors.slice(0, 5).map(error => `  ${line(error)}`),
    ...(missing.length > 0 ? [`- Not available here, so neither checked nor run: ${missing.join(', ')}.`] : [])
  ]
}

function effort ({ cutShort, lost }: Solved): string[] {
  return [
    ...(cutShort === null ? [] : [`- The search ended early: ${cutShort}.`]),
    ...(lost.length > 0 ? [`- ${count(lost.length, 'reply', 'replies')} of the model held no whole program.`] : [])
  ]
}

export function count (number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

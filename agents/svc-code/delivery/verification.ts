// The verification of a program: the claim (verified, tested or unverified), and the reasons for it. They depend only on what was
// run here, never on what the model says.
import { type Candidate, type Subject, agreeing, isVouched, meets, prints, standing } from '../draft/candidate.js'
import { mismatch, line } from '../draft/mismatch.js'
import type { SearchResult, Oracle } from '../draft/search.js'
import { type Words, endedBy } from './words/words.js'

export type Claim = 'verified' | 'tested' | 'unverified'

export interface Verification { claim: Claim, lines: string[] }

// The least chance that the program is right, and the least share of drafts that behave the same. Below these, passing examples or
// tests are not enough: a model whose drafts all differ does not know the task.
const TRUSTED = { withExamples: { chance: 0.85, share: 1 / 3 }, without: { chance: 0.92, share: 2 / 3 } }
const MOST_FAILING = 3
const MOST_ERRORS = 5
const MOST_OUTPUT = { lines: 30, characters: 2000 }

export interface Suite { path: string, passed: number }

export function verificationOf (found: SearchResult, subject: Subject, oracle: Oracle, suite: Suite | null, words: Words): Verification {
  const { best, cut } = found
  const { candidate } = best
  const claim = claimOf(found, subject, oracle)
  return {
    claim,
    lines: [
      `${claim}: ${reasonFor(found, subject, claim, words)}`,
      ...examplesOf(subject, candidate, words),
      ...testsOf(candidate, words),
      ...(suite && suite.passed > 0 ? [words.suite(suite.path, suite.passed)] : []),
      ...(candidate.spliced && candidate.fault === null ? [words.spliced(candidate.path)] : []),
      ...(candidate.topFault ? [words.topFault(firstLine(candidate.topFault.message))] : []),
      ...outputOf(candidate, words),
      ...toolsOf(candidate, words),
      ...(cut !== null && oracle !== 'none' && claim === 'unverified' ? [endedBy(cut, words)] : [])
    ]
  }
}

function claimOf ({ best, tests }: SearchResult, subject: Subject, oracle: Oracle): Claim {
  const { candidate, chance, drafts, share } = best
  const { examples, runs, tests: given } = subject
  if (candidate.fault !== null || candidate.topFault !== null) return 'unverified'
  const isTrusted = (least: { chance: number, share: number }) => chance >= least.chance && share >= least.share
  const stands = standing(candidate, subject)
  if (examples.length > 0) return stands === 'passes' && isTrusted(TRUSTED.withExamples) ? 'verified' : 'unverified'
  if (runs.length > 0 || Object.keys(given).length > 0) return stands === 'passes' ? 'verified' : 'unverified'
  if (testsUserCode(candidate, subject)) return isVouched(candidate.own) ? 'tested' : 'unverified'
  return oracle === 'calls' && isTrusted(TRUSTED.without) && drafts > 1 && agreeing(tests, candidate).length > 0 ? 'tested' : 'unverified'
}

/** Whether the reply consists of tests for the user's own code. */
function testsUserCode ({ main, path, own }: Candidate, { otherFiles }: Subject): boolean {
  return own !== null && main.profile.isTestFile(path, main.source) && Object.keys(otherFiles).length > 0
}

function reasonFor (found: SearchResult, subject: Subject, claim: Claim, words: Words): string {
  const { best } = found
  const { candidate } = best
  const { examples, runs, tests, profile } = subject
  if (claim === 'verified') {
    return examples.length > 0
      ? words.examplesPass(examples.length)
      : runs.length > 0 ? words.outputRight(runs.length) : words.testsPass(passing(candidate.report))
  }
  if (claim === 'tested') return testsUserCode(candidate, subject) ? words.suiteAgainstYours(passing(candidate.own)) : words.agreed
  const fault = faultOf(candidate, words)
  if (fault !== undefined) return fault
  const met = examples.filter(example => meets(candidate, example)).length
  if (examples.length > 0) return met < examples.length ? words.someFail(met, examples.length) : words.doubted
  const [doubt] = [candidate.report, candidate.own].flatMap(each => each?.outcome === 'passed' ? each.doubts : [])
  if (doubt !== undefined) return words.notVouched(doubt)
  if (Object.keys(tests).length > 0) return words.testsFail(passing(candidate.report), candidate.report?.tests.length ?? 0)
  if (runs.length > 0 && !candidate.started.every(prints)) return words.outputWrong
  if (found.tests.length > 0 || (found.candidates.length > 1 && best.drafts < 2 && candidate.results.size > 0)) return words.unsure
  const source = candidate.files[candidate.path] ?? candidate.main.source
  switch (profile.natureOf(source, candidate.path)) {
    case 'server': return words.server(profile.leftOut(source).slice(0, 2).map(text => `\`${text}\``).join(', '))
    case 'window': return words.window
    case 'component': return words.component
    case 'script': return startedAs(candidate, words)
    case 'tests':
    case 'definitions': return profile.reachesOut(source) ? words.reachesOut : words.loaded
  }
}

/** Why nothing of the program ran. */
function faultOf ({ fault, check, main, path }: Candidate, words: Words): string | undefined {
  if (!main.profile.runs(path)) return words.notChecked(path)
  if (fault === null) return check.missing.length > 0 ? words.missing(list(check.missing)) : undefined
  switch (fault.kind) {
    case 'missing': return fault.missing.length > 0 ? words.missing(list(fault.missing)) : words.notRun(firstLine(fault.message))
    case 'load': return words.doesNotLoad(firstLine(fault.message))
    case 'limit':
    case 'sandbox': return words.notRun(firstLine(fault.message))
  }
}

function startedAs ({ started }: Candidate, words: Words): string {
  const [first] = started
  if (!first) return words.needsInput
  const { report } = first
  if (report.outcome !== 'exited') return words.notRun(report.message ?? report.outcome)
  return report.exitCode === 0 ? words.ran : words.ranWithError(lastLine(report.stderr))
}

function examplesOf ({ examples, profile }: Subject, candidate: Candidate, words: Words): string[] {
  if (examples.length === 0 || candidate.fault !== null) return []
  const failing = examples.filter(example => !meets(candidate, example))
  return failing.length === 0
    ? []
    : [words.examples(examples.length - failing.length, examples.length), ...failing
        .slice(0, MOST_FAILING)
        .map(example => words.failing(mismatch(candidate, example, profile)))]
}

function testsOf ({ report, own, main, path }: Candidate, words: Words): string[] {
  const failed = [report, own].flatMap(each => each?.tests.filter(({ outcome }) => outcome === 'failed') ?? [])
  const isSubject = main.profile.isTestFile(path, main.source) && isVouched(own)
  return [
    ...(own === null || isSubject
      ? []
      : own.tests.length > 0
        ? [words.ownTests(passing(own), own.tests.length)]
        : [words.ownTestsNotRun(firstLine(own.message ?? own.cause ?? ''))]),
    ...failed.slice(0, MOST_FAILING).map(({ name, message }) => words.failing(`${name}: ${firstLine(message ?? '')}`))
  ]
}

function outputOf ({ started }: Candidate, words: Words): string[] {
  const shown = started.find(each => !prints(each)) ?? started.find(({ example }) => example === undefined)
  if (!shown || shown.report.outcome !== 'exited') return []
  const text = shown.report.stdout.trimEnd()
  const files = Object.keys(shown.report.files)
  return [
    ...(text === ''
      ? []
      : [`${words.printed}\n\n\`\`\`\`text\n${text
          .split('\n')
          .slice(0, MOST_OUTPUT.lines)
          .join('\n')
          .slice(0, MOST_OUTPUT.characters)}\n\`\`\`\`\n`]),
    ...(files.length > 0 ? [words.wrote(files.map(path => `\`${path}\``).join(', '))] : [])
  ]
}

function toolsOf ({ check, fault, main, path }: Candidate, words: Words): string[] {
  if (!main.profile.runs(path)) return []
  const errors = check.diagnostics.filter(({ severity }) => severity === 'error')
  return [
    ...(errors.length === 0
      ? [words.clean]
      : [words.errors(errors.length), ...errors.slice(0, MOST_ERRORS).map(error => `  ${line(error)}`)]),
    ...(check.missing.length > 0 && fault?.kind !== 'missing' && fault !== null ? [words.alsoMissing(list(check.missing))] : [])
  ]
}

function passing (report: Candidate['report']): number {
  return report?.tests.filter(({ outcome }) => outcome === 'passed').length ?? 0
}

function list (modules: readonly string[]): string {
  return modules.map(name => `\`${name}\``).join(', ')
}

function firstLine (text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}

function lastLine (text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
}

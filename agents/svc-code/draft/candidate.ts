import type { CheckReport, Files, RunReport, TestReport } from '../../types.js'
import type { BlindTest, Expectation } from '../examples/expectations.js'
import type { Profile } from '../languages/profile.js'
import type { Draft, DraftFile } from '../reply/draft.js'
import type { Code } from '../talk.js'
import { keyOf } from './prints.js'
import type { Fault, Result } from './trial.js'

/** What a started program should print, as the user said it. */
export interface RunExample { args: string[], stdin: string, stdout: string }

/** What is examined, and what is known about it before anything was written. It is the same for all drafts of a run. */
export interface Subject {
  profile: Profile
  /** The function or class that the calls are for. */
  entry: string | undefined
  examples: readonly Expectation[]
  runs: readonly RunExample[]
  /** The user's own test files, which stand above everything. */
  tests: Files
  /** The user's other files. */
  beside: Files
  /** The user's long file, of which a reply may hold the changed functions only. */
  long: Code | undefined
  /** It changes code that is there, so what was not asked for stays as it is. */
  isEdit: boolean
  /** The user's own definitions, which a reply may take for granted. */
  prelude: string | undefined
}

/** A program that was written, and what is known of it. */
export interface Candidate {
  draft: Draft
  origin: 'draft' | 'repair'
  /** The file that is examined; the others are beside it. */
  main: DraftFile
  path: string
  /** What each file of the draft is called, and its final form. */
  paths: ReadonlyMap<DraftFile, string>
  files: Files
  /** Only the changed functions of the user's long file: they were tried in their places in it. */
  spliced: boolean
  check: Pick<CheckReport, 'diagnostics' | 'missing'>
  /** Why nothing of it ran. */
  fault: Fault | null
  /** Its definitions work, and a line at its top level fails: a wrong assert, a demonstration. */
  topFault: Fault | null
  results: Map<string, Result>
  /** Of the user's tests, and of those that came with the draft. */
  report: TestReport | null
  own: TestReport | null
  /** It was started as a person would, once for each run example, or once without. */
  started: readonly { example: RunExample | undefined, report: RunReport }[]
  /** How many drafts came out as this very program. */
  drafts: number
  /** A repair of it was asked for: it is never asked for twice. */
  repaired: boolean
}

export type Standing = 'passes' | 'fails' | 'unknown'

/** Measured by the user's own words: examples, tests, expected output. */
export function standing (candidate: Candidate, { examples, runs }: Subject): Standing {
  if (candidate.fault !== null) return candidate.fault.kind === 'load' ? 'fails' : 'unknown'
  if (candidate.report?.outcome === 'failed') return 'fails'
  if (examples.length === 0 && runs.length === 0) return isVouched(candidate.report) ? 'passes' : 'unknown'
  return examples.every(example => meets(candidate, example)) && candidate.started.every(started => prints(started)) ? 'passes' : 'fails'
}

export function meets (candidate: Candidate, example: Expectation): boolean {
  const result = candidate.results.get(keyOf(example.call))
  return result !== undefined && example.matches(result)
}

/** It passed, and the pass may be relied on. */
export function isVouched (report: TestReport | null): boolean {
  return report?.outcome === 'passed' && report.vouched
}

/** White space at the ends of lines and of the whole is no difference. */
export function prints ({ example, report }: Candidate['started'][number]): boolean {
  return example === undefined || (report.outcome === 'exited' && trimmed(report.stdout) === trimmed(example.stdout))
}

function trimmed (text: string): string {
  return text.split('\n').map(line => line.trimEnd()).join('\n').trimEnd()
}

/** The blind tests that a candidate passes. */
export function agreeing (tests: readonly BlindTest[], candidate: Candidate): BlindTest[] {
  return tests.filter(({ call, print }) => candidate.results.get(keyOf(call))?.print === print)
}

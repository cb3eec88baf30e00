import type { CheckReport, Files, RunReport, TestReport } from '../../types.js'
import type { BlindTest, Expectation } from '../examples/expectations.js'
import type { Profile } from '../languages/profile.js'
import type { Draft, DraftFile } from '../reply/draft.js'
import type { Code } from '../conversation.js'
import { keyOf } from './comparable.js'
import type { Fault, Result } from './trial.js'

/** The output that the user expects of a program that is started with this input. */
export interface RunExample { args: string[], stdin: string, stdout: string }

/** What the conversation says about the program to be written. It is the same for all drafts of a run. */
export interface Subject {
  profile: Profile
  /** The name of the function or class that the examples and tests call. */
  entry: string | undefined
  examples: readonly Expectation[]
  runs: readonly RunExample[]
  /** The user's own test files, which count more than anything else. */
  tests: Files
  /** The user's other files. */
  otherFiles: Files
  /** A long file of the user's: a reply to it may contain only the functions that it changes. */
  long: Code | undefined
  /** The task is a change of existing code, so everything else in that code must stay as it is. */
  isEdit: boolean
  /** Definitions of the user's, which a reply may use without repeating them. */
  prelude: string | undefined
}

/** A draft, and everything that was found out about it. */
export interface Candidate {
  draft: Draft
  origin: 'draft' | 'repair'
  /** The file that is examined, together with the draft's other files. */
  main: DraftFile
  path: string
  /** The name and the final form of each file of the draft. */
  paths: ReadonlyMap<DraftFile, string>
  files: Files
  /** The draft contains only the changed functions of the user's long file; they were put into that file to run it. */
  spliced: boolean
  check: Pick<CheckReport, 'diagnostics' | 'missing'>
  /** Why nothing of it ran. */
  fault: Fault | null
  /** Its definitions work, but a line at the top level fails, such as a wrong assert or a demonstration. */
  topFault: Fault | null
  results: Map<string, Result>
  /** The reports of the user's tests, and of the tests that came with the draft. */
  report: TestReport | null
  own: TestReport | null
  /** The reports of starting it as a person would: once for each run example, or once if there are none. */
  started: readonly { example: RunExample | undefined, report: RunReport }[]
  /** How many drafts were this very program. */
  drafts: number
  /** The model was asked to repair it, which happens only once. */
  repaired: boolean
}

export type Standing = 'passes' | 'fails' | 'unknown'

/** Whether a candidate meets what the user gave: examples, tests, expected output. */
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

/** Whether tests passed, and the sandbox vouches for the pass. */
export function isVouched (report: TestReport | null): boolean {
  return report?.outcome === 'passed' && report.vouched
}

/** Whether a started program printed what was expected, white space at the ends of lines aside. */
export function prints ({ example, report }: Candidate['started'][number]): boolean {
  return example === undefined || (report.outcome === 'exited' && trimmed(report.stdout) === trimmed(example.stdout))
}

function trimmed (text: string): string {
  return text.split('\n').map(line => line.trimEnd()).join('\n').trimEnd()
}

/** The blind tests that a candidate passes. A blind test is written by the model without seeing the program. */
export function agreeing (tests: readonly BlindTest[], candidate: Candidate): BlindTest[] {
  return tests.filter(({ call, print }) => candidate.results.get(keyOf(call))?.print === print)
}

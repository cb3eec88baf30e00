import type { Diagnostic, Files, Language, TestReport } from '../types.js'
import type { Expectation } from './expectations.js'
import { type Fault, type Result, keyOf } from './trial.js'

/** A program that was written, and what is known of it. */
export interface Candidate {
  source: string
  /** The sentence that came with it. */
  approach: string
  origin: 'draft' | 'repair' | 'given'
  diagnostics: Diagnostic[]
  missing: string[]
  fault: Fault | null
  results: Map<string, Result>
  /** Of the user's own tests, where there are any. */
  report: TestReport | null
  /** How many drafts came out as this very program. */
  drafts: number
  /** A repair of it was asked for: it is never asked for twice. */
  repaired: boolean
}

export interface Setting {
  language: Language
  path: string
  /** Files beside the program: what the user gave. */
  beside: Files
}

export type Standing = 'passes' | 'fails' | 'unknown'

export function standing (candidate: Candidate, examples: readonly Expectation[]): Standing {
  if (candidate.origin === 'given') return 'fails' // its owner says so
  if (candidate.fault !== null) return candidate.fault.kind === 'load' ? 'fails' : 'unknown'
  if (candidate.report?.outcome === 'failed') return 'fails'
  if (examples.length === 0) return candidate.report?.outcome === 'passed' ? 'passes' : 'unknown'
  return examples.every(example => meets(candidate, example)) ? 'passes' : 'fails'
}

export function meets (candidate: Candidate, example: Expectation): boolean {
  const result = candidate.results.get(keyOf(example.call))
  return result !== undefined && example.matches(result)
}

// What is wrong with a program, in the words of the tools that found it: the model reads them, and so does the user.
import type { Diagnostic, Files, Language, Outcome } from '../types.js'
import { show } from '../values.js'
import { type Candidate, meets } from './candidate.js'
import type { Expectation } from './expectations.js'
import { keyOf } from './trial.js'

const MOST = 6

export function whatIsWrong (candidate: Candidate, examples: readonly Expectation[], tests: Files, language: Language): string {
  if (candidate.fault !== null) return `It cannot be run:\n${candidate.fault.message}${at(candidate.fault.frame)}`
  const failing = examples.filter(example => !meets(candidate, example))
  const parts = [
    ...(failing.length > 0 ? [`These examples failed:\n${failing.slice(0, MOST).map(example => `- ${contrast(candidate, example, language)}`).join('\n')}`] : []),
    ...(candidate.report?.outcome === 'failed' ? [failingTests(candidate, tests)] : []),
    ...errorsOf(candidate.diagnostics)
  ]
  return parts.length > 0 ? parts.join('\n\n') : 'It does not do what the task asks: see there what is wrong.'
}

/** `f(2)` should give `4`, and gives `5`. */
export function contrast (candidate: Candidate, { call, shown }: Expectation, language: Language): string {
  const outcome = candidate.results.get(keyOf(call))?.outcome
  return `\`${call.expression}\` should ${shown}, ${outcome === undefined ? 'and was not run' : given(outcome, language)}`
}

function given (outcome: Outcome, language: Language): string {
  switch (outcome.type) {
    case 'returned': return `but gives \`${show(outcome.value, language).slice(0, 300)}\``
    case 'raised': return `but raises ${outcome.name}: ${firstLine(outcome.message)}${at(outcome.frame)}`
    case 'not run': return `but ${outcome.cause === 'time' ? 'did not end in time' : `could not be run (${outcome.message})`}`
  }
}

function failingTests ({ report }: Candidate, tests: Files): string {
  const failed = report?.tests.filter(({ outcome }) => outcome === 'failed') ?? []
  if (failed.length === 0) return `The tests (${Object.keys(tests).join(', ')}) could not be run: ${report?.message ?? 'no reason is known'}`
  return `These tests failed:\n${failed.slice(0, MOST).map(({ name, message, frame }) => `- ${name}: ${firstLine(message ?? '')}${at(frame)}`).join('\n')}`
}

function errorsOf (diagnostics: readonly Diagnostic[]): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return errors.length === 0 ? [] : [`The checker reports:\n${errors.slice(0, MOST).map(line).join('\n')}`]
}

export function line ({ line, code, message }: Diagnostic): string {
  return `- line ${line}: ${code}: ${firstLine(message)}`
}

function at (frame: { line: number } | null | undefined): string {
  return frame ? ` (line ${frame.line})` : ''
}

function firstLine (text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}

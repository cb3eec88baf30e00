// Describes failed examples and diagnostics of the checker, in one line each.
import type { Diagnostic, Outcome } from '../../types.js'
import { show } from '../../values.js'
import type { Expectation } from '../examples/expectations.js'
import type { Profile } from '../languages/profile.js'
import type { Candidate } from './candidate.js'
import { keyOf } from './comparable.js'

/** `f(2)` should give `4`, and gives `5`. */
export function mismatch (candidate: Candidate, { call, shown }: Expectation, profile: Profile): string {
  const outcome = candidate.results.get(keyOf(call))?.outcome
  return `\`${call.expression}\` should ${shown}, ${outcome === undefined ? 'and was not run' : given(outcome, profile)}`
}

function given (outcome: Outcome, { id }: Profile): string {
  switch (outcome.type) {
    case 'returned': return `but gives \`${show(outcome.value, id).slice(0, 300)}\``
    case 'raised': return `but raises ${outcome.name}: ${firstLine(outcome.message)}${at(outcome.frame)}`
    case 'not run': return `but ${outcome.cause === 'time' ? 'did not end in time' : `could not be run (${outcome.message})`}`
  }
}

export function line ({ line, code, message }: Diagnostic): string {
  return `- line ${line}: ${code}: ${firstLine(message)}`
}

export function at (frame: { line: number } | null | undefined): string {
  return frame ? ` (line ${frame.line})` : ''
}

export function firstLine (text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}

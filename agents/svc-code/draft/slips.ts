// What is broken in a way that says nothing about the idea.
import type { Candidate } from './candidate.js'

/** Broken in a way that says nothing about the idea: a slip that one repair mends. */
export function isCheap ({ fault, results, main, started }: Candidate): boolean {
  if (fault !== null) return fault.kind === 'load'
  const slips = main.profile.slips
  if (started.some(({ report }) => report.outcome === 'exited'
    && report.exitCode !== 0
    && [...slips].some(name => report.stderr.includes(`${name}:`)))) {
    return true
  }
  return results.size > 0 && [...results.values()].every(({ outcome }) => outcome.type === 'raised' && slips.has(outcome.name))
}

/** It names what exists nowhere: wrong wherever it comes to it, whatever the calls that were tried say. */
export function isSuspect ({ check, main }: Candidate): boolean {
  return check.diagnostics.some(({ code, severity }) => severity === 'error' && main.profile.isNowhere(code))
}

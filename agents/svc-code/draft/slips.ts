// Recognises slips: errors such as a misspelled name or a missing import, which say nothing about the idea of a program.
import type { Candidate } from './candidate.js'

/** Whether a program fails because of a slip, which one repair usually mends. */
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

/** Whether a program uses unknown names: it fails as soon as it reaches them, even if all calls so far succeeded. */
export function isSuspect ({ check, main }: Candidate): boolean {
  return check.diagnostics.some(({ code, severity }) => severity === 'error' && main.profile.isNowhere(code))
}

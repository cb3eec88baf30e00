import type { CheckReport, Sandbox } from '../types.js'
import type { Candidate } from './candidate.js'
import { type Wanted, mend } from './mend.js'

export interface Examined {
  /** Mended where that needs no model, formatted, with the linter's safe fixes. */
  source: string
  checked: Promise<Pick<CheckReport, 'diagnostics' | 'missing'>>
}

/** What can be put right without a model is; the rest is told by the tools. */
export async function examine (source: string, place: Wanted & { path: string, beside: Readonly<Record<string, string>> }, { sandbox, signal }: { sandbox: Sandbox, signal: AbortSignal }): Promise<Examined> {
  const { language, path, beside } = place
  const formatted = await tidy(source, place, { sandbox, signal })
  const checked = sandbox.check({ language, files: { ...beside, [path]: formatted } }, { signal })
    .then(({ diagnostics, missing }) => ({ diagnostics: diagnostics.filter(({ file }) => file === path), missing }))
  checked.catch(() => {}) // it is awaited beside what else is done meanwhile
  return { source: formatted, checked }
}

/** Mended where that needs no model, and formatted. */
export async function tidy (source: string, place: Wanted & { path: string }, { sandbox, signal }: { sandbox: Sandbox, signal: AbortSignal }): Promise<string> {
  const mended = mend(source, place)
  return (await sandbox.format({ language: place.language, files: { [place.path]: mended } }, { signal }))[place.path] ?? mended
}

const NAMES_ERRORS = new Set(['NameError', 'ImportError', 'ModuleNotFoundError', 'UnboundLocalError', 'ReferenceError', 'SyntaxError', 'IndentationError'])

/** Broken in a way that says nothing about the idea: a slip that one repair mends. */
export function isCheap ({ fault, results }: Candidate): boolean {
  if (fault !== null) return fault.kind === 'load'
  return results.size > 0 && [...results.values()].every(({ outcome }) => outcome.type === 'raised' && NAMES_ERRORS.has(outcome.name))
}

// Undefined names, and members that their type does not have: TypeScript's and pyright's words for what fails when it is reached.
const NOWHERE = /^(?:F821|reportUndefinedVariable|reportAttributeAccessIssue|(?:TS)?(?:2304|2339|2551|2552|2349))$/

/** It names what exists nowhere: wrong wherever it comes to it, whatever the calls that were tried say. */
export function isSuspect ({ diagnostics }: Candidate): boolean {
  return diagnostics.some(({ code, severity }) => severity === 'error' && NOWHERE.test(code))
}

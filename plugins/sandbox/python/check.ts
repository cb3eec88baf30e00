import type { CheckReport, Diagnostic, Files } from '../../../agents/types.js'
import type { Scope } from '../toolchain.js'
import { lint, localNames } from './lint.js'
import { isPackage } from './packages.js'
import { type Complaint, type Pyright, PyrightFailed } from './pyright.js'
import type { Ruff } from './ruff.js'
import { isLikelyBug } from './severity.js'

/** Lint and types of all files, each complaint once. */
export async function check (files: Files, tools: { ruff: Ruff, pyright: Pyright }, scope: Scope): Promise<CheckReport> {
  const [linted, typed] = await Promise.all([lint(files, tools.ruff, scope), types(files, tools.pyright, scope)])
  const missing = new Set<string>()
  const own = new Set(localNames(files))
  const complaints = typed.complaints.filter(complaint => !isAbsence(complaint, own, missing))
  const broken = new Set(linted.diagnostics.filter(({ source }) => source === 'syntax').map(({ file }) => file))
  const said = new Set(linted.diagnostics.map(placeOf))
  // Of a file that does not parse, ruff has said so; what else pyright makes of it would only mislead.
  const typings = complaints.filter(({ file }) => !broken.has(file)).map(diagnosticOf).filter(found => !said.has(placeOf(found)))
  const diagnostics = [...linted.diagnostics, ...typings]
  return {
    diagnostics: diagnostics.sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column),
    missing: [...missing],
    unchecked: [
      ...(linted.reason === null ? [] : [{ source: 'lint' as const, reason: linted.reason }]),
      ...(typed.reason === null ? [] : [{ source: 'types' as const, reason: typed.reason }])
    ]
  }
}

async function types (files: Files, pyright: Pyright, scope: Scope): Promise<{ complaints: Complaint[], reason: string | null }> {
  try {
    return { complaints: await pyright.check(files, scope), reason: null }
  } catch (error) {
    if (!(error instanceof PyrightFailed)) throw error
    return { complaints: [], reason: error.message }
  }
}

/** Whether it is about a package that is not there. A name that is neither a package nor the job's is a fault. */
function isAbsence ({ rule, message }: Complaint, own: Set<string>, missing: Set<string>): boolean {
  if (rule !== 'reportMissingImports' && rule !== 'reportMissingModuleSource') return false
  const [name = ''] = (/^Import "([^"]+)"/.exec(message)?.[1] ?? '').split('.')
  // From a folder such as `src`, which Python is told of and pyright is not; pytest comes with the runner.
  if (own.has(name) || name === 'pytest') return true
  if (rule === 'reportMissingImports' && !isPackage(name)) return false
  missing.add(name)
  return true
}

function diagnosticOf ({ file, line, column, rule, isError, message }: Complaint): Diagnostic {
  return { file, line, column, code: rule ?? 'syntax', message, severity: isError || isLikelyBug(rule, message) ? 'error' : 'warning', source: rule === undefined ? 'syntax' : 'types' }
}

// What both tools say, each in its own words: a name that is not there, a statement where it may not stand.
const COMMON: Record<string, string> = { F821: 'undefined', reportUndefinedVariable: 'undefined', F823: 'unbound', reportUnboundVariable: 'unbound', F704: 'syntax', F706: 'syntax', F701: 'syntax', F702: 'syntax', syntax: 'syntax' }

function placeOf ({ file, line, code }: Diagnostic): string {
  return [file, line, COMMON[code] ?? code].join(':')
}

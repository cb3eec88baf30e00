import type { CheckReport, Diagnostic, Files } from '../../../agents/types.js'
import { ToolFailed } from '../kept-tool.js'
import type { Operation } from '../toolchain.js'
import { lint, localNames } from './lint.js'
import { isPackage } from './packages.js'
import type { Complaint, Pyright } from './pyright.js'
import type { Ruff } from './ruff.js'
import { isLikelyBug } from './severity.js'

/** Lint and types of all files. What both tools say is reported once. */
export async function check (files: Files, tools: { ruff: Ruff, pyright: Pyright }, operation: Operation): Promise<CheckReport> {
  const [linted, typed] = await Promise.all([lint(files, tools.ruff, operation), types(files, tools.pyright, operation)])
  const missing = new Set<string>()
  const own = new Set(localNames(files))
  const complaints = typed.complaints.filter(complaint => !isAboutMissing(complaint, own, missing))
  const broken = new Set(linted.diagnostics.filter(({ source }) => source === 'syntax').map(({ file }) => file))
  const known = new Set(linted.diagnostics.map(keyOf))
  // Ruff has reported the files that do not parse. What Pyright says of them would be misleading.
  const typings = complaints.filter(({ file }) => !broken.has(file)).map(diagnosticOf).filter(diagnostic => !known.has(keyOf(diagnostic)))
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

async function types (files: Files, pyright: Pyright, operation: Operation): Promise<{ complaints: Complaint[], reason: string | null }> {
  try {
    return { complaints: await pyright.check(files, operation), reason: null }
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error
    return { complaints: [], reason: error.message }
  }
}

/** Whether it complains of a package that is not here. A name that is neither a package nor the job's is an error. */
function isAboutMissing ({ rule, message }: Complaint, own: Set<string>, missing: Set<string>): boolean {
  if (rule !== 'reportMissingImports' && rule !== 'reportMissingModuleSource') return false
  const [name = ''] = (/^Import "([^"]+)"/.exec(message)?.[1] ?? '').split('.')
  // Pyright does not search folders such as `src`, as Python does here. pytest comes with the runner.
  if (own.has(name) || name === 'pytest') return true
  if (rule === 'reportMissingImports' && !isPackage(name)) return false
  missing.add(name)
  return true
}

function diagnosticOf ({ file, line, column, rule, isError, message }: Complaint): Diagnostic {
  const severity = isError || isLikelyBug(rule, message) ? 'error' : 'warning'
  return { file, line, column, code: rule ?? 'syntax', message, severity, source: rule === undefined ? 'syntax' : 'types' }
}

// What both tools report under different codes: undefined names, and statements that are not allowed where they are.
const SAME: Record<string, string> = {
  F821: 'undefined', reportUndefinedVariable: 'undefined', F823: 'unbound', reportUnboundVariable: 'unbound',
  F704: 'syntax', F706: 'syntax', F701: 'syntax', F702: 'syntax', syntax: 'syntax'
}

function keyOf ({ file, line, code }: Diagnostic): string {
  return [file, line, SAME[code] ?? code].join(':')
}

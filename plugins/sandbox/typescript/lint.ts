import type { CheckReport, Diagnostic, Files } from '../../../agents/types.js'
import { runTool, withFolder } from '../tool.js'
import type { Host, Operation } from '../toolchain.js'
import { isRecord } from '../values.js'
import { isSource } from './imports.js'

/** Rules about style, or about other platforms than the user's. They are no reason for a repair. */
const UNWANTED = [
  'no-explicit-any', 'prefer-const', 'no-process-global', 'no-node-globals', 'no-import-prefix', 'no-unversioned-import',
  'no-sloppy-imports', 'no-inner-declarations', 'no-empty-interface', 'no-inferrable-types', 'no-var', 'no-window', 'no-window-prefix',
  'ban-types', 'ban-untagged-todo', 'require-await', 'no-slow-types', 'no-namespace', 'no-this-alias', 'verbatim-module-syntax',
  'no-control-regex', 'no-irregular-whitespace', 'jsx-button-has-type', 'jsx-curly-braces', 'jsx-boolean-value', 'no-import-assertions'
]
// These are errors whatever the author meant.
const ERRORS = new Set([
  'no-unreachable', 'no-dupe-keys', 'no-dupe-class-members', 'no-dupe-args', 'no-dupe-else-if', 'no-duplicate-case', 'no-self-compare',
  'no-self-assign', 'no-const-assign', 'no-class-assign', 'no-func-assign', 'no-import-assign', 'no-this-before-super',
  'constructor-super', 'getter-return', 'no-unsafe-finally', 'no-unsafe-negation', 'no-compare-neg-zero', 'use-isnan', 'valid-typeof',
  'no-setter-return', 'no-obj-calls', 'no-new-symbol', 'no-invalid-regexp', 'for-direction', 'no-delete-var', 'no-global-assign',
  'no-ex-assign', 'no-async-promise-executor', 'no-unsafe-optional-chaining', 'no-cond-assign', 'no-constant-condition', 'no-debugger',
  'no-shadow-restricted-names', 'no-undef', 'require-yield'
])

// Nobody reads more of them.
const MAX_DIAGNOSTICS = 1000

export function lintFlags (): string[] {
  return ['lint', '--quiet', '--no-config', `--rules-exclude=${UNWANTED.join(',')}`]
}

/** Runs `deno lint` on all files at once. */
export async function lint (files: Files, host: Host, operation: Operation): Promise<Pick<CheckReport, 'diagnostics' | 'unchecked'>> {
  const { texts, names } = sourcesOf(files)
  if (names.size === 0) return { diagnostics: [], unchecked: [] }
  return await withFolder(texts, host, async folder => {
    const command = [host.deno, ...lintFlags(), '--json', ...names.keys()]
    const { stdout, stderr, excess } = await runTool(command, folder, host, operation)
    const report = excess === undefined ? parse(stdout) : undefined
    if (!report) {
      const reason = excess === undefined ? `deno lint failed: ${stderr.slice(0, 300)}` : `deno lint ran out of ${excess}`
      return { diagnostics: [], unchecked: [{ source: 'lint', reason }] }
    }
    const fileOf = (url: unknown) => names.get(String(url).slice(String(url).lastIndexOf('/') + 1)) ?? ''
    const errors = list(report.errors).map(error => syntaxDiagnostic(error, fileOf))
    const lints = list(report.diagnostics).slice(0, MAX_DIAGNOSTICS).map(lint => lintDiagnostic(lint, fileOf))
    return { diagnostics: [...errors, ...lints], unchecked: [] }
  })
}

/**
 * The sources under names of our own: Deno would take `--ignore=a.ts` for an option and `[id].ts` for a pattern, and a .gitignore would
 * hide files.
 */
export function sourcesOf (files: Files): { texts: Files, names: Map<string, string> } {
  const texts: Record<string, string> = {}
  const names = new Map<string, string>()
  for (const [path, text] of Object.entries(files).filter(([path]) => isSource(path))) {
    const name = `${names.size}${path.slice(path.lastIndexOf('.'))}`
    texts[name] = text
    names.set(name, path)
  }
  return { texts, names }
}

function lintDiagnostic (lint: Record<string, unknown>, fileOf: (url: unknown) => string): Diagnostic {
  const start = isRecord(lint.range) && isRecord(lint.range.start) ? lint.range.start : {}
  const code = String(lint.code)
  const message = `${String(lint.message)}${typeof lint.hint === 'string' ? ` (${lint.hint})` : ''}`
  const severity = ERRORS.has(code) ? 'error' : 'warning'
  const position = { line: Number(start.line ?? 1), column: Number(start.col ?? 0) + 1 }
  return { file: fileOf(lint.filename), ...position, code, message, severity, source: 'lint' }
}

// The position is in the message: "Expected ... at file:///x.ts:1:14".
function syntaxDiagnostic (error: Record<string, unknown>, fileOf: (url: unknown) => string): Diagnostic {
  const text = String(error.message)
  const [, line = '1', column = '1'] = /:(\d+):(\d+)/.exec(text) ?? []
  const [message = text] = text.split(/ at file:\/\/|\n/)
  const position = { line: Number(line), column: Number(column) }
  return { file: fileOf(error.file_path ?? ''), ...position, code: 'syntax', message: message.trim(), severity: 'error', source: 'syntax' }
}

function list (value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function parse (json: string): Record<string, unknown> | undefined {
  try {
    const report: unknown = JSON.parse(json)
    return isRecord(report) ? report : undefined
  } catch {
    return undefined
  }
}

import type { CheckReport, Diagnostic, Files } from '../../../agents/types.js'
import { runTool, withFolder } from '../tool.js'
import type { Scope, Site } from '../toolchain.js'
import { isRecord } from '../values.js'
import { isSource } from './imports.js'

/** What is about a program's behaviour or left-overs. How code should look is the formatter's, and no reason for a repair. */
const UNWANTED = ['no-explicit-any', 'prefer-const', 'no-process-global', 'no-node-globals', 'no-import-prefix', 'no-unversioned-import', 'no-sloppy-imports', 'no-inner-declarations', 'no-empty-interface',
  'no-inferrable-types', 'no-var', 'no-window', 'no-window-prefix', 'ban-types', 'ban-untagged-todo', 'require-await', 'no-slow-types', 'no-namespace', 'no-this-alias', 'verbatim-module-syntax', 'no-control-regex', 'no-irregular-whitespace',
  'jsx-button-has-type', 'jsx-curly-braces', 'jsx-boolean-value', 'no-import-assertions']
// These are faults whatever was meant.
const ERRORS = new Set(['no-unreachable', 'no-dupe-keys', 'no-dupe-class-members', 'no-dupe-args', 'no-dupe-else-if', 'no-duplicate-case', 'no-self-compare', 'no-self-assign', 'no-const-assign', 'no-class-assign', 'no-func-assign', 'no-import-assign',
  'no-this-before-super', 'constructor-super', 'getter-return', 'no-unsafe-finally', 'no-unsafe-negation', 'no-compare-neg-zero', 'use-isnan', 'valid-typeof', 'no-setter-return', 'no-obj-calls', 'no-new-symbol', 'no-invalid-regexp', 'for-direction', 'no-delete-var', 'no-global-assign', 'no-ex-assign', 'no-async-promise-executor', 'no-unsafe-optional-chaining', 'no-cond-assign', 'no-constant-condition', 'no-debugger', 'no-shadow-restricted-names', 'no-undef', 'require-yield'])

// Nobody reads more of them.
const MAX_TOLD = 1000

export function lintFlags (): string[] {
  return ['lint', '--quiet', '--no-config', `--rules-exclude=${UNWANTED.join(',')}`]
}

/** `deno lint`, of all files at once. */
export async function lint (files: Files, site: Site, scope: Scope): Promise<Pick<CheckReport, 'diagnostics' | 'unchecked'>> {
  const { texts, names } = sourcesOf(files)
  if (names.size === 0) return { diagnostics: [], unchecked: [] }
  return await withFolder(texts, site, async folder => {
    const { stdout, stderr, excess } = await runTool([site.deno, ...lintFlags(), '--json', ...names.keys()], { folder, site, scope })
    const report = excess === undefined ? parse(stdout) : undefined
    if (!report) return { diagnostics: [], unchecked: [{ source: 'lint', reason: excess === undefined ? `deno lint failed: ${stderr.slice(0, 300)}` : `deno lint ran out of ${excess}` }] }
    const local = (url: unknown) => names.get(String(url).slice(String(url).lastIndexOf('/') + 1)) ?? ''
    return { diagnostics: [...list(report.errors).map(found => ofSyntax(found, local)), ...list(report.diagnostics).slice(0, MAX_TOLD).map(found => ofLint(found, local))], unchecked: [] }
  })
}

/**
 * Only what the tools read, under names of ours: `--ignore=a.ts` would be an option, `[id].ts` a pattern, and a .gitignore would
 * hide the others.
 */
export function sourcesOf (files: Files): { texts: Files, names: Map<string, string> } {
  const sources = Object.entries(files).filter(([path]) => isSource(path)).map(([path, text], index) => ({ path, text, name: `${index}${path.slice(path.lastIndexOf('.'))}` }))
  return { texts: Object.fromEntries(sources.map(({ name, text }) => [name, text])), names: new Map(sources.map(({ name, path }) => [name, path])) }
}

function ofLint (found: Record<string, unknown>, local: (url: unknown) => string): Diagnostic {
  const start = isRecord(found.range) && isRecord(found.range.start) ? found.range.start : {}
  const code = String(found.code)
  const hint = typeof found.hint === 'string' ? ` (${found.hint})` : ''
  return { file: local(found.filename), line: Number(start.line ?? 1), column: Number(start.col ?? 0) + 1, code, message: `${String(found.message)}${hint}`, severity: ERRORS.has(code) ? 'error' : 'warning', source: 'lint' }
}

// The place stands in the message: "Expected ... at file:///x.ts:1:14".
function ofSyntax (found: Record<string, unknown>, local: (url: unknown) => string): Diagnostic {
  const text = String(found.message)
  const [, line = '1', column = '1'] = /:(\d+):(\d+)/.exec(text) ?? []
  const [message = text] = text.split(/ at file:\/\/|\n/)
  return { file: local(found.file_path ?? ''), line: Number(line), column: Number(column), code: 'syntax', message: message.trim(), severity: 'error', source: 'syntax' }
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

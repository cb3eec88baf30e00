import type { Diagnostic, Files } from '../../../agents/types.js'
import type { Scope } from '../toolchain.js'
import { type Edit, type Lint, type Place, type Ruff, RuffFailed } from './ruff.js'

/** What is about a program's behaviour or left-overs. How code should look is the formatter's, and no reason for a repair. */
const RULES = ['E9', 'F', 'B', 'E711', 'E721', 'E722', 'W605']
const UNWANTED = new Set(['B007', 'B008', 'B010', 'B009', 'B011', 'B015', 'B017', 'B018', 'B019', 'B027', 'B028', 'B904', 'B905', 'B909', 'B911', 'F403', 'F405', 'F541', 'F722'])
// These are faults whatever was meant.
const ERRORS = /^(?:E9\d\d|F50\d|F52\d|F62[12]|F63[34]|F70\d|F82[123]|B012|B016|B018|B020|B029|B035)$/
// Ruff marks these fixes as safe; its interface does not say so.
const FIXED = ['F401', 'F541', 'F632', 'E711', 'W605', 'I001']
const ROUNDS = 8

export function isPython (path: string): boolean {
  return /\.pyi?$/.test(path)
}

/** What a name at the start of an import means when it is the job's own. */
export function localNames (files: Files): string[] {
  return [...new Set(Object.keys(files).filter(isPython).flatMap(path => {
    const parts = path.replace(/\.pyi?$/, '').split('/')
    return [parts[0], parts.at(-1), ...(parts[0] === 'src' || parts[0] === 'lib' ? [parts[1]] : [])]
  }).filter(name => name !== undefined && /^[\p{L}_][\p{L}\d_]*$/u.test(name)))] as string[]
}

export async function lint (files: Files, ruff: Ruff, scope: Scope): Promise<{ diagnostics: Diagnostic[], reason: string | null }> {
  const diagnostics: Diagnostic[] = []
  const rules = { select: RULES, firstParty: localNames(files) }
  for (const [file, text] of Object.entries(files)) {
    if (!isPython(file)) continue
    try {
      for (const found of await ruff.check(text, rules, scope)) if (!isNoise(found, file)) diagnostics.push(diagnosticOf(found, file))
    } catch (error) {
      if (!(error instanceof RuffFailed)) throw error
      return { diagnostics, reason: error.message }
    }
  }
  return { diagnostics, reason: null }
}

function isNoise ({ code }: Lint, file: string): boolean {
  return UNWANTED.has(code) || (code === 'F401' && isPackageFile(file))
}

/** What it imports is there for others. */
function isPackageFile (file: string): boolean {
  return /(?:^|\/)__init__\.pyi?$/.test(file)
}

function diagnosticOf ({ code, message, start }: Lint, file: string): Diagnostic {
  const isSyntax = code === 'invalid-syntax'
  return { file, line: start.row, column: start.column, code, message, severity: isSyntax || ERRORS.test(code) ? 'error' : 'warning', source: isSyntax ? 'syntax' : 'lint' }
}

/** Formatted, with safe fixes where `fix`. A file that does not parse, or that ruff could not finish, stays as it was. */
export async function format (files: Files, fix: boolean, ruff: Ruff, scope: Scope): Promise<Files> {
  const formatted: Record<string, string> = {}
  const firstParty = localNames(files)
  for (const [file, text] of Object.entries(files)) {
    formatted[file] = text
    if (!isPython(file)) continue
    try {
      const fixed = fix ? await fixedText(text, file, firstParty, ruff, scope) : text
      formatted[file] = await ruff.format(fixed, scope) ?? text
    } catch (error) {
      if (!(error instanceof RuffFailed)) throw error
    }
  }
  return formatted
}

async function fixedText (text: string, file: string, firstParty: string[], ruff: Ruff, scope: Scope): Promise<string> {
  let fixed = text
  for (let round = 0; round < ROUNDS; round++) {
    const found = await ruff.check(fixed, { select: FIXED, firstParty }, scope)
    if (found.some(({ code }) => code === 'invalid-syntax')) return text
    const next = spliced(fixed, found.filter(({ code }) => FIXED.includes(code) && !(code === 'F401' && isPackageFile(file))).map(({ edits }) => edits))
    if (next === fixed) break
    fixed = next
  }
  return fixed
}

/** All fixes that do not touch each other; the rest comes with the next round. */
export function spliced (text: string, fixes: Edit[][]): string {
  const starts = lineStarts(text)
  const taken: { from: number, to: number, content: string }[] = []
  for (const edits of fixes) {
    const spans = edits.map(({ content, location, end_location: end }) => ({ from: offsetOf(location, starts, text), to: offsetOf(end, starts, text), content: content ?? '' }))
    if (spans.length > 0 && spans.every(span => taken.every(({ from, to }) => span.to < from || span.from > to))) taken.push(...spans)
  }
  let fixed = text
  for (const { from, to, content } of taken.sort((a, b) => b.from - a.from)) fixed = fixed.slice(0, from) + content + fixed.slice(to)
  return fixed
}

function lineStarts (text: string): number[] {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length)
  return starts
}

function offsetOf ({ row, column }: Place, starts: number[], text: string): number {
  return Math.min((starts[row - 1] ?? text.length) + column - 1, text.length)
}

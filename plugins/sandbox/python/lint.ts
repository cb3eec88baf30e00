import type { Diagnostic, Files } from '../../../agents/types.js'
import { ToolFailed } from '../kept-tool.js'
import type { Operation } from '../toolchain.js'
import type { Edit, Lint, Position, Ruff } from './ruff.js'

/** Rules about what a program does, and about left-overs. How code looks is up to the formatter, and no reason for a repair. */
const RULES = ['E9', 'F', 'B', 'E711', 'E721', 'E722', 'W605']
const UNWANTED = new Set([
  'B007', 'B008', 'B009', 'B010', 'B011', 'B015', 'B017', 'B018', 'B019', 'B027', 'B028', 'B904', 'B905', 'B909', 'B911',
  'F403', 'F405', 'F541', 'F722'
])
// These are errors whatever the author meant.
const ERRORS = /^(?:E9\d\d|F50\d|F52\d|F62[12]|F63[34]|F70\d|F82[123]|B012|B016|B018|B020|B029|B035)$/
// Ruff marks these fixes as safe, which its interface does not show.
const FIXED = ['F401', 'F541', 'F632', 'E711', 'W605', 'I001']
const ROUNDS = 8

export function isPython (path: string): boolean {
  return /\.pyi?$/.test(path)
}

/** The names by which the job's own files can be imported. */
export function localNames (files: Files): string[] {
  return [...new Set(Object.keys(files).filter(isPython).flatMap(path => {
    const parts = path.replace(/\.pyi?$/, '').split('/')
    return [parts[0], parts.at(-1), ...(parts[0] === 'src' || parts[0] === 'lib' ? [parts[1]] : [])]
  }).filter(name => name !== undefined && /^[\p{L}_][\p{L}\d_]*$/u.test(name)))] as string[]
}

export async function lint (files: Files, ruff: Ruff, operation: Operation): Promise<{ diagnostics: Diagnostic[], reason: string | null }> {
  const diagnostics: Diagnostic[] = []
  const rules = { select: RULES, firstParty: localNames(files) }
  for (const [file, text] of Object.entries(files)) {
    if (!isPython(file)) continue
    try {
      for (const found of await ruff.check(text, rules, operation)) if (!isNoise(found, file)) diagnostics.push(diagnosticOf(found, file))
    } catch (error) {
      if (!(error instanceof ToolFailed)) throw error
      return { diagnostics, reason: error.message }
    }
  }
  return { diagnostics, reason: null }
}

function isNoise ({ code }: Lint, file: string): boolean {
  return UNWANTED.has(code) || (code === 'F401' && isPackageFile(file))
}

/** Whether its imports are meant for other files. */
function isPackageFile (file: string): boolean {
  return /(?:^|\/)__init__\.pyi?$/.test(file)
}

function diagnosticOf ({ code, message, start }: Lint, file: string): Diagnostic {
  const isSyntax = code === 'invalid-syntax'
  const severity = isSyntax || ERRORS.test(code) ? 'error' : 'warning'
  return { file, line: start.row, column: start.column, code, message, severity, source: isSyntax ? 'syntax' : 'lint' }
}

/** Formats, after safe fixes if `fix` is true. A file that does not parse, or that Ruff cannot finish, stays as it was. */
export async function format (files: Files, fix: boolean, ruff: Ruff, operation: Operation): Promise<Files> {
  const formatted: Record<string, string> = {}
  const firstParty = localNames(files)
  for (const [file, text] of Object.entries(files)) {
    formatted[file] = text
    if (!isPython(file)) continue
    try {
      const fixed = fix ? await fixedText(text, file, firstParty, ruff, operation) : text
      formatted[file] = await ruff.format(fixed, operation) ?? text
    } catch (error) {
      if (!(error instanceof ToolFailed)) throw error
    }
  }
  return formatted
}

async function fixedText (text: string, file: string, firstParty: string[], ruff: Ruff, operation: Operation): Promise<string> {
  let fixed = text
  for (let round = 0; round < ROUNDS; round++) {
    const found = await ruff.check(fixed, { select: FIXED, firstParty }, operation)
    if (found.some(({ code }) => code === 'invalid-syntax')) return text
    const wanted = found.filter(({ code }) => FIXED.includes(code) && !(code === 'F401' && isPackageFile(file)))
    const next = spliced(fixed, wanted.map(({ edits }) => edits))
    if (next === fixed) break
    fixed = next
  }
  return fixed
}

/** Applies all fixes that do not touch each other. The others come in the next round. */
export function spliced (text: string, fixes: Edit[][]): string {
  const starts = lineStarts(text)
  const taken: { from: number, to: number, content: string }[] = []
  for (const edits of fixes) {
    const offset = (position: Position) => Math.min((starts[position.row - 1] ?? text.length) + position.column - 1, text.length)
    const spans = edits.map(({ content, location, end_location: end }) => ({ from: offset(location), to: offset(end), content }))
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

// Distinguishes Python from other text, and whole programs from incomplete ones.
import { codeOf, isOpen, wordAt } from '../code.js'
import { SYNTAX, statementsOf } from './statements.js'

// The beginnings of lines that can only be Python: LOOKS allows line numbers and quote marks before them, BEGINS does not.
const LOOKS = new RegExp(`^[ \\t\\d|>.]{0,12}(?:${[
  String.raw`(?:async )?def \w{1,80}\s?\(`,
  String.raw`class \w{1,80}(?:\([\w., =]{0,200}\))?:`,
  String.raw`from [\w.]{1,80} import `,
  String.raw`import \w[\w.]{0,80}(?: as \w{1,40})?(?:,|$)`,
  String.raw`@\w[\w.]{0,80}(?:\(|$)`,
  'if __name__',
  String.raw`print\(`,
  'elif .{1,200}:$',
  String.raw`except\b.{0,200}:$`
].join('|')})`, 'm')
const BEGINS = new RegExp(`^(?:${[
  String.raw`(?:async )?def \w+\s?\(`,
  String.raw`class \w+\s?[(:]`,
  String.raw`import [\w.]+(?: as \w+)?(?:, [\w.]+)*\s*$`,
  String.raw`from [\w.]+ import [\w(*]`,
  String.raw`@\w[\w.]*(?:\(.*)?$`,
  'if __name__',
  '#!.{0,60}python'
].join('|')})`)

export function looksLike (source: string): boolean {
  return LOOKS.test(source)
}

export function begins (line: string): boolean {
  return BEGINS.test(line.slice(0, 300))
}

const KEYWORDS = new Set([
  'async', 'await', 'def', 'class', 'import', 'from', 'if', 'elif', 'else', 'for', 'while', 'with', 'try', 'except', 'finally', 'return',
  'assert', 'raise', 'print', 'del', 'global', 'match', 'case', 'yield', 'pass', 'break', 'continue'
])

export function goesOn (line: string): boolean {
  const first = line[0] ?? ''
  if (first === '' || ' \t\u00a0#@)]}"\''.includes(first)) return true
  const start = line.slice(0, 300)
  const word = wordAt(start)
  if (word === '' || (word >= '0' && word < ':')) return false
  const rest = start.slice(word.length)
  if (KEYWORDS.has(word)) return /^(?:[ (:]|$)/.test(rest)
  return /^(?:[\w.[\]'"]*|(?:, ?\w+)*)(?: ?:[^=]{1,80})? ?[-+*/%|&]?= ?\S/.test(rest) || /^[\w.]*\(/.test(rest)
}

const EMPTY = ['pass', '...', 'return', 'return None', 'return NotImplemented', 'raise NotImplementedError', 'raise NotImplementedError()']

/** Whether the entry (or every function, without an entry) has an empty body. */
export function isStub (source: string, entry: string | undefined): boolean {
  const functions = statementsOf(source).filter(({ kind, names, text }) => kind === 'definition'
    && names.length > 0
    && !text.trimStart().startsWith('class ')
    && (entry === undefined || names.includes(entry)))
  const bodies = functions.map(({ text }) => bodyOf(text))
  return bodies.length > 0
    && bodies.every(lines => lines.every(line => EMPTY.includes(line) || line.startsWith('raise NotImplementedError('))
      && (lines.length === 0 || lines.some(line => line !== 'return None' && line !== 'return') || saysWhatLacks(source)))
}

function saysWhatLacks (source: string): boolean {
  const text = source.toLowerCase()
  return text.includes('todo') || text.includes('implement')
}

/** The lines below the signature, without docstring and comments. */
function bodyOf (text: string): string[] {
  const code = codeOf(text, SYNTAX)
  let depth = 0
  let start = 0
  for (let at = code.indexOf('def '); at < code.length; at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    else if (char === ':' && depth === 0) {
      start = at + 1
      break
    }
  }
  const lines = code.slice(start).split('\n').map(line => line.trim())
  return start === 0 ? [] : lines.filter(line => line !== '' && !isText(line))
}

function isText (line: string): boolean {
  const text = 'rbu'.includes(line[0] ?? ' ') ? line.slice(1) : line
  return text.startsWith('"') || text.startsWith("'")
}

export function isUnfinished (source: string): boolean {
  const last = source.trimEnd().split('\n').at(-1)?.trim() ?? ''
  return isOpen(source, SYNTAX) || (last !== '' && !last.startsWith('#') && ':,\\=+*/(-'.includes(last.at(-1) ?? ' '))
}

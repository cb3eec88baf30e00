// Distinguishes TypeScript and JavaScript from other text, and whole programs from incomplete ones.
import { codeOf, isOpen, wordAt } from '../code.js'
import { statementsOf } from './statements.js'
import { SYNTAX } from './syntax.js'

// The beginnings of lines that can only be TypeScript or JavaScript: LOOKS allows line numbers and quote marks before them.
const EXPORTS = String.raw`export (?:default |const |function |class |interface |type |async |abstract |enum |let |\{|\*)`
const LOOKS = new RegExp(`^[ \\t\\d|>.]{0,12}(?:${[
  EXPORTS,
  String.raw`import (?:type )?[\w{*'"][^\n]{0,300}(?:from |['"])`,
  String.raw`(?:async )?function\*? ?[\w$]{0,80}\s?[(<]`,
  String.raw`(?:const|let|var) [\w$[{][^\n=]{0,200}=`,
  String.raw`(?:abstract )?class [\w$]+[^\n:]{0,200}\{`,
  String.raw`interface \w{1,80}[^\n]{0,100}\{`,
  String.raw`type \w{1,80}(?:<[^>\n]{1,200}>)? =`,
  String.raw`enum \w{1,80}`,
  String.raw`console\.\w+\(`,
  String.raw`module\.exports`,
  String.raw`[\w$.]{1,200}\.(?:use|get|post|forEach|map)\(`
].join('|')})`, 'm')
const BEGINS = new RegExp(`^(?:${[
  EXPORTS,
  String.raw`import (?:type )?(?:[\w$]+(?:, ?\{| from)|\{|\* as|['"])`,
  String.raw`(?:async )?function\*? ?[\w$]+\s?[(<]`,
  String.raw`(?:abstract )?class [\w$]+.{0,200}\{`,
  String.raw`(?:const|let|var) [\w$[{].{0,200}=`,
  String.raw`interface \w+.{0,100}\{`,
  String.raw`type \w+.{0,100}=`,
  String.raw`enum \w+ ?\{`
].join('|')})`)

export function looksLike (source: string): boolean {
  return LOOKS.test(source)
}

export function begins (line: string): boolean {
  return BEGINS.test(line.slice(0, 400))
}

const KEYWORDS = new Set([
  'export', 'import', 'async', 'function', 'class', 'abstract', 'const', 'let', 'var', 'interface', 'type', 'enum', 'if', 'else', 'for',
  'while', 'switch', 'case', 'try', 'catch', 'return', 'throw', 'declare', 'namespace', 'await', 'new', 'default'
])

export function goesOn (line: string): boolean {
  const first = line[0] ?? ''
  if (first === '' || ' \t\u00a0})]@|&?:'.includes(first) || line.startsWith('//') || line.startsWith('/*')) return true
  const start = line.slice(0, 300)
  const word = wordAt(start)
  if (word === '') return false
  if (KEYWORDS.has(word)) return true
  return /^[\w$.]+(?:\(|\[| ?[-+*/]?= ?)/.test(start) && ';,{([)]'.includes(line.trimEnd().at(-1) ?? ' ')
}

const EMPTY = ['return', 'return undefined', 'return null', 'null', 'undefined']

/** Whether the entry (or every function, without an entry) has an empty body. */
export function isStub (source: string, entry: string | undefined): boolean {
  const functions = statementsOf(source).filter(({ kind, names, text }) => (kind === 'definition' || kind === 'binding')
    && (entry === undefined || names.includes(entry))
    && /\bfunction\b|=>/.test(text))
  const bodies = functions.map(({ text }) => bodyOf(text))
  return bodies.length > 0 && bodies.every(lines => lines.every(isEmpty) && (lines.length === 0 || saysWhatLacks(source)))
}

function saysWhatLacks (source: string): boolean {
  const text = source.toLowerCase()
  return text.includes('todo') || text.includes('implement')
}

function isEmpty (line: string): boolean {
  return EMPTY.includes(line) || line.startsWith('throw new Error(') || line.startsWith('throw new TypeError(')
}

/** The statements of a function's body: inside the last pair of braces at the outer level, or after the last arrow. */
function bodyOf (text: string): string[] {
  const code = codeOf(text, SYNTAX)
  let [depth, start, end] = [0, -1, -1]
  for (let at = 0; at < code.length; at++) {
    if (code[at] === '{' && depth++ === 0) start = at
    else if (code[at] === '}' && --depth === 0) end = at
  }
  const arrow = code.lastIndexOf('=>')
  if (end < 0 && arrow < 0) return [] // only a signature
  const body = end >= 0 && (arrow < 0 || start > arrow || end > arrow) ? code.slice(start + 1, end) : code.slice(arrow + 2)
  return body.split(/[;\n]/).map(line => line.trim()).filter(line => line !== '')
}

export function isUnfinished (source: string): boolean {
  const last = source.trimEnd().split('\n').at(-1)?.trim() ?? ''
  return isOpen(source, SYNTAX) || (last !== '' && !last.startsWith('//') && ',=+*(&|?:-'.includes(last.at(-1) ?? ' '))
}

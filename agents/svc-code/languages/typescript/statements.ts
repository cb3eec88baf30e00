// Splits a TypeScript or JavaScript program into its top-level statements.
import { codeOf, linesOf, wordAt, wordsIn } from '../code.js'
import type { Statement } from '../profile.js'
import { nameAfter } from './names.js'
import { SYNTAX } from './syntax.js'

export function statementsOf (source: string): Statement[] {
  const code = codeOf(source, SYNTAX)
  const ends: number[] = []
  let isEmpty = true
  let last = '' // the last line of the current statement
  let isDecorators = false // the current statement has only decorators so far
  const lines = [...linesOf(code)]
  for (const [index, { start: at, end, depth }] of lines.entries()) {
    const text = code.slice(at, end).trim()
    if (text !== '') {
      isDecorators = (isEmpty || isDecorators) && isDecorator(text)
      isEmpty = false
      last = text
    }
    const next = lines[index + 1]
    if (next === undefined || next.depth > 0 || isEmpty || depth < 0) continue
    if (isDecorators) continue
    const follows = nextText(lines, code, index + 1)
    if (CONTINUED.test(last) || CONTINUES.test(follows)) continue
    ends.push(end)
    isEmpty = true
    isDecorators = false
    last = ''
  }
  ends.push(source.length)
  return ends.flatMap((end, index) => {
    const from = index === 0 ? 0 : (ends[index - 1] ?? 0) + 1
    return from > end ? [] : [statementOf(source.slice(from, end), code.slice(from, end))]
  })
}

// An operator at the end or at the beginning of a line joins two lines.
const CONTINUED = /(?:[=,(+\-*&|<:?[{]|=>)$/
const CONTINUES = /^(?:[.?:)\]}]|&&|\|\||[+*](?!\w)|=>|else\b|catch\b|finally\b)/
const LOOK_AHEAD = 20

function nextText (lines: readonly { start: number, end: number }[], code: string, from: number): string {
  for (const { start, end } of lines.slice(from, from + LOOK_AHEAD)) {
    const text = code.slice(start, end).trim()
    if (text !== '') return text
  }
  return ''
}

function isDecorator (line: string): boolean {
  return line.startsWith('@')
    && (line.endsWith(')') || wordAt(line.slice(1).replaceAll('.', '')).length === line.replaceAll('.', '').length - 1)
}

const DEFINES = new Set(['export', 'function', 'async', 'abstract', 'class', 'interface', 'type', 'enum', 'declare', 'namespace', '@'])
function statementOf (text: string, code: string): Statement {
  const head = code.trimStart().slice(0, 400)
  const word = head.startsWith('@') ? '@' : wordAt(head)
  if (head.trim() === '' || isDirective(head.trim())) return { text, kind: 'comment', names: [] }
  if (word === 'import' && !'.('.includes(head.slice(word.length).trimStart()[0] ?? ' ')) return { text, kind: 'import', names: [] }
  if (DEFINES.has(word) && !/^(?:type|async|namespace|declare|abstract)\s{0,20}[=.(]/.test(head)) {
    return { text, kind: 'definition', names: nameAfter(withoutDecorators(head)) }
  }
  if (word === 'const' || word === 'let' || word === 'var') return { text, kind: 'binding', names: nameAfter(head) }
  return { text, kind: 'run', names: [] }
}

/** Whether a line is a directive such as `'use strict'`: a string literal and nothing else. */
function isDirective (line: string): boolean {
  const quote = line[0] ?? ''
  const text = line.endsWith(';') ? line.slice(0, -1) : line
  return (quote === '"' || quote === "'") && text.length > 2 && text.endsWith(quote) && text.slice(1, -1).trim() === ''
}

function withoutDecorators (head: string): string {
  let text = head
  while (text.startsWith('@')) {
    const end = text.indexOf('\n')
    if (end < 0) return text
    text = text.slice(end + 1).trimStart()
  }
  return text
}

export function calledBy (source: string): string[] {
  return [...wordsIn(codeOf(source, SYNTAX))]
}

// Splits a Python program into its top-level statements.
import { type Syntax, codeOf, linesOf, partsBetween, wordAt, wordsIn } from '../code.js'
import type { Statement } from '../profile.js'

export const SYNTAX: Syntax = { comment: '#', blockComments: false, triple: true, templates: false }

const CONTINUES = ['else', 'elif', 'except', 'finally']

export function statementsOf (source: string): Statement[] {
  const code = codeOf(source, SYNTAX)
  const starts = [0]
  let [isDecorator, isJoined] = [false, false]
  for (const { start, end, depth } of linesOf(code)) {
    const line = code.slice(start, end)
    const isBlank = line.trim() === '' && source[start] !== '#'
    const goesOn = depth > 0
      || isBlank
      || isDecorator
      || isJoined
      || ' \t)]}\u00a0'.includes(source[start] ?? ' ')
      || CONTINUES.includes(wordAt(line))
    if (!goesOn && start > 0) starts.push(start)
    if (depth === 0 && !isBlank) isDecorator = line.startsWith('@') || (isDecorator && source[start] === '#')
    isJoined = line.endsWith('\\')
  }
  return starts.map((start, index) => {
    const next = starts[index + 1]
    return statementOf(source.slice(start, next === undefined ? source.length : next - 1), code.slice(start, next))
  })
}

const RUNS = new Set(['assert', 'print', 'for', 'while', 'with', 'raise', 'del', 'await', 'return'])

function statementOf (text: string, code: string): Statement {
  const head = headOf(code)
  const word = wordAt(head)
  if (head === '') return { text, kind: 'comment', names: [] }
  if (head.startsWith('"') || head.startsWith("'")) return { text, kind: 'comment', names: [] }
  if (word === 'import' || word === 'from') return { text, kind: 'import', names: [] }
  if (RUNS.has(word) || isGuard(text)) return { text, kind: 'run', names: [] }
  const defined = /^(?:async[ \t]+)?(?:def|class|type)[ \t]+(\w+)/.exec(head)?.[1]
  if (defined !== undefined) return { text, kind: 'definition', names: [defined] }
  // Such blocks usually contain imports that may fail, or definitions that depend on the version.
  if (word === 'try' || word === 'if') return { text, kind: 'definition', names: [] }
  const bound = boundIn(head)
  return bound ? { text, kind: 'binding', names: bound } : { text, kind: 'run', names: [] }
}

/** The first line of a statement that is no decorator. */
function headOf (code: string): string {
  for (const { start, end, depth } of linesOf(code)) {
    const line = code.slice(start, end).trim()
    if (line !== '' && depth === 0 && !line.startsWith('@')) return line
  }
  return ''
}

export function isGuard (text: string): boolean {
  return text.trimStart().startsWith('if __name__')
}

/** The names before the first plain `=`, or before the colon of an annotation; undefined if the statement binds nothing. */
function boundIn (head: string): string[] | undefined {
  const line = head.slice(0, 500)
  const annotated = /^(\w+)[ \t]*:/.exec(line)?.[1]
  if (annotated !== undefined) return [annotated]
  const equals = equalsAt(line)
  if (equals < 0) return undefined
  const left = line.slice(0, equals)
  return /^[\w, ()*]+$/.test(left) ? left.split(/\W+/).filter(name => name !== '') : []
}

function equalsAt (line: string): number {
  for (let at = 0, depth = 0; at < line.length; at++) {
    const char = line[at] ?? ''
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    else if (char === '=' && depth === 0) {
      return line[at + 1] === '=' || '!<>='.includes(line[at - 1] ?? ' ') ? -1 : at - ('+-*/%&|^:@'.includes(line[at - 1] ?? ' ') ? 1 : 0)
    }
  }
  return -1
}

export function mainOf (statements: readonly Statement[]): string | undefined {
  const names = statements.filter(({ kind }) => kind === 'definition').flatMap(({ names }) => names)
  return names.findLast(name => !name.startsWith('_') && name !== 'main' && !name.startsWith('test_')) ?? names.at(-1)
}

export function parametersOf (source: string, name: string): string[] | undefined {
  const statement = statementsOf(source).find(({ kind, names }) => kind === 'definition' && names.includes(name))
  const code = statement && codeOf(statement.text, SYNTAX)
  const open = code?.indexOf('(', code.indexOf(` ${name}`)) ?? -1
  if (code === undefined || open < 0 || code.slice(0, open).includes('class ')) return undefined
  return partsBetween(code, open)
    .map(part => part.split(/[:=]/, 1)[0]?.replaceAll('*', '').trim() ?? '')
    .filter(part => part !== '' && part !== '/' && part !== 'self')
}

export function importsOf (source: string): string[] {
  const found: string[] = []
  for (const line of codeOf(source, SYNTAX).split('\n')) {
    const text = line.trim().slice(0, 500)
    if (text.startsWith('from ')) found.push(text.slice(5).trimStart().split(' ', 1)[0] ?? '')
    else if (text.startsWith('import ')) found.push(...text.slice(7).split(',').map(part => part.trim().split(' ', 1)[0] ?? ''))
  }
  return found.filter(name => name !== '')
}

export function calledBy (source: string): string[] {
  return [...wordsIn(codeOf(source, SYNTAX))]
}

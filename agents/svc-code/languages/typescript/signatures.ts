// What a program of TypeScript is mainly about, and the parameters of its functions.
import { codeOf } from '../code.js'
import type { Statement } from '../profile.js'
import { statementsOf } from './statements.js'
import { SYNTAX } from './syntax.js'

export function mainOf (statements: readonly Statement[]): string | undefined {
  const names = statements
    .filter(({ kind, text }) => (kind === 'definition' && !/^\s*(?:export )?(?:interface|type)\b/.test(text))
      || (kind === 'binding' && text.includes('=>')))
    .flatMap(({ names }) => names)
  return names.findLast(name => !name.startsWith('_') && name !== 'main') ?? names.at(-1)
}

export function parametersOf (source: string, name: string): string[] | undefined {
  const statement = statementsOf(source).find(({ kind, names }) => (kind === 'definition' || kind === 'binding') && names.includes(name))
  if (!statement || /^\s*(?:export )?(?:default )?(?:abstract )?(?:class|interface|type|enum)\b/.test(statement.text)) return undefined
  const code = codeOf(statement.text, SYNTAX)
  const open = code.indexOf('(', code.indexOf(name))
  return open < 0 ? undefined : partsOf(code, open).map(part => /[\w$]+/.exec(part)?.[0] ?? '').filter(part => part !== '')
}

function partsOf (code: string, open: number): string[] {
  const parts: string[] = []
  let [depth, start] = [0, open + 1]
  for (let at = open; at < code.length; at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    if ((char === ',' && depth === 1) || depth === 0) {
      parts.push(code.slice(start, at))
      start = at + 1
    }
    if (depth === 0) break
  }
  return parts
}

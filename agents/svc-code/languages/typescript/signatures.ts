// The main name of a TypeScript program, and the parameters of its functions.
import { codeOf, partsBetween } from '../code.js'
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
  return open < 0 ? undefined : partsBetween(code, open).map(part => /[\w$]+/.exec(part)?.[0] ?? '').filter(part => part !== '')
}

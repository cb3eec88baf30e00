// Puts changed functions into their places in a long file.
import type { Statement } from './profile.js'

export function splice (earlier: string, change: string, statementsOf: (source: string) => Statement[]): string {
  const fresh = statementsOf(change).filter(({ kind, text }) => kind !== 'comment' && text.trim() !== '')
  const byName = new Map(fresh.flatMap(statement => statement.names.map(name => [name, statement] as const)))
  const used = new Set<Statement>()
  const replaced = statementsOf(earlier).map(statement => {
    const found = statement.kind === 'definition' || statement.kind === 'binding'
      ? statement.names.map(name => byName.get(name)).find(each => each !== undefined)
      : undefined
    if (found === undefined) return statement.text
    used.add(found)
    const after = statement.text.slice(statement.text.trimEnd().length)
    return found.text.trimEnd() + after
  })
  const lines = new Set(earlier.split('\n').map(line => line.trim()))
  const rest = fresh.filter(statement => !used.has(statement))
  const imports = rest.filter(({ kind, text }) => kind === 'import' && !lines.has(text.trim())).map(({ text }) => text.trim())
  const others = rest
    .filter(({ kind, names }) => kind === 'definition' || (kind === 'binding' && names.length > 0))
    .map(({ text }) => text.trimEnd())
  return [...imports, ...replaced, ...others.map(text => `\n\n${text}`)].join('\n')
}

// Adds what a TypeScript program is missing, where no model is needed for that: only lines, and `export` before the entry.
import { codeOf, wordsIn } from '../code.js'
import type { MendWanted } from '../profile.js'
import { NODE_MODULES } from '../standard-names.js'
import { statementsOf } from './statements.js'
import { SYNTAX } from './syntax.js'

export function mend (source: string, { entry, prelude }: MendWanted): string {
  return exported(underItsName(withPrelude(source, prelude), entry), entry)
}

function definedIn (source: string): Set<string> {
  return new Set(statementsOf(source).flatMap(({ names }) => names))
}

function underItsName (source: string, entry: string | undefined): string {
  if (entry === undefined || definedIn(source).has(entry)) return source
  const functions = statementsOf(source).filter(({ kind, text }) => (kind === 'definition' && /\bfunction\b/.test(text.slice(0, 200)))
    || (kind === 'binding' && text.includes('=>')))
  const [only] = functions
  return functions.length === 1 && only?.names[0] !== undefined
    ? `${source.trimEnd()}\n\nexport const ${entry} = ${only.names[0]}\n`
    : source
}

function withPrelude (source: string, prelude: string | undefined): string {
  if (prelude === undefined) return source
  const own = definedIn(source)
  const used = wordsIn(codeOf(source, SYNTAX))
  const lacks = [...definedIn(prelude)].some(name => !own.has(name) && used.has(name))
  return lacks ? `${prelude.trimEnd()}\n\n${source}` : source
}

/** Exports the entry, so that tests can import it. */
function exported (source: string, entry: string | undefined): string {
  if (entry === undefined || /\bmodule\.exports\b|\bexport\s*\{|\bexport default\b/.test(source)) return source
  return statementsOf(source).map(({ text, names, kind }) => {
    if (!names.includes(entry) || (kind !== 'definition' && kind !== 'binding')) return text
    const code = codeOf(text, SYNTAX)
    const at = code.length - code.trimStart().length
    return code.startsWith('export', at) || code[at] === '@' ? text : `${text.slice(0, at)}export ${text.slice(at)}`
  }).join('\n')
}

/** Adds imports of Node's modules that are used by name and not imported. */
export function withImports (source: string, names: readonly string[]): string {
  const code = codeOf(source, SYNTAX)
  const lines = names
    .filter(name => NODE_MODULES.has(name) && code.includes(`${name}.`))
    .map(name => `import * as ${name} from 'node:${name}'`)
  return lines.length === 0 ? source : `${lines.join('\n')}\n\n${source}`
}

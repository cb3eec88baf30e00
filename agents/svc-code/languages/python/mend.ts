// Adds what a Python program is missing, where no model is needed for that. Lines are only added.
import { codeOf, wordsIn } from '../code.js'
import type { MendWanted } from '../profile.js'
import { PYTHON_MODULES, PYTHON_NAMES } from '../standard-names.js'
import { SYNTAX, statementsOf } from './statements.js'

export function mend (source: string, { entry, prelude }: MendWanted): string {
  return underItsName(withPrelude(source, prelude), entry)
}

export function definedIn (source: string): Set<string> {
  return new Set(statementsOf(source).flatMap(({ names }) => names))
}

/** Adds an alias with the requested name, if the only function of the program has another name. */
function underItsName (source: string, entry: string | undefined): string {
  if (entry === undefined || definedIn(source).has(entry)) return source
  const functions = statementsOf(source).filter(({ kind, text }) => kind === 'definition' && /^\s*(?:async )?def /.test(text))
  const [only] = functions
  return functions.length === 1 && only ? `${source.trimEnd()}\n\n\n${entry} = ${only.names[0] ?? ''}\n` : source
}

function withPrelude (source: string, prelude: string | undefined): string {
  if (prelude === undefined) return source
  const own = definedIn(source)
  const used = wordsIn(codeOf(source, SYNTAX))
  const lacks = [...definedIn(prelude)].some(name => !own.has(name) && used.has(name))
  return lacks ? `${prelude.trimEnd()}\n\n\n${source}` : source
}

/** Adds imports of these names, which the checker does not know, if the standard library has them. */
export function withImports (source: string, names: readonly string[]): string {
  const code = codeOf(source, SYNTAX)
  const lines = names.flatMap(name => {
    const module = Object.hasOwn(PYTHON_NAMES, name) ? PYTHON_NAMES[name] : undefined
    if (module !== undefined) return [`from ${module} import ${name}`]
    return PYTHON_MODULES.has(name) && code.includes(`${name}.`) ? [`import ${name}`] : []
  })
  return lines.length === 0 ? source : inserted(source, code, lines)
}

/** Inserts lines after the docstring and the __future__ imports, which must come first. */
function inserted (source: string, code: string, lines: readonly string[]): string {
  let at = 0
  for (const line of code.split('\n')) {
    const text = line.trim()
    if (text !== '' && !text.startsWith('"') && !text.startsWith("'") && !text.startsWith('from __future__')) break
    at += line.length + 1
  }
  return at >= source.length ? `${lines.join('\n')}\n${source}` : `${source.slice(0, at)}${lines.join('\n')}\n${source.slice(at)}`
}

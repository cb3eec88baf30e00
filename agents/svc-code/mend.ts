// What is put right without asking a model: each of these slips costs a program nothing but its first line.
import type { Language } from '../types.js'
import { NODE_MODULES, PYTHON_MODULES, PYTHON_NAMES } from './standard-names.js'

export interface Wanted {
  language: Language
  entry?: string | undefined
  /** The user's own definitions, which a reply may take for granted. */
  prelude?: string | undefined
}

export function mend (source: string, wanted: Wanted): string {
  const named = wanted.entry === undefined ? source : underItsName(source, wanted.entry, wanted.language)
  const whole = withPrelude(named, wanted)
  return wanted.language === 'python' ? withPythonImports(whole) : withNodeImports(exported(whole, wanted.entry))
}

const DEFINITIONS: Record<Language, RegExp> = {
  python: /^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)/gm,
  typescript: /^(?:export[ \t]+)?(?:default[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?(?:function\*?|class|const|let|var|interface|type|enum)[ \t]+([\w$]+)/gm
}

/** The names that a program defines at its top level. */
export function definitions (source: string, language: Language): string[] {
  return Array.from(source.matchAll(DEFINITIONS[language]), match => match[1] ?? match[2] ?? '')
}

const FUNCTIONS: Record<Language, RegExp> = {
  python: /^(?:async[ \t]+)?def[ \t]+(\w+)/gm,
  typescript: /^(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?(?:function\*?[ \t]+([\w$]+)|const[ \t]+([\w$]+)[^=\n]*=[ \t]*(?:async[ \t]*)?(?:\(|function))/gm
}

/** A program whose only function has another name than the one that was asked for. */
function underItsName (source: string, entry: string, language: Language): string {
  if (definitions(source, language).includes(entry)) return source
  const names = Array.from(source.matchAll(FUNCTIONS[language]), match => match[1] ?? match[2] ?? '')
  const [only] = names
  if (only === undefined || names.length > 1) return source
  return source.replaceAll(new RegExp(`(?<![\\w$.])${only.replaceAll('$', '\\$')}(?![\\w$])`, 'g'), entry)
}

function withPrelude (source: string, { prelude, language }: Wanted): string {
  if (prelude === undefined) return source
  const own = new Set(definitions(source, language))
  const lacking = definitions(prelude, language).some(name => !own.has(name) && new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(source))
  return lacking ? `${prelude.trimEnd()}\n\n\n${source}` : source
}

function exported (source: string, entry: string | undefined): string {
  if (entry === undefined || new RegExp(`\\bexport\\b[^;\\n]*(?<![\\w$])${entry.replaceAll('$', '\\$')}(?![\\w$])|\\bexport default\\b|module\\.exports`).test(source)) return source
  return source.replace(new RegExp(`^(?=(?:abstract[ \\t]+)?(?:async[ \\t]+)?(?:function\\*?|class|const|let|var|enum)[ \\t]+${entry.replaceAll('$', '\\$')}(?![\\w$]))`, 'm'), 'export ')
}

// An import that turns out to be unused is taken out again with the linter's safe fixes.
function withPythonImports (source: string): string {
  const code = bare(source)
  const bound = new Set([...definitions(source, 'python'), ...boundBy(code)])
  const used = new Set(code.match(/(?<![\w.])[A-Za-z_]\w*/g))
  const lines: string[] = []
  for (const name of used) {
    const module = Object.hasOwn(PYTHON_NAMES, name) ? PYTHON_NAMES[name] : undefined
    if (bound.has(name) || /^from \S+ import \*/m.test(code)) continue
    if (module !== undefined) lines.push(`from ${module} import ${name}`)
    else if (PYTHON_MODULES.has(name) && new RegExp(`(?<![\\w.])${name}\\.\\w`).test(code)) lines.push(`import ${name}`)
  }
  return lines.length === 0 ? source : insertImports(source, lines)
}

/** Names that are imported, assigned, or taken as parameters anywhere. */
function * boundBy (code: string): Generator<string> {
  for (const [, names = ''] of code.matchAll(/^[ \t]*(?:from[ \t]+\S+[ \t]+)?import[ \t]+\(?([^#\n)]+(?:\n[^)]*\))?)/gm)) {
    for (const name of names.split(/[,\n]/)) yield name.trim().split(/\s+as\s+/).at(-1)?.split('.')[0] ?? ''
  }
  for (const [name] of code.matchAll(/(?<![\w.])[A-Za-z_]\w*(?=[ \t]*(?:=(?!=)|:[^=\n,()]*=(?!=)))/g)) yield name
  for (const [, names = ''] of code.matchAll(/\b(?:for|lambda|as)[ \t]+([\w, \t()]+?)[ \t]*(?:\bin\b|:)/g)) yield * names.split(/[\s,()]+/)
  for (const [, names = ''] of code.matchAll(/\bdef[ \t]+\w+[ \t]*\(([^)]*)\)/g)) for (const name of names.split(',')) yield name.split(/[:=]/, 1)[0]?.replaceAll('*', '').trim() ?? ''
}

// After the docstring and the __future__ imports, which must come first.
function insertImports (source: string, lines: string[]): string {
  const head = /^(?:\s*(?:#[^\n]*)?\n)*(?:\s*(?:"""[\s\S]*?"""|'''[\s\S]*?''')[ \t]*\n)?(?:\s*from __future__ import [^\n]+\n)*/.exec(source)?.[0] ?? ''
  return `${head}${lines.join('\n')}\n${source.slice(head.length)}`
}

function withNodeImports (source: string): string {
  const lines = [...NODE_MODULES]
    .filter(name => new RegExp(`(?<![\\w$.])${name}\\.\\w`).test(source) && !new RegExp(`\\bimport\\b[^;\\n]*\\b${name}\\b|\\b(?:const|let|var|function|class)\\s+(?:\\{[^}]*\\b)?${name}\\b|\\(${name}\\b|\\b${name}\\s*[:,)]`).test(source))
    .map(name => `import * as ${name} from 'node:${name}'`)
  return lines.length === 0 ? source : `${lines.join('\n')}\n\n${source}`
}

/** Without strings and comments. */
function bare (source: string): string {
  return source.replace(/[rbfu]{0,2}("""|''')[\s\S]*?\1|#[^\n]*|[rbu]?"(?:[^"\\\n]|\\.)*"|[rbu]?'(?:[^'\\\n]|\\.)*'/gi, text => text.startsWith('#') ? '' : '""')
}

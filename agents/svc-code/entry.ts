import type { Language } from '../types.js'
import type { Block } from './replies/blocks.js'
import { statementsOf } from './replies/statements.js'

/** The function or class that a request names. */
export function entryIn (text: string, given: readonly Block[], language: Language): string | undefined {
  return stubIn(text, language) ?? wordedIn(text) ?? given.flatMap(({ source }) => publicNames(source, language)).at(-1)
}

const STUBS: Record<Language, RegExp> = {
  python: /^[ \t]*(?:async )?def (\w+)\s*\((?:(?!\n[ \t]*(?:async )?def )[\s\S])*?\)[^\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*\n)*(?:\s*(?:[rbu]?"""[\s\S]*?"""|'''[\s\S]*?''')[ \t]*\n?)?(?:[ \t]*(?:pass|\.\.\.|#[^\n]*)[ \t]*\n?)*(?=\s*(?:$|```|\n(?=\S)))/gm,
  typescript: /^[ \t]*(?:export )?(?:default )?(?:async )?function\*? ([\w$]+)\s*(?:<[^>]*>)?\([\s\S]*?\)\s*(?::[^\n{]*)?(?:\{\s*(?:\/\/[^\n]*)?\s*\})?[ \t]*;?[ \t]*$/gm
}

/** A definition without a body, at its end: that is what is to be written. */
function stubIn (text: string, language: Language): string | undefined {
  return [...text.slice(0, 50_000).matchAll(STUBS[language])].at(-1)?.[1]
}

const WORDED = [
  /\b(?:function|method|class|component|hook|decorator|generator|funktion|methode|klasse|función|clase|fonction|classe|module)s?\s+(?:(?:called|named|namens|llamada?|appelée?)\s+)?[`"'*]{1,3}(?:async |function |def |class |const )?([A-Za-z_$][\w$]*)/i,
  /\b(?:called|named|namens|llamada?|appelée?)\s+[`"']?([A-Za-z_$][\w$]*)(?=[`"']?(?:[\s.,(:]|$))/i,
  /[`](?:async |function |def |class )?([A-Za-z_$][\w$]*)\s*\([^`\n]*\)[^`\n]*[`]/,
  /\b(?:function|method|funktion|función|fonction)\s+([a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)\b/,
  /\b(?:class|klasse|clase|classe)\s+([A-Z][A-Za-z0-9]+)\b/,
  /\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)\s*\(/
]

function wordedIn (text: string): string | undefined {
  for (const pattern of WORDED) {
    const name = pattern.exec(text.slice(0, 20_000))?.[1]
    if (name !== undefined && !/^(?:that|which|to|for|with|the|a|an|print|console|assert|expect|len|range|str|int|list)$/i.test(name)) return name
  }
  return undefined
}

function publicNames (source: string, language: Language): string[] {
  return statementsOf(source, language).filter(({ kind, names }) => kind === 'definition' && names[0]?.startsWith('_') === false).flatMap(({ names }) => names)
}

/** The definitions of the user's own code that a program may take for granted: all but what is to be written. */
export function preludeOf (given: readonly Block[], entry: string | undefined, language: Language): string | undefined {
  const kept = given.flatMap(({ source }) => statementsOf(source, language)).filter(({ kind, names, text }) => (kind === 'definition' || kind === 'binding' || kind === 'import') && !(entry !== undefined && names.includes(entry)) && text.trim() !== '')
  return kept.some(({ kind }) => kind === 'definition') ? kept.map(({ text }) => text).join('\n\n') : undefined
}

/** Where a single program is put: where the user has it, else under its own name. */
export function pathFor (text: string, given: readonly Block[], entry: string | undefined, language: Language): string {
  const known = given.find(({ path }) => path !== undefined && fits(path, language))?.path ?? (language === 'python' ? /(?<![\w/.])((?:[\w-]+\/)*[\w-]+\.py)\b/ : /(?<![\w/.])((?:[\w-]+\/)*[\w.-]+\.tsx?)\b/).exec(text.slice(0, 20_000))?.[1]
  if (known !== undefined && fits(known, language)) return known
  if (language === 'python') return `${entry === undefined ? 'solution' : entry.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()}.py`
  return `${entry ?? 'solution'}.ts`
}

function fits (path: string, language: Language): boolean {
  return (language === 'python' ? /\.py$/ : /\.[mc]?tsx?$/).test(path) && !/(?:^|\/)\.\.?(?:\/|$)|^\/|(?:^|\/)test_|\.(?:test|spec)\./.test(path)
}

export function isTestFile ({ path, source }: Block): boolean {
  return (path !== undefined && /(?:^|\/)(?:tests?\/|test_)|\.(?:test|spec)\.\w+$|_test\.\w+$/.test(path)) || /^(?:import unittest|import pytest|from unittest)|^\s*(?:async )?def test_\w+\(|^(?:describe|it|test|Deno\.test)\s*\(|from ['"](?:node:test|vitest|@jest\/globals|bun:test)['"]/m.test(source)
}

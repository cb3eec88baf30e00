// A program as its top-level statements, by their lines: enough to tell definitions from what merely runs.
import type { Language } from '../../types.js'

export interface Statement { text: string, kind: 'definition' | 'import' | 'binding' | 'comment' | 'run', names: string[] }

export function statementsOf (source: string, language: Language): Statement[] {
  const groups = language === 'python' ? pythonGroups(source) : typescriptGroups(source)
  return groups.map(text => ({ text, ...kindOf(text.trimStart(), language) }))
}

/** A line at the margin begins a statement, unless it goes on with the one before. */
function pythonGroups (source: string): string[] {
  const groups: string[][] = []
  let depth = 0
  let quote = ''
  let decorated = false
  for (const line of source.split('\n')) {
    const inside = depth > 0 || quote !== ''
    const goesOn = inside || /^(?:[ \t]|$|[)\]}]|else\b|elif\b|except\b|finally\b)/.test(line) || decorated || groups.at(-1)?.at(-1)?.endsWith('\\') === true
    if (goesOn && groups.length > 0) groups.at(-1)?.push(line)
    else groups.push([line])
    if (!inside) decorated = line.startsWith('@')
    ;[depth, quote] = after(line, depth, quote)
  }
  return groups.map(lines => lines.join('\n'))
}

/** Brackets and long texts that are still open after a line. */
function after (line: string, depth: number, quote: string): [number, string] {
  for (const [token] of line.matchAll(/"""|'''|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#.*|[[({]|[\])}]/g)) {
    if (quote !== '') quote = token === quote ? '' : quote
    else if (token === '"""' || token === "'''") quote = token
    else if (token.startsWith('#')) break
    else if (/^[[({]$/.test(token)) depth++
    else if (/^[\])}]$/.test(token)) depth = Math.max(0, depth - 1)
  }
  return [depth, quote]
}

const TS_TOKEN = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[[({]|[\])}]|\n/g

function typescriptGroups (source: string): string[] {
  const groups: string[] = []
  let depth = 0
  let start = 0
  for (const match of source.matchAll(TS_TOKEN)) {
    const [token] = match
    if (/^[[({]$/.test(token)) depth++
    else if (/^[\])}]$/.test(token)) depth = Math.max(0, depth - 1)
    else if (token === '\n' && depth === 0 && endsHere(source, start, match.index)) {
      groups.push(source.slice(start, match.index))
      start = match.index + 1
    }
  }
  groups.push(source.slice(start))
  return groups
}

// A comment or a decorator belongs to what follows; an operator at the end or the beginning of a line joins two lines.
function endsHere (source: string, start: number, end: number): boolean {
  const text = source.slice(start, end)
  const next = /\S[^\n]*/.exec(source.slice(end))?.[0] ?? ''
  if (/^\s*(?:@[\w.]+(?:\([^)]*\))?)\s*$/.test(text)) return false
  if (/^(?:[.?:)\]}]|&&|\|\||[+*/](?![/*])|=>|else\b|catch\b|finally\b|while\s*\([^)]*\)\s*;)/.test(next)) return false
  return !/(?:[=,(+\-*&|<:?]|=>)\s*$/.test(text.replace(/\/\/[^\n]*$/, ''))
}

const KINDS: Record<Language, readonly [Statement['kind'], RegExp][]> = {
  python: [
    ['comment', /^(?:#|$|"""|'''|r""")/],
    ['import', /^(?:import|from) /],
    ['run', /^if __name__|^(?:assert|print\b|for|while|with|raise|del|await|return)\b/],
    ['definition', /^(?:@|(?:async )?def |class |type \w+ ?=)/],
    ['definition', /^(?:try:|if )/], // imports that may fail, variants by version
    ['binding', /^[\w., ()]+(?::[^=\n]+)?=(?!=)|^\w+ ?: ?\S/],
    ['run', /^/]
  ],
  typescript: [
    ['comment', /^(?:$|'use strict'|"use strict")/],
    ['import', /^import\b(?!\s*[.(])/],
    ['definition', /^(?:\/\*[\s\S]*?\*\/\s*|\/\/[^\n]*\s*)*(?:@|export\b|(?:async )?function\b|(?:abstract )?class\b|interface\b|type\b|enum\b|declare\b|namespace\b)/],
    ['binding', /^(?:\/\*[\s\S]*?\*\/\s*|\/\/[^\n]*\s*)*(?:const|let|var)\b/],
    ['comment', /^(?:\/\*[\s\S]*?\*\/\s*|\/\/[^\n]*\s*)+$/],
    ['run', /^/]
  ]
}

const NAMES: Record<Language, RegExp> = {
  python: /^(?:@[^\n]*\n)*(?:(?:async )?def|class|type)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)/,
  typescript: /^(?:\/\*[\s\S]*?\*\/\s*|\/\/[^\n]*\s*|@[\w.]+(?:\([^)]*\))?\s*)*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|interface|type|enum|namespace)\s+([\w$]+)/
}

function kindOf (text: string, language: Language): Pick<Statement, 'kind' | 'names'> {
  const kind = KINDS[language].find(([, pattern]) => pattern.test(text))?.[0] ?? 'run'
  const match = NAMES[language].exec(text)
  const name = match?.[1] ?? match?.[2]
  return { kind, names: name === undefined ? [] : [name] }
}

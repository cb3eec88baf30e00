// Code that comes without a fence: in tool calls, in tags, or bare between two sentences.
import type { Language } from '../../types.js'
import type { Block } from './blocks.js'

const KEYS = new Set(['content', 'contents', 'code', 'file_text', 'source', 'text', 'new_str', 'new_string', 'program', 'script'])
const PATH_KEYS = new Set(['path', 'file_path', 'filename', 'file', 'filepath'])

/** Tool calls for tools that nobody offered: the code is in an argument. */
export function inJson (text: string): Block[] {
  if (!/"(?:content|contents|code|file_text|source|new_str|new_string|program|script|text)"\s*:/.test(text)) return []
  for (const candidate of jsonIn(text)) {
    const found: Block[] = []
    collect(candidate, found, undefined, 0)
    if (found.length > 0) return found
  }
  return []
}

function * jsonIn (text: string): Generator<unknown> {
  const starts = [text.indexOf('{'), text.indexOf('[')].filter(at => at >= 0)
  const ends = [text.lastIndexOf('}'), text.lastIndexOf(']')].filter(at => at >= 0)
  for (const start of starts) {
    for (const end of ends) {
      if (end <= start) continue
      try {
        yield JSON.parse(text.slice(start, end + 1)) as unknown
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error // no JSON there: the next pair of brackets may hold some
      }
    }
  }
}

function collect (value: unknown, found: Block[], path: string | undefined, depth: number): void {
  if (typeof value === 'string' && depth < 8 && /^\s*[{[]/.test(value)) {
    for (const inner of jsonIn(value)) return collect(inner, found, path, depth + 1)
  }
  if (typeof value !== 'object' || value === null || depth > 8) return
  const named = Object.entries(value).find(([key, inner]) => PATH_KEYS.has(key) && typeof inner === 'string')?.[1] as string | undefined
  for (const [key, inner] of Object.entries(value)) {
    if (KEYS.has(key) && typeof inner === 'string' && (inner.includes('\n') || /^(?:def |class |import |export |const |function )/.test(inner))) found.push({ tag: '', path: named ?? path, source: inner, closed: true })
    else collect(inner, found, named ?? path, depth + 1)
  }
}

const TAGGED = [
  /<(?:content|code|file_text|source)>\s*\n?([\s\S]*?)\n?\s*<\/(?:content|code|file_text|source)>/g,
  /\[PYTHON\]\n?([\s\S]*?)\n?\[\/PYTHON\]/g,
  /<(?:python|typescript|solution|answer)>\s*\n([\s\S]*?)\n\s*<\/(?:python|typescript|solution|answer)>/g
]

export function inTags (text: string): Block[] {
  const path = /<(?:path|file_path|filename)>\s*(\S+)\s*<\//.exec(text)?.[1]
  return TAGGED.flatMap(pattern => Array.from(text.matchAll(pattern), ([, source = '']) => ({ tag: '', path, source, closed: true })))
}

const BEGINS: Record<Language, RegExp> = {
  python: /^(?:(?:async )?def \w+|class \w+|import [\w.]+|from [\w.]+ import|@\w+|[A-Z_]{2,} ?=)/,
  typescript: /^(?:export |import |(?:async )?function\b|(?:abstract )?class \w+|const \w+|let \w+|interface \w+|type \w+|enum \w+|\/\*\*)/
}
const GOES_ON: Record<Language, RegExp> = {
  python: /^(?:[ \t\u00a0]|$|#|@|\)|\]|\}|"""|'''|(?:async |await |def |class |import |from |if |elif |else:|for |while |with |try:|except|finally:|return|assert |raise |print\(|del |global )|[\w.[\]'"]+(?:, ?\w+)*(?: ?:[^=]+)? ?[-+*/%|&]?= ?\S|\w[\w.]*\(.*)/,
  typescript: /^(?:[ \t\u00a0]|$|[})\]]|\/\/|\/\*| \*|@|(?:export|import|async|function|class|abstract|const|let|var|interface|type|enum|if|else|for|while|switch|try|return|throw|declare|namespace)\b|[\w.$]+(?:\(|\[| ?[-+*/]?= ?).*[;,{([]?$)/
}

/** Bare code between two sentences. */
export function unfenced (text: string, language: Language): Block[] {
  const lines = text.split('\n')
  const first = lines.findIndex(line => BEGINS[language].test(line))
  if (first < 0) return []
  let last = first
  for (let at = first; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (isProse(line, language)) break
    if (line.trim() !== '') last = at
  }
  return [{ tag: '', path: undefined, source: lines.slice(first, last + 1).join('\n'), closed: last < lines.length - 1 }]
}

function isProse (line: string, language: Language): boolean {
  return !GOES_ON[language].test(line) || SENTENCE.test(line)
}

const SENTENCE = /^[A-Z][a-z']+(?:,? [\w'`()-]+){3,}.*[.:!?]$/

/** The end of a block that was never closed may hold the sentences after it. */
export function withoutProseAfter (source: string): string {
  const lines = source.split('\n')
  let inText = false
  for (const [at, line] of lines.entries()) {
    if (!inText && at > 0 && SENTENCE.test(line)) return lines.slice(0, at).join('\n')
    if ((line.match(/"""|'''|(?<!\\)`/g)?.length ?? 0) % 2 === 1) inText = !inText
  }
  return source
}

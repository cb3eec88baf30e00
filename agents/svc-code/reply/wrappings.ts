// Finds code without a fence: in tool calls that nobody offered, in tags, or between two sentences.
import type { Profile } from '../languages/profile.js'

export interface Wrapped { profile: Profile, path: string | undefined, source: string, start: number, end: number }

export function wrapped (text: string, profiles: readonly Profile[]): Wrapped[] {
  const found = [inJson(text), inTags(text)].find(each => each.length > 0)
  if (found) {
    return found.flatMap(({ path, source }) => {
      const profile = profileOf(path, source, profiles)
      return profile ? [{ profile, path, source, start: 0, end: text.length }] : []
    })
  }
  const bare = profiles.map(profile => unfenced(text, profile)).filter(each => each !== undefined)
  return bare.sort((left, right) => right.source.length - left.source.length).slice(0, 1)
}

function profileOf (path: string | undefined, source: string, profiles: readonly Profile[]): Profile | undefined {
  return profiles.find(({ endings }) => path !== undefined && endings.some(ending => path.endsWith(ending)))
    ?? profiles.find(profile => profile.looksLike(source))
}

interface Piece { path: string | undefined, source: string }

const KEYS = new Set(['content', 'contents', 'code', 'file_text', 'source', 'text', 'new_str', 'new_string', 'program', 'script'])
const PATH_KEYS = new Set(['path', 'file_path', 'filename', 'file', 'filepath'])
const DEEPEST = 8
const LONGEST = 256 * 1024

/** Finds code in the arguments of a tool call that was written as JSON. */
function inJson (text: string): Piece[] {
  const [start, end] = [text.search(/[{[]/), Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))]
  const inner = text.slice(start, end + 1)
  if (start < 0 || end <= start || inner.length > LONGEST || ![...KEYS].some(key => inner.includes(`"${key}"`))) return []
  const value = parsed(inner)
  const found: Piece[] = []
  collect(value, found, undefined, 0)
  return found
}

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined // the brackets belong to plain text
    throw error
  }
}

function collect (value: unknown, found: Piece[], path: string | undefined, depth: number): void {
  if (depth > DEEPEST) return
  if (typeof value === 'string' && /^\s{0,20}[{[]/.test(value)) return collect(parsed(value), found, path, depth + 1)
  if (typeof value !== 'object' || value === null) return
  const entries: [string, unknown][] = Object.entries(value)
  const named = entries.find(([key, inner]) => PATH_KEYS.has(key) && typeof inner === 'string')?.[1]
  const here = typeof named === 'string' ? named : path
  for (const [key, inner] of entries) {
    if (KEYS.has(key) && typeof inner === 'string' && inner.includes('\n')) found.push({ path: here, source: inner })
    else collect(inner, found, here, depth + 1)
  }
}

const TAGS: readonly [string, string][] = [
  ...[
    'content', 'code', 'file_text', 'source', 'python', 'typescript', 'solution', 'answer'
  ].map((name): [string, string] => [`<${name}>`, `</${name}>`]),
  ['[PYTHON]', '[/PYTHON]']
]

function inTags (text: string): Piece[] {
  const path = between(text, '<path>', '</path>', 0)?.inner.trim() ?? between(text, '<file_path>', '</file_path>', 0)?.inner.trim()
  for (const [open, close] of TAGS) {
    const found: Piece[] = []
    for (let at = 0; ;) {
      const next = between(text, open, close, at)
      if (!next) break
      if (next.inner.includes('\n')) found.push({ path, source: next.inner.replace(/^\n/, '') })
      at = next.end
    }
    if (found.length > 0) return found
  }
  return []
}

function between (text: string, open: string, close: string, from: number): { inner: string, end: number } | undefined {
  const start = text.indexOf(open, from)
  const end = start < 0 ? -1 : text.indexOf(close, start + open.length)
  return end < 0 ? undefined : { inner: text.slice(start + open.length, end), end: end + close.length }
}

const LEAST_LINES = 2

/** Finds code between two sentences, of at least two lines. */
function unfenced (text: string, profile: Profile): Wrapped | undefined {
  const lines = text.split('\n')
  const first = lines.findIndex(line => profile.begins(line))
  if (first < 0) return undefined
  let last = first
  for (let at = first; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (at > first && (!profile.goesOn(line) || isSentence(line))) break
    if (line.trim() !== '') last = at
  }
  if (last - first + 1 < LEAST_LINES) return undefined
  const source = lines.slice(first, last + 1).join('\n')
  const start = lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0)
  return { profile, path: undefined, source, start, end: start + source.length }
}

/** Whether a line is a sentence: a capital letter at the beginning, four words or more, punctuation at the end. */
function isSentence (line: string): boolean {
  return /^[A-Z][a-z']+ /.test(line) && /[.:!?]$/.test(line.trimEnd()) && line.split(' ', 5).length >= 4 && !line.includes('=')
}

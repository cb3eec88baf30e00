// A reply that holds programs, as its pieces.
import type { Profile, Statement } from '../languages/profile.js'

/** A program of a reply. */
export interface DraftFile {
  profile: Profile
  /** The path in the reply; the final path is decided when the reply is delivered. */
  path: string | undefined
  tag: string
  source: string
  statements: readonly Statement[]
  /** Whether parts of it are left out: "... rest unchanged". */
  elided: boolean
  /** The place in the reply where its fence begins, including the line with its path. */
  at: number
}

/** A piece of the reply: text stays as it is, files get their final form. */
export type Piece = { type: 'text', raw: string, at: number } | { type: 'file', file: DraftFile }

export interface Draft {
  pieces: readonly Piece[]
  /** In the order of the reply, including test files. */
  files: readonly DraftFile[]
}

/** The names of the functions, classes and types that a program defines; values do not count. */
export function definedBy ({ statements }: Pick<DraftFile, 'statements'>): string[] {
  return statements
    .filter(({ kind, text }) => kind === 'definition' || (kind === 'binding' && isCallable(text)))
    .flatMap(({ names }) => names)
}

function isCallable (text: string): boolean {
  const value = text.slice(text.indexOf('=') + 1, text.indexOf('=') + 300)
  return value.includes('=>') || /^\s*(?:async )?(?:function|class|lambda)\b/.test(value)
}

/** Whether a program is a later version of another: it has the same path, or half of its definitions, or half of its lines. */
export function isVersionOf (later: DraftFile, earlier: DraftFile): boolean {
  if (later.profile !== earlier.profile) return false
  if (later.path !== undefined && earlier.path !== undefined) return later.path === earlier.path
  const names = definedBy(earlier)
  const kept = names.filter(name => definedBy(later).includes(name))
  return (names.length > 0 && kept.length * 2 >= names.length) || keepsLines(later.source, earlier.source)
}

// Shorter lines are ignored: a bracket or `else:` is in every program.
const TELLING_LINE = 8
const LEAST_LINES = 3

function keepsLines (later: string, earlier: string): boolean {
  const lines = tellingLines(earlier)
  const known = new Set(tellingLines(later))
  const kept = lines.filter(line => known.has(line)).length
  return kept >= LEAST_LINES && kept * 2 >= lines.length
}

function tellingLines (source: string): string[] {
  return source.split('\n').map(line => line.trim()).filter(line => line.length >= TELLING_LINE)
}

// Parses a reply: it is unusable ('lost'), only words, or contains programs. A fence that is not clearly a program counts as a
// snippet, which stays as the model wrote it.
import type { FinishReason } from '../../types.js'
import type { Profile } from '../languages/profile.js'
import { type Draft, type DraftFile, type Piece, definedBy } from './draft.js'
import { isElided } from './gaps.js'
import { type FencePart, type Part, partsOf } from './fences.js'
import { withoutLoop } from './loop.js'
import { scrub } from './scrub.js'
import { wrapped } from './wrappings.js'

export type ParsedReply =
  | { type: 'lost', why: 'empty' | 'only thought' | 'cut' | 'loop' }
  | { type: 'words', foreign: string | undefined }
  | { type: 'programs', draft: Draft }

export interface ModelReply { text: string, onlyThought: boolean, finish: FinishReason, loops: boolean }

/** What the conversation says about the names in a fence. */
export interface Hints {
  profiles: readonly Profile[]
  /** Whether the conversation mentions this name. */
  mentions: (name: string) => boolean
  /** Whether earlier code of the conversation defines this name. */
  isKnown: (name: string) => boolean
}

// Longer programs are not examined.
export const MOST_PROGRAM = 256 * 1024

export function parseReply (reply: ModelReply, hints: Hints): ParsedReply {
  // Small models often write a whole program and then repeat its last lines.
  const said = reply.loops ? { ...reply, text: withoutLoop(reply.text) } : reply
  if (said.text.trim() === '') return { type: 'lost', why: said.onlyThought ? 'only thought' : said.loops ? 'loop' : 'empty' }
  const parts = partsOf(said.text)
  const read = parts.map(part => part.type === 'fence' ? fileOf(part, hints.profiles) : undefined)
  const roles = rolesOf(parts, read, hints)
  if (roles.every(role => role === undefined)) return withoutFences(said, parts, hints)
  return ended(said, draftOf(parts, roles))
}

/** Whether a fence may turn out to be a program. Used while the reply is still being written. */
export function mayBeProgram (seen: { tag: string, path: string | undefined, source: string }, hints: Hints): boolean {
  const file = fileOf({ type: 'fence', raw: '', closed: true, ...seen }, hints.profiles)
  if (!file) return false
  return file.path !== undefined || definedBy(file).length > 0 || !leans(file, hints)
}

function fileOf (part: FencePart, profiles: readonly Profile[]): DraftFile | undefined {
  if (part.source.length > MOST_PROGRAM) return undefined
  const profile = profileOf(part, profiles)
  return profile && draftFile(profile, part.path, part.tag, scrub(part.source, part.tag, profile))
}

export function draftFile (profile: Profile, path: string | undefined, tag: string, source: string): DraftFile | undefined {
  return source.trim() === ''
    ? undefined
    : { profile, path, tag, source, statements: profile.statements(source), elided: isElided(source), at: 0 }
}

const UNTAGGED = new Set(['', 'text', 'plaintext', 'txt', 'code'])
const DIFFS = new Set(['diff', 'patch'])

/** The language of a fence. If the code does not look like the language of its tag, the code decides. */
export function profileOf (
  { tag, path, source }: Pick<FencePart, 'tag' | 'path' | 'source'>,
  profiles: readonly Profile[]
): Profile | undefined {
  const byPath = path === undefined ? undefined : profiles.find(({ endings }) => endings.some(ending => path.endsWith(ending)))
  if (byPath || (path !== undefined && path.includes('.'))) return byPath
  const byTag = profiles.find(({ tags }) => tags.includes(tag))
  if (byTag) return byTag.looksLike(source) ? byTag : profiles.find(profile => profile !== byTag && profile.looksLike(source)) ?? byTag
  if (DIFFS.has(tag)) return isNewFile(source) ? profiles.find(profile => profile.looksLike(source.replaceAll('\n+', '\n'))) : undefined
  return UNTAGGED.has(tag) ? profiles.find(profile => profile.looksLike(source)) : undefined
}

/** Whether a diff creates a new file. Any other diff is a change for the user to apply. */
function isNewFile (diff: string): boolean {
  return diff.includes('--- /dev/null') || diff.split('\n').every(line => line === '' || /^(?:\+|@@|--- )/.test(line))
}

function isProgram (file: DraftFile, part: FencePart, total: number, hints: Hints): boolean {
  if (file.path !== undefined) return true
  const defined = definedBy(file)
  if (defined.some(name => hints.mentions(name) || hints.isKnown(name))) return true
  if (weight(part.source) * 2 <= total) return false
  return defined.length > 0 || !leans(file, hints)
}

/** Whether a fence does nothing by itself, or uses names that only other code of the conversation defines. */
function leans ({ statements, profile, source }: DraftFile, { isKnown }: Hints): boolean {
  const runs = statements.filter(({ kind }) => kind === 'run' || kind === 'binding')
  if (runs.length === 0) return true
  return profile.calledBy(source).some(name => isKnown(name) && !statements.some(({ names }) => names.includes(name)))
}

/** What a fence becomes: a file, a part of a later file ('merged'), or text (undefined). */
type Role = DraftFile | 'merged' | undefined

function rolesOf (parts: readonly Part[], read: readonly (DraftFile | undefined)[], hints: Hints): Role[] {
  const total = parts.reduce((sum, { raw }) => sum + weight(raw), 0)
  const roles: Role[] = read.map((file, index) => {
    const part = parts[index]
    return file && part?.type === 'fence' && isProgram(file, part, total, withNamesOf(read, file, hints)) ? file : undefined
  })
  // If the reply replaces a program by a later version, the earlier one stays as text.
  for (const [index, role] of roles.entries()) {
    if (isFile(role) && roles.slice(index + 1).some(later => isFile(later) && isSame(role, later))) roles[index] = undefined
  }
  for (const [index, file] of read.entries()) {
    if (file === undefined || file.path !== undefined || isTests(file)) continue
    const at = roles.findIndex((role, at) => at > index && isFile(role) && mayTake(role, file) && adds(file, role, isFile(roles[index])))
    const target = roles[at]
    if (!isFile(target)) continue
    roles[at] = draftFile(file.profile, undefined, target.tag, `${file.source.trimEnd()}\n\n\n${target.source}`)
    roles[index] = 'merged'
  }
  return roles
}

function isFile (role: Role): role is DraftFile {
  return role !== undefined && role !== 'merged'
}

/** Adds the names of the reply's other fences: a fence that only calls them shows how to use them, and is no program. */
function withNamesOf (read: readonly (DraftFile | undefined)[], file: DraftFile, hints: Hints): Hints {
  const others = new Set(read.flatMap(other => other === undefined || other === file ? [] : definedBy(other)))
  const own = new Set(definedBy(file))
  return { ...hints, isKnown: name => hints.isKnown(name) || (others.has(name) && own.size === 0) }
}

function mayTake (target: DraftFile, piece: DraftFile): boolean {
  return target.path === undefined && target.profile === piece.profile && !isTests(target) && definedBy(target).length > 0
}

function isTests ({ profile, path, source }: DraftFile): boolean {
  return profile.isTestFile(path, source)
}

function isSame (left: DraftFile, right: DraftFile): boolean {
  if (left.profile !== right.profile) return false
  if (left.path !== undefined || right.path !== undefined) return left.path === right.path
  const names = new Set(definedBy(right))
  return definedBy(left).some(name => names.has(name))
}

/** Whether a fence holds imports or helpers that belong to a program in a later fence. */
function adds (piece: DraftFile, main: DraftFile, isProgram: boolean): boolean {
  if (definedBy(piece).some(name => definedBy(main).includes(name))) return false
  const names = piece.statements.flatMap(({ kind, names }) => kind === 'definition' || kind === 'binding' ? names : [])
  if (names.length === 0) {
    return !isProgram
      && piece.statements.every(({ kind }) => kind === 'import' || kind === 'comment')
      && piece.statements.some(({ kind }) => kind === 'import')
  }
  const used = new Set(main.source.match(/[A-Za-z_$][\w$]*/g))
  return names.some(name => used.has(name))
}

function draftOf (parts: readonly Part[], roles: readonly Role[]): Draft {
  const pieces: Piece[] = []
  let at = 0
  for (const [index, part] of parts.entries()) {
    const role = roles[index]
    if (isFile(role)) pieces.push({ type: 'file', file: { ...role, at } })
    else if (role === undefined) pieces.push({ type: 'text', raw: part.raw, at })
    at += part.raw.length
  }
  return drafted(pieces)
}

function drafted (pieces: readonly Piece[]): Draft {
  return { pieces, files: pieces.flatMap(piece => piece.type === 'file' ? [piece.file] : []) }
}

/** The parsed reply; it counts as lost if it was cut within its last program. */
function ended ({ finish, loops }: ModelReply, draft: Draft): ParsedReply {
  const last = draft.files.at(-1)
  const isCut = last !== undefined && (finish === 'length' || loops) && last.profile.isUnfinished(last.source)
  return isCut ? { type: 'lost', why: loops ? 'loop' : 'cut' } : { type: 'programs', draft }
}

/** Finds code without fences: in tool calls and tags that nobody asked for, or between two sentences. */
function withoutFences (said: ModelReply, parts: readonly Part[], hints: Hints): ParsedReply {
  const outside = parts.map(part => part.type === 'text' ? part.raw : part.raw.replace(/[^\n]/g, ' ')).join('')
  const found = wrapped(outside, hints.profiles)
  const files = found.flatMap(({ profile, path, source, start }) => {
    const file = draftFile(profile, path, '', scrub(source, '', profile))
    return file ? [{ ...file, at: start }] : []
  })
  const [first] = files
  if (first === undefined) return { type: 'words', foreign: foreignIn(parts, weight(said.text)) }
  return ended(said, drafted([
    ...(first.at > 0 ? [{ type: 'text' as const, raw: said.text.slice(0, first.at), at: 0 }] : []),
    ...files.map(file => ({ type: 'file' as const, file })),
    ...textAfter(said.text, found.at(-1)?.end ?? said.text.length)
  ]))
}

function textAfter (text: string, at: number): Piece[] {
  return text.slice(at).trim() === '' ? [] : [{ type: 'text', raw: text.slice(at), at }]
}

const FOREIGN: Readonly<Record<string, string>> = {
  go: 'Go', golang: 'Go', rust: 'Rust', rs: 'Rust', java: 'Java', kotlin: 'Kotlin', kt: 'Kotlin', c: 'C', cpp: 'C++', 'c++': 'C++',
  cc: 'C++', csharp: 'C#', cs: 'C#', 'c#': 'C#',
  swift: 'Swift', ruby: 'Ruby', rb: 'Ruby', php: 'PHP', scala: 'Scala', haskell: 'Haskell', hs: 'Haskell', lua: 'Lua', perl: 'Perl', r: 'R',
  dart: 'Dart', elixir: 'Elixir',
  erlang: 'Erlang', julia: 'Julia', zig: 'Zig', ocaml: 'OCaml', fsharp: 'F#', clojure: 'Clojure', bash: 'Bash', sh: 'Shell', zsh: 'Shell',
  powershell: 'PowerShell', ps1: 'PowerShell',
  sql: 'SQL', matlab: 'MATLAB', fortran: 'Fortran', vb: 'Visual Basic', groovy: 'Groovy', solidity: 'Solidity', nim: 'Nim',
  'objective-c': 'Objective-C', asm: 'Assembly'
}

/** The language of a program that cannot be run here. A single line, such as a command, is no program. */
function foreignIn (parts: readonly Part[], total: number): string | undefined {
  const programs = parts.filter((part): part is FencePart => part.type === 'fence'
    && (part.path !== undefined || weight(part.source) * 2 > total))
  const tags = programs.filter(({ source }) => source.trim().includes('\n')).map(({ tag }) => FOREIGN[tag])
  return tags.find(name => name !== undefined)
}

/** The length of a text without white space. */
function weight (text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 32) count++
  return count
}

import type { FinishReason, Language } from '../types.js'
import { type Block, blocksOf } from './replies/blocks.js'
import { clean } from './replies/clean.js'
import { isElided, isStub, isUnfinished } from './replies/gaps.js'
import { withoutLoop } from './replies/loop.js'
import { scrub } from './replies/scrub.js'
import { splitTests } from './replies/split.js'
import { statementsOf } from './replies/statements.js'
import { inJson, inTags, unfenced, withoutProseAfter } from './replies/wrappings.js'

/** What a reply turned out to hold. */
export type Reading =
  | { type: 'code', source: string, approach: string }
  | { type: 'empty' | 'think-only' | 'truncated' | 'stub' | 'elided' | 'loop' | 'no code' | 'other language' }

export interface Expected { language: Language, entry: string | undefined, path?: string | undefined }

interface Piece { block: Block, source: string, names: Set<string>, kinds: Set<string> }

/** The program in what a model said, whatever it is wrapped in. */
export function readProgram (said: { text: string, finish: FinishReason, loops: boolean }, expected: Expected): Reading {
  const { text, onlyThought } = clean(said.loops ? withoutLoop(said.text) : said.text)
  if (onlyThought) return { type: 'think-only' }
  if (text === '') return { type: 'empty' }
  const blocks = wrapped(text, expected.language)
  const pieces = blocks.filter(block => speaks(block, expected.language)).map(block => pieceOf(block, expected))
  const source = chosen(pieces, expected)
  if (source === undefined || source === '') return { type: said.loops ? 'loop' : blocks.length > 0 && pieces.length === 0 ? 'other language' : 'no code' }
  const last = pieces.at(-1)
  const cut = said.finish === 'length' || said.loops || last?.block.closed === false
  if (cut && isUnfinished(source, expected.language)) return { type: said.loops ? 'loop' : 'truncated' }
  const { entry } = expected
  if (isElided(source) || (entry !== undefined && last && isElided(last.block.source) && !pieces.some(({ names }) => names.has(entry)))) return { type: 'elided' }
  if (isStub(source, expected.language, expected.entry)) return { type: 'stub' }
  return { type: 'code', source, approach: approachOf(text) }
}

function wrapped (text: string, language: Language): Block[] {
  const json = inJson(text)
  if (json.length > 0) return json
  const fenced = blocksOf(text).map(block => block.closed ? block : { ...block, source: withoutProseAfter(block.source) })
  if (fenced.some(block => speaks(block, language))) return fenced
  const tagged = inTags(text)
  if (tagged.length > 0) return tagged
  const bare = unfenced(text, language)
  return bare.length > 0 ? bare : fenced
}

const SPEAKS: Record<Language, RegExp> = { python: /^(?:python[23]?|py[23]?|ipython|pycon)$/, typescript: /^(?:typescript|tsx?|[mc]ts|javascript|jsx?|node|deno)$/ }
const OTHERS = /^(?:bash|sh|shell|console|zsh|powershell|cmd|text|txt|plaintext|output|json|toml|ya?ml|markdown|md|html|css|sql|c|cpp|c\+\+|cc|java|rust|rs|go|golang|csharp|cs|ruby|rb|php|swift|kotlin|haskell|scala|lua|perl|r|diff|patch)$/

/** Whether a block is in the language. A tag may be wrong, and then the code tells. */
function speaks ({ tag, source, path }: Block, language: Language): boolean {
  if (path !== undefined) return language === 'python' ? /\.pyi?$/.test(path) : /\.(?:[mc]?[jt]sx?|vue)$/.test(path)
  if (/^(?:diff|patch)$/.test(tag)) return looksLike(source.replace(/^[+ ]/gm, ''), language)
  if (SPEAKS[language].test(tag)) return !looksLike(source, other(language)) || looksLike(source, language)
  if (OTHERS.test(tag)) return false
  return looksLike(source, language)
}

const LOOKS: Record<Language, RegExp> = {
  python: /^[ \t\d|>.]*(?:(?:async )?def \w+\s*\(|class \w+(?:\([^)]*\))?:|from [\w.]+ import |import \w+(?:\.\w+)*(?: as \w+)?$|@\w+)/m,
  typescript: /^[ \t\d|]*(?:export |import (?:type )?[\w{*'"]|(?:async )?function\*? [\w$]+\s*[(<]|(?:const|let) [\w$]+\s*(?::[^=]+)?=|(?:abstract )?class [\w$]+[^:]*\{|interface \w+|type \w+(?:<[^>]+>)? =|enum \w+)/m
}

function looksLike (source: string, language: Language): boolean {
  return LOOKS[language].test(source)
}

function other (language: Language): Language {
  return language === 'python' ? 'typescript' : 'python'
}

function pieceOf (block: Block, { language, entry }: Expected): Piece {
  const { program } = splitTests(scrub(withoutLoop(block.source), block.tag, language), language, entry)
  const statements = statementsOf(program, language)
  return { block, source: program, names: new Set(statements.flatMap(({ names }) => names)), kinds: new Set(statements.map(({ kind }) => kind)) }
}

/** The block that is the program: the last that defines what was asked for; before it, what it needs of the others. */
function chosen (pieces: readonly Piece[], { language, entry, path }: Expected): string | undefined {
  const at = path === undefined ? undefined : pieces.findLast(({ block }) => block.path === path || (block.path !== undefined && path.endsWith(`/${block.path}`)))
  const defining = pieces.filter(({ names, kinds }) => entry === undefined ? kinds.has('definition') : names.has(entry))
  const whole = defining.filter(({ source }) => !isStub(source, language, entry) && !isElided(source))
  const main = at ?? whole.at(-1) ?? defining.at(-1) ?? pieces.findLast(({ kinds }) => kinds.has('definition')) ?? pieces.findLast(({ kinds }) => kinds.has('binding'))
    ?? (path === undefined ? undefined : pieces.at(-1)) // a file of a project may do nothing but import and export
  if (!main) return undefined
  const parts = pieces.slice(0, pieces.indexOf(main)).filter(piece => adds(piece, main, entry))
  return [...parts.map(({ source }) => source), main.source].join('\n\n\n').trim()
}

/** Imports and helpers that come before the program in blocks of their own. */
function adds (piece: Piece, main: Piece, entry: string | undefined): boolean {
  if (piece.block.path !== undefined && piece.block.path !== main.block.path) return false
  const defines = [...piece.names]
  if (defines.some(name => main.names.has(name)) || (entry !== undefined && defines.includes(entry))) return false
  if (!piece.kinds.has('definition') && !piece.kinds.has('binding')) return piece.kinds.has('import')
  return defines.some(name => new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(main.source))
}

const PLEASANTRIES = /^(?:sure|certainly|of course|okay|ok|great|absolutely|here(?:'s| is| are)|below is|solution|approach|code|answer)\b/i

/** The first sentence of substance before the code. */
function approachOf (text: string): string {
  const before = text.split(/^[ \t]*(?:```|~~~)/m, 1)[0] ?? ''
  const sentences = before.replace(/^[#*\-\s]+|\*\*|^#+.*$/gm, ' ').replace(/\s+/g, ' ').split(/(?<=[.!?:])\s+/).map(sentence => sentence.trim())
  const found = sentences.find(sentence => sentence.split(' ').length >= 4 && /[.!]$/.test(sentence) && !PLEASANTRIES.test(sentence))
  return found === undefined || found.length > 300 || /^(?:def|class|import|from|export|function)\b/.test(found) ? '' : found
}

/** A file that is no program: a page, a style sheet. The block of its name, else the longest. */
export function readAsset (said: { text: string, finish: FinishReason, loops: boolean }, path: string): Reading {
  const { text, onlyThought } = clean(said.loops ? withoutLoop(said.text) : said.text)
  if (onlyThought) return { type: 'think-only' }
  const blocks = blocksOf(text)
  const block = blocks.find(block => block.path === path) ?? blocks.toSorted((left, right) => right.source.length - left.source.length)[0]
  if (!block) return { type: text === '' ? 'empty' : 'no code' }
  if (said.loops) return { type: 'loop' }
  return block.closed ? { type: 'code', source: block.source, approach: '' } : { type: 'truncated' }
}

/** A test file: the longest block of the language, as it stands. */
export function readSuite (said: { text: string }, language: Language): string | undefined {
  const { text } = clean(withoutLoop(said.text))
  const blocks = wrapped(text, language).filter(block => speaks(block, language))
  const longest = blocks.toSorted((left, right) => right.source.length - left.source.length)[0]
  return longest && scrub(longest.source, longest.tag, language)
}

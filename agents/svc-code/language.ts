import type { Language, Message } from '../types.js'
import { DOUBTFUL_OTHERS, NEIGHBOURS, NOT, OTHERS, PYTHON, PYTHON_DOUBTFUL, TYPESCRIPT, TYPESCRIPT_DOUBTFUL, USING } from './words.js'

/** What language a request is about. Two where both sides are asked for. */
export type Found = { type: 'known', languages: [Language, ...Language[]] } | { type: 'other', name: string } | { type: 'none' }

const MOST = 20_000 // characters that are looked at: who pastes more has said what it is about by then

/** The latest message that says anything counts; Python where none does. */
export function languageOf (messages: readonly Message[]): Found & { type: 'known' | 'other' } {
  for (const message of messages.toReversed()) {
    if (message.role !== 'user' && message.role !== 'assistant') continue
    const found = message.role === 'user' ? languageIn(message.content) : fencesIn(message.content)
    if (found.type !== 'none') return found
  }
  return { type: 'known', languages: ['python'] }
}

/** Explicit words first, then code, file names and errors, then frameworks and libraries. */
export function languageIn (message: string): Found {
  const text = message.slice(0, MOST)
  const prose = text.replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n').replace(/[ \t]+/g, ' ')
  for (const look of [explicitIn, clear]) {
    const found = look(prose, text)
    if (found.type !== 'none') return found
  }
  return named(prose)
}

const SIDES: Record<string, Language> = { python: 'python', python3: 'python', py: 'python', typescript: 'typescript', ts: 'typescript', javascript: 'typescript', js: 'typescript' }
const NAME = '(python ?3?|typescript|javascript|ts|js)'
const TARGET = new RegExp(`(?:\\b(?:to|into|nach|zu|a|vers|en|in|als)\\s+(?:idiomatic |modern |plain |vanilla |strict )?${NAME})(?![\\w.])`, 'gi')
const TRANSLATES = /\b(?:convert|translate|port|rewrite|migrate|transpile|turn|übersetze|konvertiere|portiere|wandle|schreibe .{0,40} um|convierte|traduce|convertis|traduis|réécris|porte)\b/i
const MENTION = new RegExp(`(?<![\\w./@-])${NAME}(?![\\w]|\\.\\w|-\\w)`, 'gi')

// "A React app with a Python backend" names one side by its language and the other by its framework; "for our React app" is there already.
const PYTHON_BACK = /(?<!\b(?:our|my|the|existing|any) )\bpython (?:back-?end|server|api)\b/i
const WEB_FRONT = /(?<!\b(?:our|my|the|existing|any) )\b(?:react|vue|next\.js|angular|svelte)(?:\.?js)? (?:front-?end|app|application|client|ui|spa)\b/i

function explicitIn (prose: string): Found {
  if (TRANSLATES.test(prose)) {
    const target = [...prose.matchAll(TARGET)].at(-1)?.[1]
    if (target !== undefined) return known(target)
  }
  const other = otherIn(prose)
  const sides = new Map<Language, number>()
  for (const clause of clauses(prose)) {
    for (const match of clause.matchAll(MENTION)) {
      const side = SIDES[match[1]?.toLowerCase().replace(/ ?3$/, '') ?? '']
      if (side && !isNegated(clause, match.index)) sides.set(side, match.index)
    }
  }
  if (sides.size === 1 && PYTHON_BACK.test(prose) && WEB_FRONT.test(prose)) return { type: 'known', languages: ['typescript', 'python'] }
  if (sides.size === 1) return { type: 'known', languages: [[...sides.keys()][0] ?? 'python'] }
  if (sides.size > 1) {
    const target = [...prose.matchAll(TARGET)].at(-1)?.[1]
    if (/\b(?:both|and|plus|beide|und|ambos|les deux)\b|\+|&/i.test(prose) && /\b(?:front-?end|back-?end|both|client|server|beide|ambos|les deux)\b/i.test(prose)) return { type: 'known', languages: ['typescript', 'python'] }
    if (target !== undefined) return known(target)
  }
  return other
}

function known (name: string): Found {
  return { type: 'known', languages: [SIDES[name.toLowerCase().replace(/ ?3$/, '')] ?? 'python'] }
}

function otherIn (prose: string): Found {
  for (const [name, words] of Object.entries(OTHERS)) {
    for (const word of words) {
      const plain = escaped(word)
      const sign = DOUBTFUL_OTHERS.has(name) && !word.includes(' ')
        ? new RegExp(`(?:\\b(?:in|to|into|using|with|nach|en|auf)\\s+${plain}|\\b${plain}\\s+(?:program|function|code|struct|class|crate|trait|method|script|module|application|app))(?![\\w-])`, 'i')
        : new RegExp(`(?<![\\w.+#-])${plain}(?![\\w+#-])`, 'i')
      const match = sign.exec(prose)
      if (match && !isNegated(clauseAt(prose, match.index), 0) && !/\bjava ?script\b/i.test(match[0])) return { type: 'other', name }
    }
  }
  return { type: 'none' }
}

/** Fences, file names, errors and definitions say it without a word. */
function clear (prose: string, text: string): Found {
  const fences = fencesIn(text)
  if (fences.type !== 'none') return fences
  if (/^Traceback \(most recent call last\)|\b(?:ModuleNotFoundError|IndentationError|NameError: name|AttributeError: ')|File ".*\.py", line \d+/m.test(text)) return { type: 'known', languages: ['python'] }
  if (/\bTS\d{4}:|at [\w.<>]+ \(.*\.[mc]?[jt]sx?:\d+:\d+\)|TypeError: (?:Cannot read propert|.* is not a function)|ReferenceError: .* is not defined/.test(text)) return { type: 'known', languages: ['typescript'] }
  const code = /^[ \t]*(?:async )?def \w+\(.*|^[ \t]*from [\w.]+ import |^>>> /m.test(text) ? 'python' : /^[ \t]*(?:export )?(?:async )?(?:function [\w$]+\s*[(<]|const [\w$]+ = (?:async )?\(|interface \w+ \{|type \w+ =)/m.test(text) ? 'typescript' : undefined
  if (code) return { type: 'known', languages: [code] }
  const files = clauses(prose).flatMap(clause => Array.from(clause.matchAll(/(?<![\w@./-])[\w./-]{0,200}?\w\.(py|pyi|ipynb|tsx?|jsx?|mts|cts|mjs|cjs|vue|svelte)(?![\w.])/g)).filter(match => !isNegated(clause, match.index) && !isLibrary(match[0])))
  const last = files.at(-1)?.[1]
  return last === undefined ? { type: 'none' } : { type: 'known', languages: [/^(?:py|pyi|ipynb)$/.test(last) ? 'python' : 'typescript'] }
}

/** discord.js is a library, discord.py one of the other side: both are no files. */
function isLibrary (name: string): boolean {
  return !name.includes('/') && [...PYTHON, ...TYPESCRIPT].includes(name.toLowerCase())
}

function fencesIn (text: string): Found {
  const tags = Array.from(text.matchAll(/^[ \t]*(?:```|~~~)[ \t]*([\w+#-]+)/gm), ([, tag = '']) => tag.toLowerCase())
  const sides = tags.map(tag => /^(?:python3?|py|pycon|ipython)$/.test(tag) ? 'python' : /^(?:typescript|tsx?|javascript|jsx?|[mc][tj]s|vue|svelte)$/.test(tag) ? 'typescript' : undefined)
  const last = sides.findLast(side => side !== undefined)
  return last === undefined ? { type: 'none' } : { type: 'known', languages: [last] }
}

interface Mention { side: Language, at: number, sure: boolean }

function named (prose: string): Found {
  const mentions = clauses(prose).flatMap((clause, index) => mentionsIn(clause).map(mention => ({ ...mention, at: index * 10_000 + mention.at })))
  const wanted = mentions.some(({ sure }) => sure) ? mentions.filter(({ sure }) => sure) : mentions
  const sides = new Set(wanted.map(({ side }) => side))
  if (sides.size > 1 && /\b(?:front-?end|back-?end|client|server|full-?stack)\b/i.test(prose)) return { type: 'known', languages: ['typescript', 'python'] }
  const [only] = sides.size === 1 ? sides : [wanted.at(-1)?.side]
  if (only) return { type: 'known', languages: [only] }
  return /(?<![\w])use[A-Z]\w+(?=\(|\b)|@[\w-]{1,50}\/[\w-]|(?<![\w.-])[\w-]{1,50}\.js\b/.test(prose) ? { type: 'known', languages: ['typescript'] } : { type: 'none' }
}

function mentionsIn (clause: string): Mention[] {
  const found: Mention[] = []
  for (const [side, words, doubtful] of [['python', PYTHON, PYTHON_DOUBTFUL], ['typescript', TYPESCRIPT, TYPESCRIPT_DOUBTFUL]] as const) {
    for (const match of matches(clause, words)) if (!isNegated(clause, match.index)) found.push({ side, at: match.index, sure: true })
    for (const match of matches(clause, doubtful)) if (!isNegated(clause, match.index) && isTechnical(clause, match)) found.push({ side, at: match.index, sure: true })
  }
  return found.sort((left, right) => left.at - right.at)
}

const DOUBTFUL = new Set([...PYTHON_DOUBTFUL, ...TYPESCRIPT_DOUBTFUL])

/** One of the words is there, and is neither ruled out nor meant in its everyday sense. */
export function isMeant (clause: string, words: readonly string[]): boolean {
  return matches(clause, words).some(match => !isNegated(clause, match.index) && (!DOUBTFUL.has(match[0].toLowerCase()) || isTechnical(clause, match)))
}

const patterns = new Map<readonly string[], RegExp>()

function matches (text: string, words: readonly string[]): RegExpExecArray[] {
  let pattern = patterns.get(words)
  if (!pattern) patterns.set(words, pattern = new RegExp(`(?<![\\w@./-])(?:${words.toSorted((left, right) => right.length - left.length).map(escaped).join('|')})(?!\\w|\\.\\w)`, 'gi'))
  return [...text.matchAll(pattern)]
}

// What lies further off is about something else; and a long line is read once, not once for each of its words.
const NEAR = 300

const TECHNICAL = new Set(NEIGHBOURS)
const LEADS = new Set(USING)

/** A word such as "express" or "node" means the framework beside a technical word, or where a name would stand. */
function isTechnical (clause: string, match: RegExpExecArray): boolean {
  const word = match[0]
  const before = /([\p{L}'+-]+)\W*$/u.exec(clause.slice(Math.max(0, match.index - NEAR), match.index))?.[1]?.toLowerCase() ?? ''
  const next = /^\W*([\p{L}-]+)/u.exec(clause.slice(match.index + word.length, match.index + NEAR))?.[1]?.toLowerCase() ?? ''
  if (TECHNICAL.has(next)) return true
  const isName = /^\p{Lu}/u.test(word) && clause.slice(0, match.index).trim() !== ''
  const article = /^(?:a|an|the|every|each|this|that|its|their|our|my|your|to|of|by|der|die|das|ein|eine|el|la|un|une|le|les|los|las|root|leaf|tree|head|tail|parent|child|first|last)$/
  const ends = /^\s*(?:$|[.,;:!?)+&/]|(?:and|or|und|y|et|to|that|which|for|app|instead|please|bitte|frontend|backend)\b)/i.test(clause.slice(match.index + word.length))
  if (LEADS.has(before) && (isName || ends || !/^(?:a|an|the|of|to|in|on|at)$/.test(next))) return /^(?:express|react|click|next)$/i.test(word) && !isName && !ends ? false : true
  return isName && !article.test(before) && !/^(?:of|a|an|the|to|in|is|are)$/.test(next)
}

/** Sentences, and what a "but" sets against the rest. */
export function clauses (text: string): string[] {
  return text.split(/(?<=[.!?;:])\s+|\n+|,?\s+(?:but|however|although|though|aber|jedoch|pero|mais)\s+|;\s*/i).filter(clause => clause.trim() !== '')
}

function clauseAt (text: string, index: number): string {
  let start = 0
  for (const clause of clauses(text)) {
    const at = text.indexOf(clause, start)
    if (index >= at && index < at + clause.length) return clause.slice(0, index - at)
    start = at + clause.length
  }
  return ''
}

const NEGATION = new RegExp(`(?<![\\w])(?:${NOT.toSorted((left, right) => right.length - left.length).map(escaped).join('|')})(?![\\w])`, 'gi')
// "moving from Flask to FastAPI", "no pandas, use polars": what comes after these is meant again.
const TURN = /\b(?:to|use|using|with|write|in|nach|use|usa|utilise|nimm|benutze)\b|,|\)/gi

function isNegated (clause: string, index: number): boolean {
  const before = clause.slice(Math.max(0, index - NEAR), index)
  const last = [...before.matchAll(NEGATION)].at(-1)
  if (last) {
    const between = before.slice(last.index + last[0].length).replace(/^\s+(?:with|using|use|in|mit|con|usando|avec)(?=\s)/i, '') // "not with", "don't use"
    if (![...between.matchAll(TURN)].some(match => match[0] !== '' && between.slice(match.index).trim() !== '') && between.split(/\s+/).length <= 5) return true
  }
  // "our backend is Django and stays": said of what is there.
  return /^[^.,;]*\b(?:stays|remains|already|bleibt|reste|se queda|well)\b/i.test(clause.slice(index, index + NEAR)) && /\b(?:is|ist|es|est|know|runs?|uses?)\b/i.test(before)
}

function escaped (text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

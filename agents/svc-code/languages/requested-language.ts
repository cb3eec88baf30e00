// Which language the user asked for, if that is clear: by its name, a fence, an error message, a file name or a framework.
import type { Conversation } from '../conversation.js'
import type { Profile } from './profile.js'
import { EVERYDAY, FRAMEWORKS, NEIGHBOURS, NOT, OTHERS } from './words.js'

export interface RequestedLanguage {
  profile: Profile
  /** The name for prompts: `TypeScript`, or `JavaScript`, which has the same profile. */
  name: string
  /** Whether the user named it, so that a program in another language would be wrong. */
  isNamed: boolean
}

const MOST = 8000

/** The names that people use for a language, its name for prompts, and an example sentence, which the tests read. */
export const NAMES: readonly (readonly [word: string, id: string, name: string, example: string])[] = [
  ['python', 'python', 'Python', 'write it in Python'], ['python3', 'python', 'Python', 'a python3 script'],
  ['py', 'python', 'Python', 'same in py'], ['pyhton', 'python', 'Python', 'flatten a list in pyhton'],
  ['typescript', 'typescript', 'TypeScript', 'write it in TypeScript'], ['ts', 'typescript', 'TypeScript', 'ts function isLeapYear(year)'],
  ['typescirpt', 'typescript', 'TypeScript', 'node typescirpt'],
  ['javascript', 'typescript', 'JavaScript', 'plain JavaScript, please'], ['js', 'typescript', 'JavaScript', 'this js function']
]

export function requestedLanguage ({ asked, latest, codes }: Conversation, profiles: readonly Profile[]): RequestedLanguage | undefined {
  const prose = withoutFences(asked.slice(0, MOST)).toLowerCase()
  const named = namedIn(prose)
  if (OTHERS.some(word => hasWord(prose, word)) && named.length === 0) return undefined
  const names = new Set(named.map(({ name }) => name))
  const target = targetIn(prose)
  const one = target ?? (names.size === 1 ? named[0] : undefined)
  if (one) return said(one.id, one.name, profiles, !OTHERS.some(word => hasWord(prose, word)))
  if (names.size > 1) {
    const ids = new Set(named.map(({ id }) => id))
    return ids.size === 1 ? said([...ids][0] ?? '', named[0]?.name ?? '', profiles, true) : undefined
  }
  const given = codes.findLast(({ role, turn }) => role === 'user'
    && turn === Math.max(...codes.filter(each => each.role === 'user').map(each => each.turn)))
  const isLast = given !== undefined && asked.includes(given.source.slice(0, 40))
  if (isLast && latest.length > 0) {
    return { profile: given.profile, name: isScript(given.tag) ? 'JavaScript' : given.profile.name, isNamed: false }
  }
  return bySigns(asked, prose, profiles)
}

function said (id: string, name: string, profiles: readonly Profile[], isNamed: boolean): RequestedLanguage | undefined {
  const profile = profiles.find(each => each.id === id)
  return profile && { profile, name, isNamed }
}

function isScript (tag: string): boolean {
  return ['js', 'javascript', 'jsx', 'mjs', 'cjs', 'node'].includes(tag)
}

function namedIn (prose: string): { id: string, name: string }[] {
  return NAMES.flatMap(([word, id, name]) => placesOf(prose, word).some(at => !isNegated(prose, at)) ? [{ id, name }] : [])
}

const TRANSLATES = [
  'convert', 'translate', 'port', 'rewrite', 'migrate', 'transpile', 'turn', 'übersetz', 'konvertier', 'portier', 'wandle', 'convierte',
  'traduce', 'convertis', 'traduis', 'same'
]

/** The target of a translation: the language after "to", "into" or "nach". */
function targetIn (prose: string): { id: string, name: string } | undefined {
  const found = NAMES.flatMap(([word, id, name]) => placesOf(prose, word)
    .filter(at => /\b(?:to|into|nach|zu|a|vers|en|in|als) (?:plain |modern |idiomatic |strict )?$/.test(prose.slice(
      Math.max(0, at - 30),
      at
    )))
    .map(at => ({ at, id, name })))
  return TRANSLATES.some(word => prose.includes(word)) ? found.sort((left, right) => left.at - right.at).at(-1) : undefined
}

const NEVER = ['not with', 'not using', 'not in', 'never with', 'nicht mit', 'no con', 'pas avec']

function isNegated (prose: string, at: number): boolean {
  const before = prose.slice(Math.max(0, at - 40), at)
  const clause = before.slice(Math.max(...['. ', ', ', '; ', '! ', '? ', ': ', '\n'].map(end => before.lastIndexOf(end) + 1)))
  // "Not with Flask" is a negation, "don't port it to Flask" may be one or not.
  if (NEVER.some(end => clause.trimEnd().endsWith(end))) return true
  return NOT.some(word => placesOf(clause, word).some(place => clause.slice(place + word.length).trim().split(' ').length <= 3
    && !/\b(?:to|in|into|with|using)\s*$/.test(clause)))
}

/** The language by frameworks, file names and error messages. */
function bySigns (asked: string, prose: string, profiles: readonly Profile[]): RequestedLanguage | undefined {
  const found = new Set(FRAMEWORKS.flatMap(([word, id]) => isMeantIn(prose, word) ? [id] : []))
  if (found.size > 1) return undefined
  const [id] = found
  if (id !== undefined) return withName(profiles.find(profile => profile.id === id), false)
  if (asked.includes('Traceback (most recent call last)')) return withName(profiles.find(profile => profile.endings.includes('.py')), false)
  const files = prose.split(/[\s`"'(),;]+/).filter(word => word.length < 100 && word.includes('.'))
  const owners = new Set(files.flatMap(word => profiles.filter(({ endings }) => endings.some(ending => word.endsWith(ending)
    || word.endsWith(`${ending}.`)))))
  const [owner] = owners
  return owners.size === 1 && !files.some(word => FRAMEWORKS.some(([name]) => name === word)) ? withName(owner, false) : undefined
}

/** Whether a text asks for a framework, and does not just mention or exclude it. */
export function isMeantIn (prose: string, word: string): boolean {
  return placesOf(prose, word).some(at => !isNegated(prose, at) && isMeant(prose, at, word))
}

function withName (profile: Profile | undefined, isNamed: boolean): RequestedLanguage | undefined {
  return profile && { profile, name: profile.name, isNamed }
}

/** Whether a name that is also an everyday word means the framework: "a React component", but not "react to a click". */
function isMeant (prose: string, at: number, word: string): boolean {
  if (!EVERYDAY.has(word) || prose[at + word.length] === ':') return true
  const after = wordsOf(prose.slice(at + word.length, at + word.length + 60)).slice(0, 2)
  const before = wordsOf(prose.slice(Math.max(0, at - 30), at)).at(-1) ?? ''
  return after.some(each => NEIGHBOURS.has(each)) || ['with', 'using', 'in', 'mit', 'con', 'avec', 'use'].includes(before)
}

function wordsOf (text: string): string[] {
  return text.split(/[^\p{L}\d]+/u).filter(word => word !== '')
}

export function hasWord (text: string, word: string): boolean {
  return placesOf(text, word).length > 0
}

/** Whether the beginning of a text contains one of the words. */
export function hasAny (text: string, words: readonly string[]): boolean {
  const prose = text.slice(0, MOST).toLowerCase()
  return words.some(word => hasWord(prose, word))
}

/** The places of a word in a text, as a whole word. */
function placesOf (text: string, word: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(word); at >= 0 && places.length < 50; at = text.indexOf(word, at + 1)) {
    if (!isWordSign(text[at - 1], text[at - 2]) && !isWordSign(text[at + word.length], text[at + word.length + 1])) places.push(at)
  }
  return places
}

/** Whether a character belongs to a word. A full stop does if a letter follows it: `node.js`. */
function isWordSign (char: string | undefined, next: string | undefined): boolean {
  if (char === undefined) return false
  return isLetter(char) || '_@/+#'.includes(char) || ((char === '.' || char === '-') && next !== undefined && isLetter(next))
}

function isLetter (char: string): boolean {
  return /[\p{L}\p{N}]/u.test(char)
}

export function withoutFences (text: string): string {
  let inFence = false
  return text.split('\n').map(line => {
    const isFence = line.trimStart().startsWith('```') || line.trimStart().startsWith('~~~')
    if (isFence) inFence = !inFence
    return inFence || isFence ? '' : line
  }).join('\n')
}

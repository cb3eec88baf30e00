import { LETTERS, spelled } from '../letters.js'
import { trainMerges } from './bpe.js'
import type { Lesson, Recital } from './lesson.js'

/** A token's number in the vocabulary. */
type Id = number

/** A text in prompts that selects a lesson (`subject`) or an aspect; `code` is the number of that lesson or aspect. */
export interface Trigger { id: Id, code: number, kind: 'subject' | 'aspect', isStrong: boolean }

/** The first tokens of the recital for a subject and an aspect (or no aspect), each with its code. */
export interface Start { subject: number, aspect: number | null, first: Id[] }

export interface Vocabulary {
  tokens: string[]
  types: number[]
  merges: string[]
  controls: { begin: Id, messageStart: Id, messageEnd: Id, reply: Id, textEnd: Id }
  triggers: Trigger[]
  starts: Start[]
  /** The token that follows each token of a recital. */
  edges: [from: Id, to: Id][]
  /** The last tokens of recitals. */
  ends: Id[]
  fallback: Id
}

const NORMAL = 1
const CONTROL = 3
const USER_DEFINED = 4 // the tokenizer searches for these before it splits a text into words

export interface VocabularyOptions {
  lessons: readonly Lesson[]
  aspects: Readonly<Record<string, readonly string[]>>
  fallback: string
  corpus: string
  merges: number
}

/** The tokens of a model that recites. Each piece of a recital is a unique token, so that each token determines the next one. */
export function makeVocabulary ({ lessons, aspects, fallback, corpus, merges: count }: VocabularyOptions): Vocabulary {
  const tokens: string[] = []
  const types: number[] = []
  const known = new Set<string>()
  const add = (token: string, type: number): Id => {
    if (known.has(token)) throw new Error(`two texts share the token ${JSON.stringify(token)}`)
    known.add(token)
    types.push(type)
    return tokens.push(token) - 1
  }

  const controls = {
    begin: add('<|begin|>', CONTROL),
    messageStart: add('<|im_start|>', CONTROL),
    messageEnd: add('<|im_end|>', CONTROL),
    reply: add('<|im_start|>assistant\n', CONTROL), // one token, at which the model looks back at the prompt
    textEnd: add('<|endoftext|>', CONTROL)
  }
  for (const letter of LETTERS) add(letter, NORMAL)
  const merges = trainMerges(corpus, count)
  for (const merge of merges) {
    const token = merge.replace(' ', '')
    if (!known.has(token)) add(token, NORMAL)
  }

  const names = Object.keys(aspects)
  const triggers: Trigger[] = [
    ...lessons.flatMap(({ on, isStrong = false }, code) =>
      on.map(text => ({ id: add(text, USER_DEFINED), code, kind: 'subject' as const, isStrong }))),
    ...names.flatMap((name, i) => {
      const shared = { code: lessons.length + i, kind: 'aspect' as const, isStrong: false }
      return (aspects[name] ?? []).map(text => ({ id: add(text, USER_DEFINED), ...shared }))
    })
  ]

  const edges: [Id, Id][] = []
  const ends: Id[] = []
  const chain = (text: string): { first: Id, last: Id } => {
    const ids = cut(text, known).map(piece => add(spelled(piece), NORMAL))
    for (const [i, id] of ids.slice(1).entries()) edges.push([ids[i] ?? id, id])
    return { first: ids.at(0) ?? controls.messageEnd, last: ids.at(-1) ?? controls.messageEnd }
  }
  const recite = (recital: Recital): Id[] => {
    if (typeof recital === 'object' && 'forever' in recital) {
      const { first, last } = chain(recital.forever)
      edges.push([last, first])
      return [first]
    }
    return (typeof recital === 'string' ? [recital] : recital.oneOf).map(text => {
      const { first, last } = chain(text)
      ends.push(last)
      return first
    })
  }
  const starts = lessons.flatMap(({ say, when = {} }, subject): Start[] => [
    { subject, aspect: null, first: recite(say) },
    ...Object.entries(when).map(([name, recital]) => ({ subject, aspect: lessons.length + names.indexOf(name), first: recite(recital) }))
  ])
  return { tokens, types, merges, controls, triggers, starts, edges, ends, fallback: recite(fallback)[0] ?? controls.messageEnd }
}

const ATOM = /[\p{L}_]+|\p{N}+|\n *| +|[^\p{L}_\p{N}\s]|\s/gu

/** Cuts a text into pieces of about a word, none of which is in the vocabulary yet: a piece that is there grows until it is new. */
function cut (text: string, known: ReadonlySet<string>): string[] {
  const taken = new Set<string>()
  const isNew = (piece: string) => piece.length > 1 && !known.has(spelled(piece)) && !taken.has(piece)
  const pieces: string[] = []
  let piece = ''
  for (const atom of text.match(ATOM) ?? []) {
    piece += atom
    if (piece.trim() !== '' && isNew(piece)) {
      taken.add(piece)
      pieces.push(piece)
      piece = ''
    }
  }
  // The rest at the end is joined to the pieces before it.
  while (piece !== '') {
    const before = pieces.pop()
    if (before === undefined) throw new Error(`there is nothing new in the recital ${JSON.stringify(text)}`)
    taken.delete(before)
    piece = before + piece
    if (isNew(piece)) return [...pieces, piece]
  }
  return pieces
}

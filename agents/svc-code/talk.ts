// What a conversation holds: what was asked last, the code that was given or written, the names that it speaks of.
import type { Message } from '../types.js'
import type { Profile } from './languages/profile.js'
import { draftFile, profileOf } from './reply/came.js'
import { type DraftFile, definedBy, isVersionOf } from './reply/draft.js'
import { partsOf } from './reply/fences.js'
import { wrapped } from './reply/wrappings.js'

/** Code of the conversation, by whoever wrote it. */
export interface Code extends DraftFile { role: 'user' | 'assistant', turn: number }

export interface Talk {
  messages: readonly Message[]
  /** What the user said last. */
  asked: string
  /** What all users' turns say, the code in them included, up to a bound. */
  users: string
  /** In the order of the conversation. */
  codes: readonly Code[]
  /** The versions that count now: of each program the latest. */
  latest: readonly Code[]
  mentions: (name: string) => boolean
  isKnown: (name: string) => boolean
}

// Whoever pastes more has said what it is about by then. Only the analysis stops here: the model is given all that fits.
export const MOST_READ = 64 * 1024

export function readTalk (messages: readonly Message[], profiles: readonly Profile[]): Talk {
  const users = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const text = users.join('\n\n').slice(-MOST_READ)
  const codes = messages.flatMap((message, turn) => message.role === 'user' || message.role === 'assistant'
    ? codesIn(message.content, profiles).map(file => ({ ...file, role: message.role as Code['role'], turn }))
    : [])
  const words = new Set(text.match(/[A-Za-z_$][\w$]*/g))
  const known = new Set(codes.flatMap(code => definedBy(code)))
  return {
    messages, codes,
    asked: users.at(-1) ?? '',
    users: text,
    latest: latestOf(codes),
    mentions: name => name.length > 1 && words.has(name),
    isKnown: name => known.has(name)
  }
}

/** The programs of one message: its fences, or code that stands between its sentences. */
function codesIn (message: string, profiles: readonly Profile[]): DraftFile[] {
  const text = message.slice(0, MOST_READ)
  const fences = partsOf(text).flatMap(part => {
    const profile = part.type === 'fence' ? profileOf(part, profiles) : undefined
    return profile && part.type === 'fence' ? draftFile(profile, part.path, part.tag, part.source) ?? [] : []
  })
  if (fences.length > 0) return fences
  return wrapped(text, profiles).flatMap(({ profile, path, source }) => source.includes('\n')
    ? draftFile(profile, path, '', source) ?? []
    : [])
}

/** A program is known again by its path, or by what it defines. */
function latestOf (codes: readonly Code[]): Code[] {
  return codes.filter((code, index) => !codes.slice(index + 1).some(later => isVersionOf(later, code)))
}

// Reads a conversation: the last message of the user, the code in it, and the names that it mentions.
import type { Message } from '../types.js'
import type { Profile } from './languages/profile.js'
import { draftFile, profileOf } from './reply/parse-reply.js'
import { type DraftFile, definedBy, isVersionOf } from './reply/draft.js'
import { partsOf } from './reply/fences.js'
import { wrapped } from './reply/wrappings.js'

/** A piece of code in the conversation, by the user or the model. */
export interface Code extends DraftFile { role: 'user' | 'assistant', turn: number }

export interface Conversation {
  messages: readonly Message[]
  /** The last message of the user. */
  asked: string
  /** The text of all the user's messages, including the code in them, up to a limit. */
  users: string
  /** All code, in the order of the conversation. */
  codes: readonly Code[]
  /** The latest version of each program. */
  latest: readonly Code[]
  mentions: (name: string) => boolean
  isKnown: (name: string) => boolean
}

// Only this many characters are analysed. The model still gets everything that fits into its context.
export const MOST_READ = 64 * 1024

export function readConversation (messages: readonly Message[], profiles: readonly Profile[]): Conversation {
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

/** The programs in one message: its fences, or code between its sentences. */
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

/** The latest version of each program. Versions are recognised by their path or their definitions. */
function latestOf (codes: readonly Code[]): Code[] {
  return codes.filter((code, index) => !codes.slice(index + 1).some(later => isVersionOf(later, code)))
}

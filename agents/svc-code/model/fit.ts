// Fits a conversation into the model's context. The oldest turns are left out first, but never the system message, the last turn, or
// the latest version of the code.
import { type Backend, InputTooLong, type Message } from '../../types.js'
import { type Code, type Conversation } from '../conversation.js'
import { definedBy } from '../reply/draft.js'

// Vocabularies differ: the backend's own count may be a tenth higher than ours.
const MARGIN = 1.1
// The least number of tokens for a useful reply.
const LEAST_REPLY = 1024
// The last two versions of the code are kept, because the user may want to undo a change.
const VERSIONS = 2

export interface Fitted {
  messages: Message[]
  /** How many tokens the reply may have. */
  room: number
  /** How many turns were left out, and which files were cut to an outline. */
  left: number
  outlined: readonly string[]
}

export interface Frame { backend: Backend, context: number | null, maxTokens: number }

/** The conversation as it fits, with one system message that contains the caller's and then ours. */
export async function fitted (conversation: Conversation, ours: string, frame: Frame): Promise<Fitted> {
  const turns = withSystem(conversation.messages, ours)
  if (frame.context === null) return { messages: turns, room: frame.maxTokens, left: 0, outlined: [] }
  const versions = [...new Set(conversation.codes.map(({ turn }) => turn))].slice(-VERSIONS)
  const kept = new Set(versions.map(turn => conversation.messages[turn]))
  let messages = turns
  for (const keep of [kept, new Set(versions.slice(-1).map(turn => conversation.messages[turn]))]) {
    for (;;) {
      const room = await roomFor(messages, frame)
      const oldest = messages.findIndex((message, index) => message.role !== 'system' && index < messages.length - 1 && !keep.has(message))
      if (room >= Math.min(LEAST_REPLY, frame.maxTokens)) return done(turns, messages, room, frame, [])
      if (oldest < 0) break
      messages = messages.toSpliced(oldest, 1)
    }
  }
  return await outlined(conversation, turns, messages, frame)
}

function done (turns: readonly Message[], messages: Message[], room: number, { maxTokens }: Frame, outlined: readonly string[]): Fitted {
  return { messages, room: Math.max(1, Math.min(maxTokens, room)), left: turns.length - messages.length, outlined }
}

/** When no more turns can be left out, this cuts long files to their outline and the functions that the last turn names. */
async function outlined (
  conversation: Conversation, turns: readonly Message[], messages: readonly Message[], frame: Frame
): Promise<Fitted> {
  const cut: string[] = []
  let shorter = [...messages]
  for (const code of conversation.codes.toSorted((left, right) => right.source.length - left.source.length)) {
    const outline = outlineOf(code, conversation)
    shorter = shorter.map(message => message.content.includes(code.source)
      ? { ...message, content: message.content.replace(code.source, () => outline) }
      : message)
    cut.push(code.path ?? code.profile.name)
    const room = await roomFor(shorter, frame)
    if (room >= Math.min(LEAST_REPLY, frame.maxTokens)) return done(turns, shorter, room, frame, cut)
  }
  throw new InputTooLong(`The conversation does not fit into the model's context of ${frame.context} tokens, not even without its older `
    + 'turns: send less text or less code at once.')
}

/** The beginning of each definition, and the whole of those that the last turn names. */
function outlineOf ({ statements, profile }: Code, { asked }: Conversation): string {
  return statements.map(statement => {
    const { kind, names, text } = statement
    const lines = text.split('\n')
    const concerned = kind !== 'definition'
      || lines.length < 4
      || names.some(name => asked.includes(name))
      || definedBy({ statements: [statement] }).length === 0
    return concerned ? text : `${lines.slice(0, 2).join('\n')}\n${profile.comment('... left out here for its length')}`
  }).join('\n')
}

async function roomFor (messages: readonly Message[], { backend, context, maxTokens }: Frame): Promise<number> {
  if (context === null) return maxTokens
  const bytes = Buffer.byteLength(JSON.stringify(messages)) // no encoding has more tokens than bytes
  const prompt = bytes + maxTokens <= context ? bytes : await backend.countTokens([...messages])
  return Math.floor(context - prompt * MARGIN)
}

/** Joins all system messages, with ours at the end, into one at the beginning: many templates allow only that. */
export function withSystem (messages: readonly Message[], ours: string): Message[] {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  return [{ role: 'system', content: [...system, ours]
    .filter(text => text.trim() !== '')
    .join('\n\n') }, ...messages.filter(({ role }) => role !== 'system')]
}

/** The same conversation with another last turn of the user. */
export function withLast (messages: readonly Message[], change: (content: string) => string): Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return messages.map((message, index) => index === last ? { role: 'user', content: change(message.content) } : message)
}

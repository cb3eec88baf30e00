// The prompts. Small models follow short, plain instructions: the conversation as it is, and one task at a time.
import type { Message } from '../../types.js'
import type { Profile } from '../languages/profile.js'
import type { Conversation } from '../conversation.js'
import { type Fitted, type Frame, fitted, withLast } from './fit.js'

/** The program that a call asks for. */
export interface About { profile: Profile, entry: string | undefined }

/** The system message of the first call. It names all languages that svc-code runs, so that it favours none of them. */
function house (profiles: readonly Profile[]): string {
  return 'Answer what the user asks. When you write code, put it into fenced blocks tagged with their language. Write programs whole, '
    + 'with the path of each file on the line before its block. '
    + `${profiles.map(({ name }) =>
      name).join(' and ')} programs are run after your answer, so leave nothing out. If the task implies no language, use `
      + `${profiles[0]?.name
      ?? ''}.`
}

function writer ({ profile }: About): string {
  return `Write the complete program in one fenced block, after one sentence on the approach. ${profile.words.style} Leave nothing out: `
    + 'no placeholders, no TODO.'
}

const REPAIRER = 'Say in one sentence what is wrong, then write the complete corrected program in one fenced block. Keep everything that '
  + 'is not wrong as it is.'
const TESTER = 'You work out by hand what a right program returns. Reply with the tests in one fenced block and nothing else.'
const MOST_TASK = 24_000

/** The prompts of one run. Each contains as much of the conversation as fits. */
export class Prompts {
  constructor (private readonly conversation: Conversation, private readonly profiles: readonly Profile[], private readonly frame: Frame) {}

  /** The first call: the real conversation. The language is named only if the user asked for it. */
  async first (said: { name: string } | undefined): Promise<Fitted> {
    return await fitted(this.conversation, said === undefined
      ? house(this.profiles)
      : `${house(this.profiles)}\nLanguage: ${said.name}`, this.frame)
  }

  /** A new draft, written without seeing the others. */
  async write (about: About): Promise<Message[]> {
    const { messages } = await fitted(this.conversation, writer(about), this.frame)
    return withLast(messages, content => order(content, about, about.entry === undefined
      ? undefined
      : `The program must define \`${about.entry}\`.`))
  }

  /** A repair of the program. `wrong` describes its problems. */
  async repair (about: About, program: string, wrong: string): Promise<Message[]> {
    const { messages } = await fitted(this.conversation, `${REPAIRER} ${about.profile.words.style}`, this.frame)
    const now = `This program is not right yet:\n\n${fenced(about.profile, program)}\n\n${wrong}\n\nReply with the whole corrected program.`
    return withLast(messages, content => order(`${content}\n\n${now}`, about))
  }

  /** Blind tests, from the task alone: a model that sees the program writes tests that it passes. */
  tests (about: About, count: number): Message[] {
    const entry = about.entry ?? 'the program'
    return [
      { role: 'system', content: TESTER },
      {
        role: 'user',
        content: order(
          `${this.#task()}\n\nDon't write the program. Write ${count} test cases for \`${entry}\`: ${about.profile.words.asserts(
            entry
          )}. Cover ordinary inputs and edge cases; leave out what the task does not settle.`,
          about
        )
      }
    ]
  }

  /** The user's own messages, the last one in full. */
  #task (): string {
    const turns = this.conversation.messages.filter(({ role }) => role === 'user').map(({ content }) => content.trim())
    const before = turns.slice(-4, -1).join('\n\nThen the user asked:\n').slice(-MOST_TASK)
    const last = turns.at(-1)?.slice(0, MOST_TASK) ?? ''
    return `Task:\n${before === '' ? last : `${before}\n\nThen the user asked:\n${last}`}`
  }
}

export function fenced (profile: Profile, source: string): string {
  return `\`\`\`${profile.tags[0] ?? ''}\n${source.trimEnd()}\n\`\`\``
}

export function order (text: string, { profile }: Pick<About, 'profile'>, last?: string): string {
  return `${text}\n\nLanguage: ${profile.name}${last === undefined ? '' : `\n${last}`}`
}

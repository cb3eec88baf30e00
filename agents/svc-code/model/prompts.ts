// What the model is told. Small models follow short, plain orders: the conversation as it is, one thing at a time.
import type { Message } from '../../types.js'
import type { Profile } from '../languages/profile.js'
import type { Talk } from '../talk.js'
import { type Fitted, type Frame, fitted, withLast } from './conversation.js'

/** What a call for a program is about. */
export interface About { profile: Profile, entry: string | undefined }

/** Names all languages that are run here, so that it favours none of them. */
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

const MENDER = 'Say in one sentence what is wrong, then write the complete corrected program in one fenced block. Keep everything that '
  + 'is not wrong as it is.'
const TESTER = 'You work out by hand what a right program returns. Reply with the tests in one fenced block and nothing else.'
const MOST_TASK = 24_000

/** The calls of one run. Each holds the conversation, as much of it as fits. */
export class Prompts {
  constructor (private readonly talk: Talk, private readonly profiles: readonly Profile[], private readonly frame: Frame) {}

  /** The first call: the real conversation. The language is named only where the user said it. */
  async first (said: { name: string } | undefined): Promise<Fitted> {
    return await fitted(this.talk, said === undefined
      ? house(this.profiles)
      : `${house(this.profiles)}\nLanguage: ${said.name}`, this.frame)
  }

  /** A program for the task, by somebody who has seen none. */
  async write (about: About): Promise<Message[]> {
    const { messages } = await fitted(this.talk, writer(about), this.frame)
    return withLast(messages, content => order(content, about, about.entry === undefined
      ? undefined
      : `The program must define \`${about.entry}\`.`))
  }

  /** The program once more, mended. What is wrong is said in the words of the tool that found it. */
  async repair (about: About, program: string, wrong: string): Promise<Message[]> {
    const { messages } = await fitted(this.talk, `${MENDER} ${about.profile.words.style}`, this.frame)
    const now = `This program is not right yet:\n\n${fenced(about.profile, program)}\n\n${wrong}\n\nReply with the whole corrected program.`
    return withLast(messages, content => order(`${content}\n\n${now}`, about))
  }

  /** Tests from the task alone: whoever sees the program writes tests that it passes. */
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

  /** The user's own words: all turns, the last of them whole. */
  #task (): string {
    const turns = this.talk.messages.filter(({ role }) => role === 'user').map(({ content }) => content.trim())
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

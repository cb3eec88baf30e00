// The prompts for a project: the conversation as it is, the plan, one file at a time.
import type { Message } from '../../types.js'
import type { Profile } from '../languages/profile.js'
import { type Frame, fitted, withLast } from '../model/fit.js'
import { fenced, order } from '../model/prompts.js'
import type { Conversation } from '../conversation.js'
import type { Planned } from './plan.js'

const PLANNER = 'You plan small projects: few files, each with one purpose.'
const REPAIRER = 'Say in one sentence what is wrong, then write the complete corrected file in one fenced block.'
const TESTER = 'You work out by hand what a right program returns. Reply with the tests in one fenced block and nothing else.'
const MOST_TASK = 16_000

export class ProjectPrompts {
  constructor (private readonly conversation: Conversation, private readonly frame: Frame) {}

  /** The plan: one line per file, in the order of their dependencies. */
  async plan (layout: string, profile: Profile): Promise<Message[]> {
    const { messages } = await fitted(this.conversation, PLANNER, this.frame)
    const how = 'Which files does it need? Reply with one line a file and nothing else, as `path - purpose - exported signatures`, '
      + 'files that others build on first. For example:'
    return withLast(messages, content => order(
      `${content}\n\nPlan the ${layout}. ${how}\n${profile.words.planned}\n`
      + 'Leave out tests, README and configuration: they are made separately. At most 12 files.',
      { profile }
    ))
  }

  /** One file. The prompt has the signatures of the other files, not their code. */
  async file ({ path, purpose, exports }: Planned, others: readonly string[], profile: Profile | undefined): Promise<Message[]> {
    const system = profile === undefined
      ? 'Write the complete file in one fenced block.'
      : `Write the complete file in one fenced block. ${profile.words.style} Leave nothing out.`
    const { messages } = await fitted(this.conversation, system, this.frame)
    const text = `The project has these files:\n${others.join('\n')}\n\nWrite only this one:\nFile: ${path}\nPurpose: ${purpose}\n`
      + `It exports: ${exports === ''
        ? 'what the others need of it'
        : exports}\n\nImport from the other files as their paths say, and from no files that are not listed; don't repeat their code.`
    return withLast(messages, content => profile === undefined ? `${content}\n\n${text}` : order(`${content}\n\n${text}`, { profile }))
  }

  async repair ({ path }: Planned, program: string, others: readonly string[], wrong: string, profile: Profile): Promise<Message[]> {
    const { messages } = await fitted(this.conversation, `${REPAIRER} ${profile.words.style}`, this.frame)
    return withLast(messages, content => order(
      `${content}\n\nThe project has these files:\n${others.join('\n')}\n\nThis one is not right yet:\nFile: ${path}\n\n${fenced(
        profile,
        program
      )}\n\n${wrong}\n\nReply with the whole corrected file.`,
      { profile }
    ))
  }

  tests ({ path, purpose, exports }: Planned, profile: Profile): Message[] {
    const task = this.conversation.messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content.trim())
      .join('\n\nThen the user asked:\n')
      .slice(0, MOST_TASK)
    const text = `Write up to 6 test cases for this module of it, without seeing its code:\nFile: ${path}\nPurpose: ${purpose}\n`
      + `It exports: ${exports}\n\nBegin with the imports it needs, then ${profile.words.asserts('f')}.`
    return [{ role: 'system', content: TESTER }, { role: 'user', content: order(`Task:\n${task}\n\n${text}`, { profile }) }]
  }
}

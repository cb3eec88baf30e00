// How a reply goes out: what was said already stays, what was held gets its final form, and what is known of it comes last.
import type { AgentEvent, Files } from '../../types.js'
import type { Desk } from '../desk.js'
import type { Subject } from '../draft/candidate.js'
import type { Found, Oracle } from '../draft/search.js'
import type { Profile } from '../languages/profile.js'
import type { Draft } from '../reply/draft.js'
import type { Outlet } from '../reply/outlet.js'
import { below, fileText, filesOf, restOf } from './reply.js'
import { saved } from './saved.js'
import { suiteFor } from './suite.js'
import { verdictOf } from './verdict.js'
import { wordsFor } from './words/choose.js'
import type { Words } from './words/words.js'

const HEADING = '### Verification'

export class Delivery {
  /** All that went out before the first call's text. */
  #notes = ''
  /** The text that is delivered where the first reply was lost. */
  #restarted: string | undefined
  #isReplaced = false
  /** How much of what the reply says went out already: nothing, where what went out turned out to be a thought. */
  #sent = 0

  constructor (private readonly desk: Desk, private readonly outlet: Outlet) {}

  /** What the reader should know before anything else. */
  async * notes (left: number, outlined: readonly string[]): AsyncGenerator<AgentEvent, void> {
    const words = this.#words(this.desk.talk.asked)
    const notes = [
      ...(left > 0 ? [words.left(left)] : []),
      ...(outlined.length > 0 ? [words.outlined(outlined.map(path => `\`${path}\``).join(', '))] : [])
    ]
    this.#notes = notes.map(note => `${note}\n\n`).join('')
    if (this.#notes !== '') yield this.#notes
  }

  /** The first reply is whole. */
  heard (text: string): void {
    const { sent } = this.outlet
    this.#sent = text.startsWith(sent) ? sent.length : 0
  }

  /** The first reply was lost, and this one came in its place. */
  restart (text: string): void { this.#restarted = text }

  /** The first reply's program is not the one that is delivered. */
  replace (): void { this.#isReplaced = true }

  /** As the model wrote it, with nothing added. */
  async * asItCame (reason: 'stop' | 'length'): AsyncGenerator<AgentEvent, void> {
    yield * this.#say(this.#held())
    if (reason === 'length') yield { type: 'finish', reason }
  }

  /** Words, and what is no program of ours. */
  async * words (foreign: string | undefined): AsyncGenerator<AgentEvent, void> {
    const rest = this.#held()
    if (foreign === undefined) return yield * this.#say(rest)
    const words = this.#words(this.outlet.sent + rest)
    yield * this.#say(this.#under(rest, `unverified: ${words.foreign(foreign)}`))
  }

  /** Programs in a language that was not asked for, and there are no others. */
  async * unexamined (draft: Draft, wanted: Profile): AsyncGenerator<AgentEvent, void> {
    const rest = this.#held()
    const got = [...new Set(draft.files.map(({ profile }) => profile.name))].join(', ')
    yield * this.#say(this.#under(rest, `unverified: ${this.#words(this.outlet.sent + rest).otherLanguage(wanted.name, got)}`))
  }

  async * programs (found: Found, subject: Subject, oracle: Oracle, first: Draft): AsyncGenerator<AgentEvent, void> {
    const { candidate } = found.best
    const isFirst = !this.#isReplaced && candidate.draft === first
    const body = isFirst ? restOf(candidate, this.#restarted === undefined ? this.#sent : 0) : filesOf(candidate)
    const lead = (!isFirst || this.#sent === 0) && this.outlet.sent !== '' && !this.outlet.sent.endsWith('\n') ? '\n\n' : ''
    const words = this.#words(this.outlet.sent + body)
    const suite = await suiteFor(found, subject, this.desk)
    const verdict = verdictOf(found, subject, oracle, suite, words)
    const tests = suite === null ? '' : fileText(suite.path, candidate.main.profile.tagOf(suite.path), suite.source)
    const files: Files = { ...candidate.files, ...(suite && { [suite.path]: suite.source }) }
    const places = await saved(this.desk.settings.workspace, this.desk.run.id, files, words)
    this.desk.run.log.debug(
      { run: this.desk.run.id, claim: verdict.claim, calls: this.desk.calls.made, drafts: found.candidates.length, oracle },
      'what came of it'
    )
    yield * this.#say(this.#under(tests === '' ? lead + body : below(lead + body, tests), [...verdict.lines, ...places].join('\n')))
  }

  /** A whole reply that is made here: a project, formatted files. */
  async * whole (text: string, lines: readonly string[], files: Files): AsyncGenerator<AgentEvent, void> {
    const places = await saved(this.desk.settings.workspace, this.desk.run.id, files, this.#words(text))
    yield * this.#say(below(text, `${HEADING}\n${[...lines, ...places].join('\n')}\n`))
  }

  #words (text: string): Words { return wordsFor(text) }

  #held (): string {
    return this.#restarted ?? this.outlet.end()
  }

  #under (text: string, verification: string): string {
    const section = `${HEADING}\n${verification}\n`
    if (text.trim() !== '') return below(text, section)
    return this.outlet.sent === ''
      ? section
      : `${this.outlet.sent.endsWith('\n\n') ? '' : this.outlet.sent.endsWith('\n') ? '\n' : '\n\n'}${section}`
  }

  /** What the reply may take of the caller's max_tokens, cut at a character where it is more. */
  async * #say (text: string): AsyncGenerator<AgentEvent, void> {
    const { backend, maxTokens } = this.desk
    const before = this.#notes + this.outlet.sent
    const fits = async (part: string) => await backend.countTokens([{ role: 'assistant', content: before + part }], maxTokens) <= maxTokens
    if (text === '') return
    // No encoding has more tokens than bytes.
    if (Buffer.byteLength(before + text) <= maxTokens || await fits(text)) {
      yield text
      return
    }
    let [low, high] = [0, text.length]
    while (high - low > 16) {
      const middle = (low + high) >> 1
      if (await fits(text.slice(0, middle))) low = middle
      else high = middle
    }
    yield text.slice(0, low)
    yield { type: 'finish', reason: 'length' }
  }
}

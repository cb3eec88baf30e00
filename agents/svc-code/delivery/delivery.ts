// Sends the reply: text that was sent stays, the text that was held back gets its final form, and the verification comes last.
import type { AgentEvent, Files } from '../../types.js'
import type { RunScope } from '../run-scope.js'
import type { Subject } from '../draft/candidate.js'
import type { SearchResult, Oracle } from '../draft/search.js'
import type { Profile } from '../languages/profile.js'
import type { Draft } from '../reply/draft.js'
import type { Outlet } from '../reply/outlet.js'
import { below, fileText, filesOf, restOf } from './reply-text.js'
import { saved } from './saved.js'
import { suiteFor } from './suite.js'
import { verificationOf } from './verification.js'
import { wordsFor } from './words/choose.js'
import type { Words } from './words/words.js'

const HEADING = '### Verification'

export class Delivery {
  /** The notes that were sent before the text of the first call. */
  #notes = ''
  /** The text to deliver if the first reply could not be used. */
  #restarted: string | undefined
  #isReplaced = false
  /** How many characters of the reply were sent: none, if the text that was sent turned out to be reasoning. */
  #sent = 0

  constructor (private readonly scope: RunScope, private readonly outlet: Outlet) {}

  /** Notes for the reader before the reply: turns that were left out, and files that were cut. */
  async * notes (left: number, outlined: readonly string[]): AsyncGenerator<AgentEvent, void> {
    const words = this.#words(this.scope.conversation.asked)
    const notes = [
      ...(left > 0 ? [words.left(left)] : []),
      ...(outlined.length > 0 ? [words.outlined(outlined.map(path => `\`${path}\``).join(', '))] : [])
    ]
    this.#notes = notes.map(note => `${note}\n\n`).join('')
    if (this.#notes !== '') yield this.#notes
  }

  /** Call it when the first reply is complete. */
  heard (text: string): void {
    const { sent } = this.outlet
    this.#sent = text.startsWith(sent) ? sent.length : 0
  }

  /** Call it if the first reply could not be used, with the reply that replaces it. */
  restart (text: string): void { this.#restarted = text }

  /** Call it if the program to be delivered is not from the first reply. */
  replace (): void { this.#isReplaced = true }

  /** Sends the reply as the model wrote it, with nothing added. */
  async * asItCame (reason: 'stop' | 'length'): AsyncGenerator<AgentEvent, void> {
    yield * this.#say(this.#held())
    if (reason === 'length') yield { type: 'finish', reason }
  }

  /** Sends a reply without a program that can be run here; `foreign` is the language of a program in it, if any. */
  async * words (foreign: string | undefined): AsyncGenerator<AgentEvent, void> {
    const rest = this.#held()
    if (foreign === undefined) return yield * this.#say(rest)
    const words = this.#words(this.outlet.sent + rest)
    yield * this.#say(this.#under(rest, `unverified: ${words.foreign(foreign)}`))
  }

  /** Sends a reply whose programs are all in another language than the requested one. */
  async * unexamined (draft: Draft, wanted: Profile): AsyncGenerator<AgentEvent, void> {
    const rest = this.#held()
    const got = [...new Set(draft.files.map(({ profile }) => profile.name))].join(', ')
    yield * this.#say(this.#under(rest, `unverified: ${this.#words(this.outlet.sent + rest).otherLanguage(wanted.name, got)}`))
  }

  async * programs (found: SearchResult, subject: Subject, oracle: Oracle, first: Draft): AsyncGenerator<AgentEvent, void> {
    const { candidate } = found.best
    const isFirst = !this.#isReplaced && candidate.draft === first
    const body = isFirst ? restOf(candidate, this.#restarted === undefined ? this.#sent : 0) : filesOf(candidate)
    const lead = (!isFirst || this.#sent === 0) && this.outlet.sent !== '' && !this.outlet.sent.endsWith('\n') ? '\n\n' : ''
    const words = this.#words(this.outlet.sent + body)
    const suite = await suiteFor(found, subject, this.scope)
    const verification = verificationOf(found, subject, oracle, suite, words)
    const tests = suite === null ? '' : fileText(suite.path, candidate.main.profile.tagOf(suite.path), suite.source)
    const files: Files = { ...candidate.files, ...(suite && { [suite.path]: suite.source }) }
    const places = await saved(this.scope.settings.workspace, this.scope.run.id, files, words)
    this.scope.run.log.debug(
      { run: this.scope.run.id, claim: verification.claim, calls: this.scope.calls.made, drafts: found.candidates.length, oracle },
      'the reply is verified'
    )
    yield * this.#say(this.#under(tests === '' ? lead + body : below(lead + body, tests), [...verification.lines, ...places].join('\n')))
  }

  /** Sends a reply that svc-code composed itself: a project, or formatted files. */
  async * whole (text: string, lines: readonly string[], files: Files): AsyncGenerator<AgentEvent, void> {
    const places = await saved(this.scope.settings.workspace, this.scope.run.id, files, this.#words(text))
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

  /** Sends text, cut where the reply would exceed the caller's max_tokens. */
  async * #say (text: string): AsyncGenerator<AgentEvent, void> {
    const { backend, maxTokens } = this.scope
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

// Decides, while a reply is being written, which parts of it are sent at once. Text is sent immediately; a part that may be a program
// is held back, because its final form is known only after it was examined.
import type { Profile } from '../languages/profile.js'
import { type Mark, closes, infoOf, markOf, pathLine } from './fences.js'

/** A complete fence. */
export interface ClosedFence { tag: string, path: string | undefined, source: string }

export interface OutletOptions {
  profiles: readonly Profile[]
  /** Whether a complete fence may turn out to be a program when the whole reply is parsed. */
  mayBeProgram (fence: ClosedFence): boolean
}

export interface OutletStep {
  /** The text to send now. */
  text: string
  /** The text that was held back in this step. */
  held: string
}

/** The beginnings of tool calls and tags around programs, which people should not see. */
const WRAPPINGS = ['[PYTHON]', '[INST]', '<tool_call', '<write_to_file', '<file', '<code>', '<content>', '<create_file', '{"', '[{"', '{ "']
/** Tags (or none) that models also use for programs in any language. */
const UNCLEAR = new Set(['', 'text', 'plaintext', 'txt', 'code', 'diff', 'patch', 'console', 'output'])
// A line that is still unclear after this many characters is held until its end.
const LONGEST_START = 200
/** Decoration before a path or a heading, including the numbers of lists. */
const DECORATION = /^(?:\d{1,3}[.)]\s*)?[#*`~_>\s-]*/
const FILE_WORDS = ['file', 'filename', 'path', 'datei', 'archivo', 'fichier']

type State =
  | { type: 'free' }
  | { type: 'line' } // in a line of text, whose rest is sent as it comes
  | { type: 'other', mark: Mark } // in a fence of a language that svc-code does not run
  | { type: 'fence', mark: Mark, tag: string, path: string | undefined, lines: string[] }
  | { type: 'held' } // everything is held back until the end of the reply

export class Outlet {
  #state: State = { type: 'free' }
  /** The unsent part of the current line. */
  #line = ''
  #held = ''
  #heading: string | undefined
  #sent = ''

  constructor (private readonly options: OutletOptions) {}

  /** Everything that was sent. */
  get sent (): string { return this.#sent }

  push (piece: string): OutletStep {
    const passed: OutletStep = { text: '', held: '' }
    for (let start = 0; start < piece.length;) {
      const end = piece.indexOf('\n', start)
      const part = end < 0 ? piece.slice(start) : piece.slice(start, end + 1)
      this.#take(part, end >= 0, passed)
      start += part.length
    }
    this.#sent += passed.text
    return passed
  }

  /** Returns the text that is still held back at the end of the reply. */
  end (): string {
    const rest = this.#held + (this.#state.type === 'line' || this.#state.type === 'other' ? '' : this.#line)
    this.#held = this.#line = ''
    return rest
  }

  #take (part: string, whole: boolean, passed: OutletStep): void {
    this.#line += part
    switch (this.#state.type) {
      case 'line':
      case 'other':
        passed.text += part
        break
      case 'held':
      case 'fence':
        passed.held += part
        break
      case 'free':
        if (!whole && this.#isText()) this.#release(passed, { type: 'line' })
        break
    }
    if (whole) this.#ended(passed)
  }

  /** A line has ended. */
  #ended (passed: OutletStep): void {
    const whole = this.#line
    const line = whole.slice(0, -1)
    const state = this.#state
    this.#line = ''
    switch (state.type) {
      case 'line': this.#state = { type: 'free' }; return
      case 'other': if (closes(line, state.mark)) this.#state = { type: 'free' }; return
      case 'held': this.#held += whole; return
      case 'fence': this.#held += whole; return this.#insideFence(state, line, passed)
      case 'free': this.#line = whole; return this.#free(line, passed)
    }
  }

  #free (line: string, passed: OutletStep): void {
    const mark = markOf(line)
    if (mark) return this.#opens(mark, passed)
    const path = pathLine(line)
    if (path !== undefined || (line.trim() === '' && this.#heading !== undefined)) {
      this.#heading = path ?? this.#heading
      return this.#hold(passed)
    }
    this.#heading = undefined
    if (this.#beginsCode(line)) {
      this.#hold(passed)
      this.#state = { type: 'held' }
    } else this.#release(passed, { type: 'free' })
  }

  #opens (mark: Mark, passed: OutletStep): void {
    const { tag, path: own, code } = infoOf(mark.info)
    const path = own ?? this.#heading
    this.#heading = undefined
    const ours = this.options.profiles.some(({ tags, endings }) => tags.includes(tag)
      || (path !== undefined && endings.some(ending => path.endsWith(ending))))
    if (!ours && !UNCLEAR.has(tag)) return this.#release(passed, { type: 'other', mark })
    this.#hold(passed)
    this.#state = { type: 'fence', mark, tag, path, lines: code === undefined ? [] : [code] }
  }

  #insideFence (state: State & { type: 'fence' }, line: string, passed: OutletStep): void {
    if (!closes(line, state.mark)) {
      state.lines.push(line)
      return
    }
    const { tag, path, lines } = state
    this.#state = { type: 'held' }
    if (!this.options.mayBeProgram({ tag, path, source: lines.join('\n') })) this.#release(passed, { type: 'free' })
  }

  /** Whether the current line, of which only the beginning has come, is certainly text. */
  #isText (): boolean {
    if (this.#heading !== undefined || this.#line.length > LONGEST_START) return false
    const start = this.#line.trimStart()
    if (start === '' || start.startsWith('```') || start.startsWith('~~~')) return false
    const words = start.replace(DECORATION, '')
    const isOneWord = !/\s/.test(words)
    if (isOneWord && (words !== start || /^[a-z][\w@./-]*$/.test(words))) return false // it may become a path
    return !FILE_WORDS.some(word => word.startsWith(words.toLowerCase()) || words.toLowerCase().startsWith(`${word}:`))
      && !this.#mayBegin(start)
  }

  #mayBegin (start: string): boolean {
    return [...WRAPPINGS, ...BEGINNINGS].some(word => word.startsWith(start) || start.startsWith(word))
      || this.options.profiles.some(profile => profile.begins(start))
  }

  #beginsCode (line: string): boolean {
    return WRAPPINGS.some(mark => line.trimStart().startsWith(mark)) || this.options.profiles.some(profile => profile.begins(line))
  }

  #hold (passed: OutletStep): void {
    passed.held += this.#line
    this.#held += this.#line
    this.#line = ''
  }

  #release (passed: OutletStep, state: State): void {
    passed.text += this.#held + this.#line
    this.#held = ''
    if (state.type !== 'line') this.#line = ''
    this.#state = state
  }
}

/** Words at the beginning of a line that may be the beginning of code. */
const BEGINNINGS = [
  'def ', 'class ', 'import ', 'from ', 'async ', 'export ', 'function ', 'const ', 'let ', 'var ', 'interface ', 'type ', 'enum ',
  'abstract ', '@', '#!', '/*', '//', '"""'
]

// Decides, while a reply grows, what of it may go out at once. Text goes out from its first token; what may turn out to be a program of
// ours is held, since its final form is known only when it was examined.
import type { Profile } from '../languages/profile.js'
import { type Mark, closes, infoOf, markOf, pathLine } from './fences.js'

/** A fence that has ended, as the outlet asks about it. */
export interface Seen { tag: string, path: string | undefined, source: string }

export interface Judges {
  profiles: readonly Profile[]
  /** Whether a fence that has ended may be a program of ours when the reply is read as a whole. */
  mayBeProgram (seen: Seen): boolean
}

export interface Passed {
  /** What goes out now. */
  text: string
  /** What was added to that which is held. */
  held: string
}

/** Ways in which tools and templates wrap a program: nothing of it is for people. */
const WRAPPINGS = ['[PYTHON]', '[INST]', '<tool_call', '<write_to_file', '<file', '<code>', '<content>', '<create_file', '{"', '[{"', '{ "']
/** No tag, or one that models also put around what is ours. */
const UNCLEAR = new Set(['', 'text', 'plaintext', 'txt', 'code', 'diff', 'patch', 'console', 'output'])
// A line that is longer and undecided is decided by its end.
const LONGEST_START = 200
/** What dresses up a path or a heading, and the numbers of lists. */
const DECORATION = /^(?:\d{1,3}[.)]\s*)?[#*`~_>\s-]*/
const FILE_WORDS = ['file', 'filename', 'path', 'datei', 'archivo', 'fichier']

type State =
  | { type: 'free' }
  | { type: 'line' } // in a line that is text: the rest of it goes out as it comes
  | { type: 'other', mark: Mark } // in a fence of a language that is not ours
  | { type: 'fence', mark: Mark, tag: string, path: string | undefined, lines: string[] }
  | { type: 'held' } // to the end

export class Outlet {
  #state: State = { type: 'free' }
  /** Of the line that is under way. */
  #line = ''
  #held = ''
  #heading: string | undefined
  #sent = ''

  constructor (private readonly judges: Judges) {}

  /** All that went out. */
  get sent (): string { return this.#sent }

  push (piece: string): Passed {
    const passed: Passed = { text: '', held: '' }
    for (let start = 0; start < piece.length;) {
      const end = piece.indexOf('\n', start)
      const part = end < 0 ? piece.slice(start) : piece.slice(start, end + 1)
      this.#take(part, end >= 0, passed)
      start += part.length
    }
    this.#sent += passed.text
    return passed
  }

  /** What is still held when the reply has ended: it goes out as it is, or as what the examination makes of it. */
  end (): string {
    const rest = this.#held + (this.#state.type === 'line' || this.#state.type === 'other' ? '' : this.#line)
    this.#held = this.#line = ''
    return rest
  }

  #take (part: string, whole: boolean, passed: Passed): void {
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
  #ended (passed: Passed): void {
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

  #free (line: string, passed: Passed): void {
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

  #opens (mark: Mark, passed: Passed): void {
    const { tag, path: own, code } = infoOf(mark.info)
    const path = own ?? this.#heading
    this.#heading = undefined
    const ours = this.judges.profiles.some(({ tags, endings }) => tags.includes(tag)
      || (path !== undefined && endings.some(ending => path.endsWith(ending))))
    if (!ours && !UNCLEAR.has(tag)) return this.#release(passed, { type: 'other', mark })
    this.#hold(passed)
    this.#state = { type: 'fence', mark, tag, path, lines: code === undefined ? [] : [code] }
  }

  #insideFence (state: State & { type: 'fence' }, line: string, passed: Passed): void {
    if (!closes(line, state.mark)) {
      state.lines.push(line)
      return
    }
    const { tag, path, lines } = state
    this.#state = { type: 'held' }
    if (!this.judges.mayBeProgram({ tag, path, source: lines.join('\n') })) this.#release(passed, { type: 'free' })
  }

  /** A line of which only the beginning is there, and which can be nothing but text. */
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
      || this.judges.profiles.some(profile => profile.begins(start))
  }

  #beginsCode (line: string): boolean {
    return WRAPPINGS.some(mark => line.trimStart().startsWith(mark)) || this.judges.profiles.some(profile => profile.begins(line))
  }

  #hold (passed: Passed): void {
    passed.held += this.#line
    this.#held += this.#line
    this.#line = ''
  }

  #release (passed: Passed, state: State): void {
    passed.text += this.#held + this.#line
    this.#held = ''
    if (state.type !== 'line') this.#line = ''
    this.#state = state
  }
}

/** Words at the margin that may begin code when the line is whole. */
const BEGINNINGS = [
  'def ', 'class ', 'import ', 'from ', 'async ', 'export ', 'function ', 'const ', 'let ', 'var ', 'interface ', 'type ', 'enum ',
  'abstract ', '@', '#!', '/*', '//', '"""'
]

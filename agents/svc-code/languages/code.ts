// Scans source text in one pass without backtracking: separates code from string literals and comments.

export interface Syntax {
  /** The sign that begins a line comment. */
  comment: string
  blockComments: boolean
  /** String literals in three quotes. */
  triple: boolean
  /** Templates in backticks, with code in `${}`, and regular expressions in slashes. */
  templates: boolean
}

/**
 * The source with all comments and the contents of string literals replaced by spaces. It has the same length, so places stay the
 * same; line breaks inside string literals and comments are replaced as well.
 */
export function codeOf (source: string, syntax: Syntax): string {
  return new Scanner(source, syntax).run()
}

/** Whether a bracket, a string literal or a comment is still open at the end. */
export function isOpen (source: string, syntax: Syntax): boolean {
  const scanner = new Scanner(source, syntax)
  let depth = 0
  for (const char of scanner.run()) {
    if (char === '(' || char === '[' || char === '{') depth++
    else if (char === ')' || char === ']' || char === '}') depth--
  }
  return depth > 0 || scanner.isOpen
}

// The search for the end of a regular expression stops after this many characters.
const LONGEST_REGEX = 1000

class Scanner {
  #at = 0
  #out: string[] = []
  /** The depths of braces at which template literals continue. */
  readonly #templates: number[] = []
  #depth = 0
  #last = ''
  #word = ''
  /** A string literal or a comment is not closed. */
  isOpen = false

  constructor (private readonly source: string, private readonly syntax: Syntax) {}

  run (): string {
    while (this.#at < this.source.length) this.#step()
    return this.#out.join('')
  }

  #step (): void {
    const { source, syntax } = this
    const char = source[this.#at] ?? ''
    if (source.startsWith(syntax.comment, this.#at)) return this.#blank(this.#lineEnd())
    if (syntax.blockComments && source.startsWith('/*', this.#at)) return this.#blank(this.#after('*/', this.#at + 2))
    if (char === '"' || char === "'") return this.#text(char)
    if (syntax.templates && char === '`') return this.#template(this.#at + 1)
    if (syntax.templates && char === '/' && this.#mayBeRegex()) return this.#regex()
    if (char === '{') this.#depth++
    if (char === '}' && --this.#depth === this.#templates.at(-1)) {
      this.#templates.pop()
      return this.#template(this.#at + 1)
    }
    this.#put(char)
  }

  #put (char: string): void {
    this.#out.push(char)
    this.#at++
    if (char === ' ' || char === '\t' || char === '\n') return
    this.#word = isWordSign(char) ? (isWordSign(this.source[this.#at - 2]) ? this.#word + char : char) : ''
    this.#last = char
  }

  #text (quote: string): void {
    const triple = quote.repeat(3)
    if (this.syntax.triple && this.source.startsWith(triple, this.#at)) return this.#quoted(this.#closing(triple, this.#at + 3, true))
    this.#quoted(this.#closing(quote, this.#at + 1, false))
  }

  /** The index after the closing quote; the end of the line if there is none. */
  #closing (quote: string, from: number, lines: boolean): number {
    for (let at = from; at < this.source.length; at++) {
      const char = this.source[at]
      if (char === '\\') at++
      else if (char === '\n' && !lines) return at
      else if (this.source.startsWith(quote, at)) return at + quote.length
    }
    this.isOpen = true
    return this.source.length
  }

  #quoted (end: number): void {
    const first = this.source[this.#at] ?? ''
    const quote = '"\'`/'.includes(first) ? first : '"'
    const length = end - this.#at
    this.#out.push(length < 2 ? quote : `${quote}${' '.repeat(length - 2)}${quote}`)
    this.#at = end
    this.#last = quote
    this.#word = ''
  }

  /** Reads a template literal up to its next piece of code, or to its end. */
  #template (from: number): void {
    let at = from
    for (; at < this.source.length; at++) {
      const char = this.source[at]
      if (char === '\\') at++
      else if (char === '`') return this.#quoted(at + 1)
      else if (char === '$' && this.source[at + 1] === '{') break
    }
    const end = Math.min(at + 2, this.source.length)
    this.#out.push('"', ' '.repeat(Math.max(0, end - this.#at - 1)))
    this.#at = end
    this.isOpen ||= at >= this.source.length
    if (at >= this.source.length) return
    this.#templates.push(this.#depth)
    this.#depth++
    this.#last = '('
  }

  /** Whether a slash can begin a regular expression: it cannot after an operand, where it is a division. */
  #mayBeRegex (): boolean {
    return this.#last === '' || '(,=:[!&|?{};+-*%<>~^'.includes(this.#last) || ['return', 'typeof', 'case', 'of', 'in'].includes(this.#word)
  }

  #regex (): void {
    let inClass = false
    for (let at = this.#at + 1; at < Math.min(this.source.length, this.#at + LONGEST_REGEX); at++) {
      const char = this.source[at]
      if (char === '\n') break
      if (char === '\\') at++
      else if (char === '[') inClass = true
      else if (char === ']') inClass = false
      else if (char === '/' && !inClass) return this.#quoted(at + 1)
    }
    this.#put('/')
  }

  #blank (end: number): void {
    this.#out.push(' '.repeat(end - this.#at))
    this.#at = end
  }

  #lineEnd (): number {
    const end = this.source.indexOf('\n', this.#at)
    return end < 0 ? this.source.length : end
  }

  #after (mark: string, from: number): number {
    const end = this.source.indexOf(mark, from)
    this.isOpen ||= end < 0
    return end < 0 ? this.source.length : end + mark.length
  }
}

/** The lines of code, each with the depth of brackets at its beginning. */
export function * linesOf (code: string): Generator<{ start: number, end: number, depth: number }> {
  let depth = 0
  let [start, at, atStart] = [0, 0, 0]
  for (; at < code.length; at++) {
    const char = code[at] ?? ''
    if (char === '(' || char === '[' || char === '{') depth++
    else if (char === ')' || char === ']' || char === '}') depth = Math.max(0, depth - 1)
    else if (char === '\n') {
      yield { start, end: at, depth: atStart }
      start = at + 1
      atStart = depth
    }
  }
  yield { start, end: at, depth: atStart }
}

/** The word that begins at an index; empty if there is none. */
export function wordAt (text: string, start = 0): string {
  let end = start
  while (end < text.length && isWordSign(text[end])) end++
  return text.slice(start, end)
}

function isWordSign (char: string | undefined): boolean {
  return char !== undefined && /[\w$]/.test(char)
}

const WORD = /[A-Za-z_$][\w$]*/g

/** The names that code uses, except those after a dot. */
export function wordsIn (code: string): Set<string> {
  const found = new Set<string>()
  for (const match of code.matchAll(WORD)) if (code[match.index - 1] !== '.' || code[match.index - 2] === '.') found.add(match[0])
  return found
}

/** The parts between a bracket and its closing bracket, separated by commas. */
export function partsBetween (code: string, open: number): string[] {
  const parts: string[] = []
  let [depth, start] = [0, open + 1]
  for (let at = open; at < code.length; at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    if ((char === ',' && depth === 1) || depth === 0) {
      parts.push(code.slice(start, at))
      start = at + 1
    }
    if (depth === 0) break
  }
  return parts
}

/** Whether the code contains one of these signs, outside of string literals and comments. */
export function hasSign (source: string, signs: readonly string[], syntax: Syntax): boolean {
  const code = codeOf(source, syntax)
  return signs.some(sign => code.includes(sign))
}

/** As many empty lines as the text has, so that line numbers in error messages stay right. */
export function emptied (text: string): string {
  return '\n'.repeat(text.split('\n').length - 1)
}

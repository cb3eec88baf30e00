// Splits a reply into text and fences. The raw texts of all parts, joined, are the reply.

export interface TextPart { type: 'text', raw: string }

export interface FencePart {
  type: 'fence'
  /** The whole fence, including the line with its path before it, if any. */
  raw: string
  /** The word after the opening mark, in lower case, such as `python`; it may be empty. */
  tag: string
  /** The path, from the line before the fence, its opening line, or its first line inside. */
  path: string | undefined
  /** The lines inside, without the fence's own indentation. */
  source: string
  closed: boolean
}

export type Part = TextPart | FencePart

/** The mark of a fence at the beginning of a line: its indentation, its characters, what follows. */
export interface Mark { indent: string, mark: string, info: string }

const OPENS = /^([ \t]*(?:[-*+>][ \t]+|\d{1,3}[.)][ \t]+)?)(`{3,}|~{3,})/
const LONGEST_LINE = 300

export function markOf (line: string): Mark | undefined {
  const start = line.slice(0, LONGEST_LINE)
  const match = OPENS.exec(start)
  if (!match) return undefined
  const [all, indent = '', mark = ''] = match
  const info = start.slice(all.length)
  // Three backticks with another backtick on the same line are inline code.
  return mark.startsWith('`') && info.includes('`') ? undefined : { indent, mark, info: info.trim() }
}

/** Whether a line ends the fence that a mark began. */
export function closes (line: string, open: Mark): boolean {
  const found = markOf(line)
  return found !== undefined && found.info === '' && found.mark[0] === open.mark[0] && found.mark.length >= open.mark.length
}

/** Reads a whole reply. */
export function partsOf (reply: string): Part[] {
  const reader = new Reader()
  for (const line of linesOf(reply)) reader.take(line)
  return reader.end()
}

/** The lines of a text, each with its line break. */
function * linesOf (text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end + 1
    yield text.slice(start, next)
    start = next
  }
}

interface Open { mark: Mark, raw: string, lines: string[], path: string | undefined, tag: string }

class Reader {
  readonly #parts: Part[] = []
  #text = ''
  /** A line with a path, and the blank lines after it: a fence may follow. */
  #heading: { raw: string, path: string } | undefined
  #open: Open | undefined

  take (whole: string): void {
    const line = whole.endsWith('\n') ? whole.slice(0, -1) : whole
    if (this.#open) return this.#inside(this.#open, line, whole)
    const mark = markOf(line)
    if (mark) return this.#begin(mark, whole)
    if (this.#heading && line.trim() === '') {
      this.#heading.raw += whole
      return
    }
    this.#plain()
    const path = pathLine(line)
    if (path !== undefined) this.#heading = { raw: whole, path }
    else this.#text += whole
  }

  end (): Part[] {
    if (this.#open) this.#close(this.#open, false)
    this.#plain()
    this.#flush()
    return this.#parts
  }

  #begin (mark: Mark, whole: string): void {
    const { tag, path, code } = infoOf(mark.info)
    const raw = (this.#heading?.raw ?? '') + whole
    this.#open = { mark, raw, lines: code === undefined ? [] : [code], tag, path: path ?? this.#heading?.path }
    this.#heading = undefined
    this.#flush()
  }

  #inside (open: Open, line: string, whole: string): void {
    if (closes(line, open.mark)) {
      open.raw += whole
      return this.#close(open, true)
    }
    // If a fence begins inside a fence of three marks, the outer one was never closed.
    const other = open.mark.mark.length === 3 ? markOf(line) : undefined
    if (other && other.info !== '' && other.mark === open.mark.mark) {
      this.#close(open, false)
      return this.#begin(other, whole)
    }
    open.raw += whole
    if (open.mark.mark === '```' && line.endsWith('```') && line.indexOf('`') === line.length - 3) {
      open.lines.push(line.slice(0, -3))
      return this.#close(open, true)
    }
    open.lines.push(line)
  }

  #close (open: Open, closed: boolean): void {
    this.#open = undefined
    const source = undented(open.lines, open.mark.indent)
    this.#parts.push({ type: 'fence', raw: open.raw, tag: open.tag, path: open.path ?? firstLinePath(source), source, closed })
  }

  /** No fence follows, so the line with a path was text. */
  #plain (): void {
    this.#text += this.#heading?.raw ?? ''
    this.#heading = undefined
  }

  #flush (): void {
    if (this.#text !== '') this.#parts.push({ type: 'text', raw: this.#text })
    this.#text = ''
  }
}

function undented (lines: readonly string[], indent: string): string {
  const width = indent.length
  if (width === 0) return lines.join('\n')
  return lines.map(line => line.slice(Math.min(width, line.length - line.trimStart().length))).join('\n')
}

const STARTS = [
  'async def ', 'def ', 'class ', 'import ', 'from ', 'export ', 'function ', 'const ', 'let ', 'interface ', 'type ', '@', '#', '//'
]

/** Reads the opening line of a fence: `python`, `py title="x.py"`, `python:src/x.py`, `src/x.py`, or code on the same line. */
export function infoOf (info: string): { tag: string, path: string | undefined, code: string | undefined } {
  const inner = info.startsWith('{') ? info.slice(1) : info
  const text = inner.startsWith('.') ? inner.slice(1) : inner
  const end = text.search(/[\s:,{]/)
  const word = end < 0 ? text : text.slice(0, end)
  const rest = end < 0 ? '' : text.slice(end + 1).trimStart()
  if (!word.includes('.') && STARTS.some(start => rest.startsWith(start))) return { tag: word.toLowerCase(), path: undefined, code: rest }
  const path = [word, ...rest.split(/[\s"'=,}]/)].find(isPath)
  const tag = isPath(word) ? word.slice(word.lastIndexOf('.') + 1) : word
  return { tag: tag.toLowerCase(), path, code: undefined }
}

const SEGMENT = /^[\w@.()[\]-]+$/
const ENDING = /\.[A-Za-z]\w{1,9}$|\.[chrdmv]$/
const NAMES = new Set([
  'Dockerfile', 'Makefile', 'Procfile', 'Containerfile', 'Jenkinsfile', 'Vagrantfile', '.gitignore', '.dockerignore', '.env'
])
/** Products whose names look like file names: `## Node.js` is a heading. */
const PRODUCTS = new Set([
  'node.js', 'vue.js', 'next.js', 'nuxt.js', 'express.js', 'three.js', 'react.js', 'd3.js', 'discord.js', 'discord.py'
])
const LONGEST_PATH = 200

/** Whether a text is certainly the path of a file. */
export function isPath (text: string): boolean {
  if (text.length > LONGEST_PATH || PRODUCTS.has(text.toLowerCase())) return false
  const segments = text.split('/')
  const last = segments.at(-1) ?? ''
  return segments.every(segment => SEGMENT.test(segment)) && (NAMES.has(last) || ENDING.test(last))
}

const DECORATION = new Set('#*`_:"\'()[]>- \t')
const WORDS = ['file', 'filename', 'path', 'file name', 'datei', 'archivo', 'fichier']

/** The path, if a line contains a path and nothing else: `### src/x.ts`, `**x.py**`, `File: x.py`, "`x.py`:". */
export function pathLine (line: string): string | undefined {
  if (line.length > LONGEST_PATH + 40) return undefined
  let text = stripped(line)
  const colon = text.indexOf(':')
  if (colon > 0 && WORDS.includes(text.slice(0, colon).trim().toLowerCase())) text = stripped(text.slice(colon + 1))
  return isPath(text) ? text : undefined
}

function stripped (text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && DECORATION.has(text[start] ?? '')) start++
  while (end > start && DECORATION.has(text[end - 1] ?? '')) end--
  return text.slice(start, end)
}

const COMMENTS = ['#', '//', '<!--', '/*', '--']

/** The path in a comment on the first line: `# src/x.py`. */
function firstLinePath (source: string): string | undefined {
  const line = source.slice(0, LONGEST_PATH + 40).split('\n').find(each => each.trim() !== '')?.trim() ?? ''
  const comment = COMMENTS.find(mark => line.startsWith(mark))
  if (comment === undefined || line.startsWith('#!')) return undefined
  let text = line.slice(comment.length).replace('-->', '').replace('*/', '').trim()
  const colon = text.indexOf(':')
  if (colon > 0 && WORDS.includes(text.slice(0, colon).trim().toLowerCase())) text = text.slice(colon + 1).trim()
  return isPath(text) ? text : undefined
}

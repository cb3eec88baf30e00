// Scans expressions without a parser: it knows brackets and string literals, and nothing else of a language.

/** The pieces of a text with their depth in brackets: string literals as a whole, everything else character by character. */
function * pieces (text: string, from = 0): Generator<{ piece: string, at: number, depth: number }> {
  let depth = 0
  for (let at = from; at < text.length;) {
    const end = endOfText(text, at)
    const piece = text.slice(at, end)
    if (piece === ')' || piece === ']' || piece === '}') depth--
    yield { piece, at, depth }
    if (piece === '(' || piece === '[' || piece === '{') depth++
    at = end
  }
}

/** The index after the string literal that begins at `start`, or after one character if none does. */
function endOfText (text: string, start: number): number {
  const quote = text[start] ?? ''
  if (quote === '\\') return Math.min(start + 2, text.length)
  if (quote !== '"' && quote !== "'" && quote !== '`') return start + 1
  const mark = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote
  for (let at = start + mark.length; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '\n' && mark.length === 1 && quote !== '`') break
    else if (text.startsWith(mark, at)) return at + mark.length
  }
  return start + 1
}

// Longer expressions are no examples. The bound also keeps a text of nothing but open brackets from taking quadratic time.
const LONGEST = 5000
const MOST_CALLS = 200

/** The index after the bracket that closes the one at `open`; -1 if there is none. */
export function closing (text: string, open: number): number {
  for (const { piece, at, depth } of pieces(text.slice(0, open + LONGEST), open)) {
    if (depth === 0 && at > open && ')]}'.includes(piece)) return at + 1
  }
  return -1
}

/** Splits at a separator, except inside brackets and string literals. */
export function split (text: string, separator: string | RegExp): string[] {
  const parts: string[] = []
  let start = 0
  const lengthAt = typeof separator === 'string'
    ? (at: number) => text.startsWith(separator, at) ? separator.length : 0
    : matcher(text, new RegExp(separator.source, 'y'))
  for (const { at, depth } of pieces(text.slice(0, LONGEST))) {
    if (depth !== 0 || at < start) continue
    const length = lengthAt(at)
    if (length === 0) continue
    parts.push(text.slice(start, at))
    start = at + length
  }
  parts.push(text.slice(start))
  return parts
}

function matcher (text: string, sticky: RegExp): (at: number) => number {
  return at => {
    sticky.lastIndex = at
    return sticky.exec(text)?.[0].length ?? 0
  }
}

export function isBalanced (text: string): boolean {
  if (text.length > LONGEST) return false
  let open = 0
  for (const { piece, depth } of pieces(text)) {
    open = depth + ('([{'.includes(piece) ? 1 : 0)
    if (depth < 0) return false
  }
  return open === 0
}

/** The calls of a function in a text, each from its name to the closing bracket. */
export function * callsOf (text: string, name: string): Generator<{ start: number, end: number, source: string }> {
  let count = 0
  for (let at = text.indexOf(`${name}(`); at >= 0 && count < MOST_CALLS; at = text.indexOf(`${name}(`, at + 1)) {
    if (isNameSign(text[at - 1])) continue
    count++
    const start = text.slice(Math.max(0, at - 4), at) === 'new ' ? at - 4 : at
    const end = closing(text, at + name.length)
    if (end > 0) yield { start, end, source: text.slice(start, end) }
  }
}

function isNameSign (char: string | undefined): boolean {
  return char !== undefined && /[\w$.]/.test(char)
}

// Reading expressions without a parser of the language: brackets and texts are kept together, nothing else is understood.

const STEP = /\\.|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[\s\S]/y

/** The pieces of a text at the outer level: texts whole, all else a character each. */
function * pieces (text: string, from = 0): Generator<{ piece: string, at: number, depth: number }> {
  let depth = 0
  for (STEP.lastIndex = from; STEP.lastIndex < text.length;) {
    const at = STEP.lastIndex
    const piece = STEP.exec(text)?.[0]
    if (piece === undefined) return
    const next = STEP.lastIndex
    if (/^[)\]}]$/.test(piece)) depth--
    yield { piece, at, depth }
    if (/^[([{]$/.test(piece)) depth++
    STEP.lastIndex = next
  }
}

// An example that is longer is none; and a text of nothing but open brackets is not read to its end for each.
const LONGEST = 5000
const MOST_CALLS = 200

/** The index after the bracket that closes the one at `open`; -1 where none does. */
export function closing (text: string, open: number): number {
  for (const { piece, at, depth } of pieces(text.slice(0, open + LONGEST), open)) if (depth === 0 && at > open && /^[)\]}]$/.test(piece)) return at + 1
  return -1
}

/** Splits at a separator that is inside of no bracket and no text. */
export function split (text: string, separator: RegExp): string[] {
  const parts: string[] = []
  let start = 0
  const sticky = new RegExp(separator.source, 'y')
  for (const { at, depth } of pieces(text)) {
    if (depth !== 0 || at < start) continue
    sticky.lastIndex = at
    const found = sticky.exec(text)
    if (!found) continue
    parts.push(text.slice(start, at))
    start = at + found[0].length
  }
  parts.push(text.slice(start))
  return parts
}

export function isBalanced (text: string): boolean {
  let last = 0
  for (const { piece, depth } of pieces(text)) {
    last = depth + (/^[([{]$/.test(piece) ? 1 : 0)
    if (depth < 0) return false
  }
  return last === 0
}

/** The calls of a function in a text: from its name to the bracket that closes its arguments. */
export function * callsOf (text: string, name: string): Generator<{ start: number, end: number, source: string }> {
  const pattern = new RegExp(`(?<![\\w$.])(?:new\\s+)?${name.replaceAll('$', '\\$')}(?=\\()`, 'g')
  for (const match of [...text.matchAll(pattern)].slice(0, MOST_CALLS)) {
    const end = closing(text, match.index + match[0].length)
    if (end > 0) yield { start: match.index, end, source: text.slice(match.index, end) }
  }
}

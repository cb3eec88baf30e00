// JSON.parse takes 2 s for 8 MiB of brackets and blocks the event loop meanwhile. So JSON from outside is measured before
// it is parsed: in one pass, which stops at the first bound that is exceeded and is faster than the parser on any text.

export const MOST_LEVELS = 200
export const MOST_VALUES = 100_000

const TOO_MANY = `holds more than ${MOST_VALUES.toLocaleString('en')} values`

const QUOTE = 0x22
const COMMA = 0x2C
const BACKSLASH = 0x5C
const SPACE = 0x20
const OPENING_BRACKET = 0x5B
const CLOSING_BRACKET = 0x5D
const OPENING_BRACE = 0x7B
const CLOSING_BRACE = 0x7D

/**
 * Which bound a JSON text exceeds, as the rest of a sentence that begins with "The body"; undefined if it exceeds none.
 * Objects, arrays, strings, numbers and literals count as values, the names of fields do not. Invalid JSON is not detected here.
 */
export function beyondBounds (json: string): string | undefined {
  let levels = 0
  let values = 1
  let isJustOpened = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code <= SPACE) continue
    if (code === CLOSING_BRACKET || code === CLOSING_BRACE) {
      levels--
      isJustOpened = false
      continue
    }
    if (isJustOpened) values++ // an array of n values has n - 1 commas
    isJustOpened = false
    if (code === QUOTE) at = endOfString(json, at)
    else if (code === COMMA) values++
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      isJustOpened = true
      levels++
      if (levels > MOST_LEVELS) return `nests deeper than ${MOST_LEVELS} levels`
    } else continue
    if (values > MOST_VALUES) return TOO_MANY
  }
  return values > MOST_VALUES ? TOO_MANY : undefined
}

// How many characters of a string are read one by one before indexOf searches for its end, which is faster for long strings only.
const NEAR = 64

/** The place of the closing quote of the string that begins at `start`; the end of the text if the string is not closed. */
function endOfString (json: string, start: number): number {
  let near = start + NEAR
  for (let at = start + 1; at < json.length; at++) {
    if (at > near) {
      at = json.indexOf('"', at)
      if (at < 0) return json.length
      if (!isEscaped(json, at)) return at
      near = at + NEAR
      continue
    }
    const code = json.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return json.length
}

/** Whether the character at a place is escaped: an odd number of backslashes comes before it. */
function isEscaped (json: string, place: number): boolean {
  let at = place
  while (json.charCodeAt(at - 1) === BACKSLASH) at--
  return (place - at) % 2 === 1
}

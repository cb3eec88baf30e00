// JSON.parse takes 2 s for 8 MiB of brackets, and nothing else is done meanwhile. What a stranger sent is measured
// before it is parsed: one pass, which ends where a bound is passed and is quicker than the parser on any text.

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
 * Which bound a JSON text passes, in words that go on after its name; undefined where it passes none. An object, an array
 * and each of what they hold are a value each; names are none. Whether the text is JSON at all is the parser's to say.
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

// How far a string is read letter by letter before the system is asked for its end, which pays for long ones only.
const NEAR = 64

/** Where a string ends that begins at a quote; the end of the text where it does not. */
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

/** Whether the number of backslashes before a place is odd. */
function isEscaped (json: string, place: number): boolean {
  let at = place
  while (json.charCodeAt(at - 1) === BACKSLASH) at--
  return (place - at) % 2 === 1
}

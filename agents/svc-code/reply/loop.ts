// A small model that has lost its way says the same thing for ever.
const WINDOW = 4000
const EVERY = 200
const REPEATS = 10
const LEAST = 600
// Rows of zeros and rules of dashes are no loop yet.
const SHORT = 8
const LEAST_SHORT = 2000

/** Watches a stream: tells when its end only repeats itself. */
export class LoopWatch {
  #tail = ''
  #fresh = 0

  push (fragment: string): boolean {
    this.#tail = (this.#tail + fragment).slice(-WINDOW)
    this.#fresh += fragment.length
    if (this.#fresh < EVERY) return false
    this.#fresh = 0
    return repeats(this.#tail)
  }
}

/** Whether some end of the text is one piece over and over. By the prefix function of the reversed text: linear. */
export function repeats (text: string): boolean {
  const length = text.length
  const borders = new Uint16Array(length)
  for (let end = 1, border = 0; end < length; end++) {
    const code = text.charCodeAt(length - 1 - end)
    while (border > 0 && code !== text.charCodeAt(length - 1 - border)) border = borders[border - 1] ?? 0
    if (code === text.charCodeAt(length - 1 - border)) border++
    borders[end] = border
    const period = end + 1 - border
    if (end + 1 >= Math.max(period < SHORT ? LEAST_SHORT : LEAST, REPEATS * period)) return true
  }
  return false
}

/** The text with a repeated end cut down to one of its pieces. */
export function withoutLoop (text: string): string {
  const lines = text.split('\n')
  for (let size = 1; size <= 12; size++) {
    let end = lines.length
    while (end - 2 * size >= 0 && same(lines, end - size, end - 2 * size, size)) end -= size
    if (lines.length - end >= 4 * size) return lines.slice(0, end).join('\n')
  }
  return text
}

function same (lines: readonly string[], left: number, right: number, size: number): boolean {
  for (let i = 0; i < size; i++) if (lines[left + i] !== lines[right + i]) return false
  return true
}

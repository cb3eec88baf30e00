// Detects a model that repeats the same text without end, as small models sometimes do.
const WINDOW = 4000
const EVERY = 200
const REPEATS = 10
const LEAST = 600
// Repetitions of a few characters, such as rows of zeros or dashes, must be longer to count as a loop.
const SHORT = 8
const LEAST_SHORT = 2000

/** Watches a stream; `push` returns true when its end only repeats itself. */
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

/** Whether the end of the text is one piece repeated. Uses the prefix function of the reversed text, in linear time. */
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

/** The text of a model that was stopped in a loop, cut to the first repetition. The last line is dropped: it may be half of one. */
export function withoutLoop (text: string): string {
  const lines = text.split('\n').slice(0, -1)
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

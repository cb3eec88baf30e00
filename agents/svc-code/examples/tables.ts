// Reads examples in Markdown tables.
import type { Assertion } from '../languages/profile.js'
import { type Called, example, linesOf } from './called.js'
import { wholeValue } from './literals.js'

/** Reads tables with a column for each parameter and one for the result. */
export function tableExamples (text: string, called: Called): Assertion[] {
  const lines = linesOf(text)
  const found: Assertion[] = []
  for (const [at, line] of lines.entries()) {
    if (!/^\s*(?:\|\s*)?:?-{2,}/.test(line) || !line.includes('-')) continue
    const columns = cellsOf(lines[at - 1] ?? '').map(cell => lettersOf(cell))
    const { parameters } = called
    if (columns.length < 2 || parameters === undefined || columns.length !== parameters.length + 1) continue
    const order = parameters.map(parameter => columns.indexOf(lettersOf(parameter)))
    const places = order.every(place => place >= 0)
      ? order
      : order.every(place => place < 0) || parameters.length === 1 ? parameters.map((_, index) => index) : undefined
    if (places === undefined) continue
    const result = columns.findIndex((_, index) => !places.includes(index))
    for (const row of lines.slice(at + 1)) {
      const cells = cellsOf(row)
      if (cells.length !== columns.length) break
      const values = cells.map(cell => wholeValue(cell, called.profile))
      const args = places.map(place => values[place])
      const wanted = values[result]
      if (wanted !== undefined && args.every(arg => arg !== undefined)) found.push(example(args, wanted, called))
    }
  }
  return found
}

function cellsOf (line: string): string[] {
  const text = line.trim()
  if (!text.includes('|')) return []
  return text.replace(/^\||\|$/g, '').split('|').map(cell => cell.trim())
}

function lettersOf (text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\d_]/gu, '')
}

// Reads asserts of any test style as a call and its expected result. This file has what is common to all languages.
import type { Assertion } from '../languages/profile.js'
import { closing, isBalanced, split } from './scan.js'

const BEGINS = ['assert', 'self.assert', 'expect(', 'console.assert(', 'with pytest.raises(', 'with self.assertRaises(']
const TESTS = ['it(', 'test(', 'Deno.test(']
const PROMPT = '>>> '
const MOST_LINES = 30
const LONGEST = 2000
const MOST_READ = 60_000

/** Finds the asserts in a text, over several lines if their brackets are open, and reads each with the language's own function. */
export function assertionsOf (text: string, read: (statement: string) => Assertion | undefined): Assertion[] {
  return statementsIn(text.slice(0, MOST_READ)).flatMap(statement => {
    const found = read(statement)
    return found && found.expression.length < LONGEST && isBalanced(found.expression) ? [found] : []
  })
}

function statementsIn (text: string): string[] {
  const lines = text.split('\n')
  const found: string[] = []
  for (let at = 0; at < lines.length; at++) {
    let statement = beginOf(lines[at] ?? '')
    if (!BEGINS.some(begin => statement.startsWith(begin))) continue
    const joins = statement.startsWith('with ') ? 1 : 0
    for (let more = 0; (more < joins || !isBalanced(withoutComment(statement)))
      && more < MOST_LINES
      && statement.length < LONGEST
      && at + 1 < lines.length; more++) {
      statement += `\n${lines[++at] ?? ''}`
    }
    found.push(statement.trim())
  }
  return found
}

/** A line without its indentation, the prompt `>>>`, or the beginning of a test on the same line. */
function beginOf (line: string): string {
  const text = line.trimStart()
  if (text.startsWith(PROMPT)) return text.slice(PROMPT.length)
  if (!TESTS.some(test => text.startsWith(test))) return text
  const inner = Math.max(text.indexOf('expect('), text.indexOf('assert'))
  if (inner < 0 || !text.slice(0, inner).includes('=>')) return text
  const end = text.trimEnd()
  return text.slice(inner, end.endsWith('});') ? end.length - 3 : end.endsWith('})') ? end.length - 2 : end.length)
}

export function withoutComment (text: string): string {
  // eslint-disable-next-line regexp/no-super-linear-move -- it is tried at one place at a time, in a text that is bounded
  return split(text, /\s?(?:#|\/\/)(?!=)[^\n]*$/)[0] ?? text
}

export function argumentsOf (text: string, open: number): string[] {
  const end = closing(text, open)
  return end < 0 ? [] : split(text.slice(open + 1, end - 1), ',').map(argument => argument.trim()).filter(argument => argument !== '')
}

export function unwrap (text: string): string {
  return text.startsWith('(') && closing(text, 0) === text.length ? text.slice(1, -1).trim() : text
}

export function comparison (claim: string, equals: readonly RegExp[]): Assertion | undefined {
  if (claim === '') return undefined
  for (const sign of equals) {
    const [left, right, ...more] = split(claim, sign)
    if (left === undefined || right === undefined) continue
    // A chain of comparisons, or one with "and", is taken as a whole: it must be true.
    if (more.length > 0 || split(claim, /\b(?:and|or)\b|&&|\|\|/).length > 1) return { expression: claim, wanted: { type: 'true' } }
    return sides(left.trim(), right.trim())
  }
  return { expression: claim, wanted: { type: 'true' } }
}

/** Two sides of a comparison: the side with a call is the one under test. */
export function sides (left: string, right: string): Assertion {
  const [expression, source] = /\w\s?\(/.test(left) || !/^\w[\w.]*\s?\(/.test(right) ? [left, right] : [right, left]
  const approx = ['approx(', 'pytest.approx('].find(call => source.startsWith(call) && source.endsWith(')'))
  if (approx === undefined) return { expression, wanted: { type: 'value', source: source.trim() } }
  const [value = source, ...settings] = split(source.slice(approx.length, -1), ',')
  const tolerance = Number(/abs\s?=\s?([\d.e-]+)/.exec(settings.join(','))?.[1] ?? Math.abs(Number(value)) * 1e-6)
  return { expression, wanted: { type: 'value', source: value.trim() }, ...(Number.isFinite(tolerance) && { tolerance }) }
}

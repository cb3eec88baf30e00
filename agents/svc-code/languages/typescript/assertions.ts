import { argumentsOf, assertionsOf, comparison, sides, unwrap, withoutComment } from '../../examples/asserts.js'
import { closing, isBalanced } from '../../examples/scan.js'
import type { Assertion } from '../profile.js'

/** Reads the asserts of node:assert, Deno, chai and console, and the matchers of jest, vitest and bun. */
export function assertionsIn (text: string): Assertion[] {
  return assertionsOf(text, assertion)
}

function assertion (statement: string): Assertion | undefined {
  const text = withoutEnd(withoutComment(statement).trim())
  const expected = text.startsWith('expect(') ? expectation(text) : undefined
  if (expected) return expected
  const call = /^(?:console\.)?assert(?:\.?(\w+))?\(/.exec(text)
  if (!call) return undefined
  const [first, second] = argumentsOf(text, call[0].length - 1)
  if (first === undefined) return undefined
  switch (call[1]) {
    case undefined: case 'ok': return comparison(unstringified(unwrap(first)), [/={2,3}/])
    case 'equal': case 'strictEqual': case 'deepEqual': case 'deepStrictEqual':
    case 'Equals': case 'Equal': case 'StrictEquals': case 'same':
      return second === undefined ? undefined : sides(first, second)
    case 'throws': case 'Throws': return { expression: thrown(first), wanted: { type: 'raises', name: errorName(second) } }
    default: return undefined
  }
}

/** A statement without the end of the test around it: `...; });`. */
function withoutEnd (text: string): string {
  const line = text.endsWith(';') ? text.slice(0, -1).trimEnd() : text
  const inner = line.endsWith('})') && !isBalanced(line) ? line.slice(0, -2).trimEnd() : ''
  return inner.endsWith(';') ? inner.slice(0, -1).trimEnd() : line
}

function errorName (text: string | undefined): string | undefined {
  return text !== undefined && /^[A-Z]\w*$/.test(text) ? text : undefined
}

function expectation (text: string): Assertion | undefined {
  const end = closing(text, 'expect'.length)
  const subject = end > 0 ? text.slice('expect('.length, end - 1).trim() : ''
  const matcher = /^(\.not)?\.(?:to\.)?(?:be\.|deep\.)?(\w+)(?=\(|$)/.exec(text.slice(end))
  if (subject === '' || !matcher) return undefined
  const [argument, places] = argumentsOf(text.slice(end), matcher[0].length)
  const no = matcher[1] !== undefined
  const value = (source: string): Assertion => ({ expression: subject, wanted: { type: 'value', source } })
  switch (matcher[2]) {
    case 'toBe': case 'toEqual': case 'toStrictEqual': case 'equal': case 'eql': case 'deepEqual':
      return argument === undefined || no ? undefined : sides(subject, argument)
    case 'toBeCloseTo':
      return argument === undefined || no ? undefined : { ...sides(subject, argument), tolerance: 0.5 * 10 ** -Number(places ?? 2) }
    case 'toBeTruthy': return { expression: no ? `!(${subject})` : subject, wanted: { type: 'true' } }
    case 'toBeFalsy': return { expression: no ? subject : `!(${subject})`, wanted: { type: 'true' } }
    case 'toBeNull': return no ? undefined : value('null')
    case 'toBeUndefined': return no ? undefined : value('undefined')
    case 'toHaveLength':
      return argument === undefined || no ? undefined : { expression: `(${subject}).length`, wanted: { type: 'value', source: argument } }
    case 'toThrow': case 'toThrowError': case 'throw':
      return no ? undefined : { expression: thrown(subject), wanted: { type: 'raises', name: errorName(argument) } }
    default: return undefined
  }
}

/** The body of a function that should throw: `f(-1)` for `() => f(-1)`. */
function thrown (text: string): string {
  const arrow = text.indexOf('=>')
  const body = (arrow >= 0 && arrow < 20 ? text.slice(arrow + 2) : text.slice(headIn(text).length)).trim()
  if (!body.startsWith('{') || !body.endsWith('}')) return body
  const inner = body.slice(1, -1).trim().replace(/^return\s/, '')
  return (inner.endsWith(';') ? inner.slice(0, -1) : inner).trim()
}

function headIn (text: string): string {
  return ['function ()', 'function()'].find(head => text.startsWith(head)) ?? ''
}

function unstringified (text: string): string {
  const parts = text.split('JSON.stringify(')
  const [first, left, right] = parts
  if (parts.length !== 3 || first !== '' || left === undefined || right === undefined) return text
  const sign = left.lastIndexOf(')')
  return `${left.slice(0, sign)} === ${right.slice(0, right.lastIndexOf(')'))}`
}

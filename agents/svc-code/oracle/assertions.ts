// Asserts of any test style, as a call and what it should give.
import type { Language } from '../../types.js'
import { closing, isBalanced, split } from './scan.js'

export type Wanted = { type: 'value', source: string } | { type: 'raises', name: string | undefined } | { type: 'true' }

export interface Assertion { expression: string, wanted: Wanted, tolerance?: number | undefined }

/** All asserts of a text, in whatever they are wrapped. */
export function assertionsIn (text: string, language: Language): Assertion[] {
  return statements(text).flatMap(statement => {
    const found = language === 'python' ? pythonAssertion(statement) : typescriptAssertion(statement)
    return found && isBalanced(found.expression) && found.expression.length < 2000 ? [found] : []
  })
}

const BEGINS = /^(?:assert\b|self\.assert\w+\(|expect\(|assert\w*[.(]|console\.assert\(|with (?:pytest\.raises|self\.assertRaises)\()/

/** Lines that begin an assert, joined with those that its brackets take in. */
function statements (text: string): string[] {
  const lines = text.split('\n')
  const found: string[] = []
  for (let at = 0; at < lines.length; at++) {
    let statement = (lines[at] ?? '').replace(/^\s*(?:>>> )?/, '').replace(/^(?:it|test|Deno\.test)\(.*?(?:=>|function\s*\(\))\s*\{?\s*(?=expect|assert)/, '')
    if (!BEGINS.test(statement)) continue
    const joins = statement.startsWith('with ') ? 1 : 0
    for (let more = 0; (more < joins || !isBalanced(withoutComment(statement))) && more < 30 && at + 1 < lines.length; more++) statement += `\n${lines[++at] ?? ''}`
    found.push(statement.trim())
  }
  return found
}

function withoutComment (text: string): string {
  return split(text, /\s*(?:#|\/\/)(?!=)[^\n]*$/)[0] ?? text
}

function pythonAssertion (statement: string): Assertion | undefined {
  const text = withoutComment(statement).replace(/;\s*$/, '')
  const raises = /^with (?:pytest\.raises|self\.assertRaises)\(\s*([\w.]+)[^\n]*\)(?: as \w+)?:\s*([\s\S]+)$/.exec(text)
  if (raises?.[2] !== undefined) return { expression: raises[2].trim(), wanted: { type: 'raises', name: raises[1] } }
  const method = /^self\.assert(\w+)\(/.exec(text)
  if (method?.[1] !== undefined) return byMethod(method[1], argumentsOf(text, method[0].length - 1))
  if (!/^assert\b/.test(text)) return undefined
  const claim = unwrap(split(text.replace(/^assert\s*/, ''), /,/)[0]?.trim() ?? '')
  return comparison(claim, [/\s*==\s*/, /\s+is\s+(?!not\b)/])
}

function byMethod (name: string, [first, second, third]: string[]): Assertion | undefined {
  if (first === undefined) return undefined
  switch (name) {
    case 'Equal': case 'Equals': case 'Is': case 'ListEqual': case 'DictEqual': case 'TupleEqual': case 'SetEqual': case 'SequenceEqual':
      return second === undefined ? undefined : sides(first, second)
    case 'AlmostEqual': return second === undefined ? undefined : { ...sides(first, second), tolerance: 0.5 * 10 ** -Number(third ?? 7) }
    case 'True': return { expression: first, wanted: { type: 'true' } }
    case 'False': return { expression: `not (${first})`, wanted: { type: 'true' } }
    case 'IsNone': return { expression: first, wanted: { type: 'value', source: 'None' } }
    case 'Raises': return second === undefined ? undefined : { expression: `${second}(${third ?? ''})`, wanted: { type: 'raises', name: first } }
    default: return undefined
  }
}

function typescriptAssertion (statement: string): Assertion | undefined {
  const text = withoutComment(statement).replace(/;\s*(?:\}\);?)?\s*$/, '').trim()
  const expected = /^expect\(/.test(text) ? expectation(text) : undefined
  if (expected) return expected
  const call = /^(?:console\.)?assert(?:\.?(\w+))?\(/.exec(text)
  if (!call) return undefined
  const [first, second] = argumentsOf(text, call[0].length - 1)
  if (first === undefined) return undefined
  switch (call[1]) {
    case undefined: case 'ok': return comparison(unstringified(unwrap(first)), [/\s*={2,3}\s*/])
    case 'equal': case 'strictEqual': case 'deepEqual': case 'deepStrictEqual': case 'Equals': case 'Equal': case 'StrictEquals': case 'same':
      return second === undefined ? undefined : sides(first, second)
    case 'throws': case 'Throws': return { expression: thrown(first), wanted: { type: 'raises', name: second !== undefined && /^[A-Z]\w*$/.test(second) ? second : undefined } }
    default: return undefined
  }
}

function expectation (text: string): Assertion | undefined {
  const end = closing(text, 'expect'.length)
  const subject = end > 0 ? text.slice('expect('.length, end - 1).trim() : ''
  const matcher = /^(\.not)?\.(?:to\.)?(?:be\.|deep\.)?(\w+)(?=\(|$)/.exec(text.slice(end))
  if (subject === '' || !matcher) return undefined
  const [argument, places] = argumentsOf(text.slice(end), matcher[0].length)
  const no = matcher[1] !== undefined
  switch (matcher[2]) {
    case 'toBe': case 'toEqual': case 'toStrictEqual': case 'equal': case 'eql': case 'deepEqual':
      return argument === undefined || no ? undefined : sides(subject, argument)
    case 'toBeCloseTo': return argument === undefined || no ? undefined : { ...sides(subject, argument), tolerance: 0.5 * 10 ** -Number(places ?? 2) }
    case 'toBeTruthy': return { expression: no ? `!(${subject})` : subject, wanted: { type: 'true' } }
    case 'toBeFalsy': return { expression: no ? subject : `!(${subject})`, wanted: { type: 'true' } }
    case 'toBeNull': return no ? undefined : { expression: subject, wanted: { type: 'value', source: 'null' } }
    case 'toBeUndefined': return no ? undefined : { expression: subject, wanted: { type: 'value', source: 'undefined' } }
    case 'toHaveLength': return argument === undefined || no ? undefined : { expression: `(${subject}).length`, wanted: { type: 'value', source: argument } }
    case 'toThrow': case 'toThrowError': case 'throw': return no ? undefined : { expression: thrown(subject), wanted: { type: 'raises', name: argument !== undefined && /^[A-Z]\w*$/.test(argument) ? argument : undefined } }
    default: return undefined
  }
}

function argumentsOf (text: string, open: number): string[] {
  const end = closing(text, open)
  return end < 0 ? [] : split(text.slice(open + 1, end - 1), /,/).map(argument => argument.trim()).filter(argument => argument !== '')
}

/** `() => f(-1)` is called where it stands. */
function thrown (text: string): string {
  return text.replace(/^(?:async\s*)?\(\)\s*=>\s*/, '').replace(/^function\s*\(\)\s*/, '').replace(/^\{\s*(?:return\s+)?([\s\S]*?);?\s*\}$/, '$1').trim()
}

function unwrap (text: string): string {
  return text.startsWith('(') && closing(text, 0) === text.length ? text.slice(1, -1).trim() : text
}

function unstringified (text: string): string {
  const match = /^JSON\.stringify\(([\s\S]*)\)\s*={2,3}\s*JSON\.stringify\(([\s\S]*)\)$/.exec(text)
  return match?.[1] !== undefined && match[2] !== undefined ? `${match[1]} === ${match[2]}` : text
}

function comparison (claim: string, equals: readonly RegExp[]): Assertion | undefined {
  if (claim === '') return undefined
  for (const sign of equals) {
    const [left, right, ...more] = split(claim, sign)
    if (left === undefined || right === undefined) continue
    // A chain, or an "and" around it, is one truth.
    if (more.length > 0 || / and | or |&&|\|\|/.test(split(claim, /\b(?:and|or)\b|&&|\|\|/).length > 1 ? ' and ' : '')) return { expression: claim, wanted: { type: 'true' } }
    return sides(left.trim(), right.trim())
  }
  return { expression: claim, wanted: { type: 'true' } }
}

/** The side that calls something is the one that is tested. */
function sides (left: string, right: string): Assertion {
  const [expression, source] = /\w\s*\(/.test(left) || !/^\w[\w.]*\s*\(/.test(right) ? [left, right] : [right, left]
  const approx = /^(?:pytest\.)?approx\((.*)\)$/.exec(source)
  const [value = source, ...settings] = approx?.[1] === undefined ? [source] : split(approx[1], /,\s*/)
  const tolerance = approx ? Number(/abs\s*=\s*([\d.e-]+)/.exec(settings.join(','))?.[1] ?? Math.abs(Number(value)) * 1e-6) : undefined
  return { expression, wanted: { type: 'value', source: value.trim() }, ...(tolerance !== undefined && Number.isFinite(tolerance) && { tolerance }) }
}

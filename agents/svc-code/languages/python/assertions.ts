import { argumentsOf, assertionsOf, comparison, sides, unwrap, withoutComment } from '../../examples/asserts.js'
import { split } from '../../examples/scan.js'
import type { Assertion } from '../profile.js'

/** Plain asserts, those of pytest, and the methods of unittest. */
export function assertionsIn (text: string): Assertion[] {
  return assertionsOf(text, assertion)
}

function assertion (statement: string): Assertion | undefined {
  const text = withoutEnd(withoutComment(statement))
  if (text.startsWith('with ')) return raises(text)
  const method = /^self\.assert(\w+)\(/.exec(text)
  if (method?.[1] !== undefined) return byMethod(method[1], argumentsOf(text, method[0].length - 1))
  if (!/^assert\b/.test(text)) return undefined
  const claim = unwrap(split(text.slice('assert'.length).trimStart(), ',')[0]?.trim() ?? '')
  return comparison(claim, [/==/, /\bis\s(?!not\b)/])
}

function withoutEnd (text: string): string {
  return (text.endsWith(';') ? text.slice(0, -1) : text).trimEnd()
}

/** `with pytest.raises(ValueError): f(-1)`, on one line or two. */
function raises (text: string): Assertion | undefined {
  const open = text.indexOf('(')
  const [name] = argumentsOf(text, open)
  const colon = text.indexOf(':', open)
  const body = text.slice(text.indexOf('\n') > 0 ? text.indexOf('\n') : colon + 1).trim()
  return name === undefined || colon < 0 || body === '' ? undefined : { expression: body, wanted: { type: 'raises', name } }
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
    case 'Raises':
      return second === undefined ? undefined : { expression: `${second}(${third ?? ''})`, wanted: { type: 'raises', name: first } }
    default: return undefined
  }
}

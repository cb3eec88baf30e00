// What a test's function calls its parameters. Once it runs, its source is all that tells vitest's context from the `done` of
// jest and mocha, which share this module's words.
import { getPrototypeOf, uncurry } from '../platform.js'
import type { Procedure } from '../registry.js'

const sourceOf = uncurry(Function.prototype.toString)
const asyncFunctions = getPrototypeOf(async () => {})
const CONTEXT = /^_?(?:ctx|context|t|task|testContext)$/
const CALLBACK = /^_?(?:done|cb|callback|next)$/
const MEMBERS = 'expect|skip|task|signal|annotate|onTestFinished|onTestFailed'

/** Whether the parameter at that place, the first after a row of a table, is a callback rather than a context or nothing at all. */
export function wantsCallback (body: Procedure, at: number): boolean {
  if (getPrototypeOf(body) === asyncFunctions) return false // jest and mocha refuse both
  const { parameters, rest } = parse(sourceOf(body))
  const name = /^[\w$]+/.exec(parameters[at] ?? '')?.[0] ?? ''
  if (name === '' || CONTEXT.test(name)) return false
  if (CALLBACK.test(name)) return true
  const word = `(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`
  const isUsed = (how: string) => new RegExp(word + how).test(rest)
  if (isUsed('\\s*\\(|\\.fail\\b')) return true
  return at === 0 && !isUsed(`\\??\\.(?:${MEMBERS})\\b`) && isUsed('\\s*[),]') // handed on, as to setTimeout
}

/** The names that a parameter takes apart, as `{ a, b: c = 1 }` does a and b; none where it is taken as a whole. */
export function namesIn (body: Procedure, at: number): string[] {
  const parameter = parse(sourceOf(body)).parameters[at] ?? ''
  if (!parameter.startsWith('{')) return []
  return split(parameter, 1).parts.map(part => /^[\w$]+/.exec(part)?.[0] ?? '').filter(name => name !== '')
}

function parse (source: string): { parameters: string[], rest: string } {
  const [whole, name] = /^(?:async\s+)?([\w$]+)\s*=>/.exec(source) ?? []
  if (whole !== undefined && name !== undefined) return { parameters: [name], rest: source.slice(whole.length) }
  const { parts, end } = split(source, source.indexOf('(') + 1)
  return { parameters: parts, rest: source.slice(end) }
}

/** What commas part, from there up to the bracket that closes it. */
function split (source: string, from: number): { parts: string[], end: number } {
  const parts: string[] = []
  let start = from
  let depth = 0
  let at = from
  let quote = ''
  for (; at < source.length && depth >= 0; at++) {
    const char = source[at] ?? ''
    if (quote !== '') {
      if (char === '\\') at++
      else if (char === quote) quote = ''
    } else if (/['"`]/.test(char)) quote = char
    else if (/[([{]/.test(char)) depth++
    else if (/[)\]}]/.test(char)) depth--
    if ((char === ',' && depth === 0 && quote === '') || depth < 0) {
      parts.push(source.slice(start, at).trim())
      start = at + 1
    }
  }
  return { parts, end: at }
}

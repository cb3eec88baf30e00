// The examples in the user's own words. They decide: never edited, never overruled. One that was misread would do
// harm, so what is not plainly an example is none.
import type { Language } from '../types.js'
import { callOf } from './literals.js'
import { type Assertion, assertionsIn } from './oracle/assertions.js'
import { doctestsIn } from './oracle/doctests.js'
import { translated, valueAt } from './oracle/literal.js'
import { callsOf, isBalanced } from './oracle/scan.js'

export interface Example extends Assertion { setup?: string }

const MOST = 24

const LONGEST = 60_000 // characters of a request that are looked at

export function examplesIn (request: string, entry: string, language: Language): Example[] {
  const text = request.slice(0, LONGEST)
  const found: Example[] = [
    ...(language === 'python' ? doctestsIn(text, entry) : []),
    ...assertionsIn(text, language).filter(({ expression, wanted }) => calls(expression, entry) && plain(wanted, language)),
    ...shownIn(withoutSessions(text), entry, language),
    ...pairsIn(text, entry, language)
  ]
  const byCall = new Map<string, Example>()
  for (const example of found) {
    const key = `${example.setup ?? ''}\n${example.expression.replace(/\s+/g, '')}`
    if (!byCall.has(key)) byCall.set(key, example)
  }
  return [...byCall.values()].slice(0, MOST)
}

function calls (expression: string, entry: string): boolean {
  return new RegExp(`(?<![\\w$.])${entry.replaceAll('$', '\\$')}\\s*\\(`).test(expression)
}

/** An expected value that needs nothing but itself. */
function plain (wanted: Assertion['wanted'], language: Language): boolean {
  return wanted.type !== 'value' || (isBalanced(wanted.source) && wanted.source !== '' && valueAt(wanted.source, language)?.rest.trim() === '') || /^(?:set|frozenset|Decimal|Fraction|new (?:Map|Set)|float|complex|BigInt)\(/.test(wanted.source)
}

function withoutSessions (text: string): string {
  return text.replace(/^[ \t]*>>>.*(?:\n[ \t]*\.\.\..*)*(?:\n(?![ \t]*(?:>>>|"""|'''|```))[ \t]*\S.*)+/gm, '')
}

// What stands between a call and its value: an arrow, a comparison, a comment, or words.
const SIGN = new RegExp([
  '^[`"\'*_]{0,3}\\s*(?:\\)?;?\\s*(?:#|//|--)\\s*)?',
  '(?:={1,3}>|={2,3}|->|→|➞|⇒|⟶|-->|:=|=(?!=)|:(?=\\s)',
  '|(?:(?:should|must|will|would|shall|has to) )?(?:return|returns|give|gives|yield|yields|output|outputs|equal|equals|evaluate to|evaluates to|produce|produces|result in|results in|be|is|prints|print|ergibt|liefert|gibt|devuelve|retorna|renvoie|retourne|donne)\\b(?: (?:equal to|exactly|zurück))?)',
  '\\s*:?\\s*[`*_]{0,3}\\s*'
].join(''), 'i')
const COMMENT = /^\)?\s*;?\s*(?:#|\/\/)\s*(?:=>|->|→|returns?:?|outputs?:?|prints?:?|expected:?|expect:?|should be|result:?)?\s*/i
const RAISES = /^[`"'*_]{0,3}\s*(?:#|\/\/|=>|->|→|➞)?\s*(?:(?:should|must|will|would)\s+)?(?:raises?|throws?|wirft|lanza|lève)\s+(?:an?\s+|eine?n?\s+|un\s+)?[`*_]{0,3}([A-Z]\w*)?/i

/** `f(2) -> 4`, `f(2) == 4`, "f(2) returns 4", `f(2) // => 4`, `console.log(f(2)) // 4`. */
function shownIn (text: string, entry: string, language: Language): Example[] {
  const found: Example[] = []
  for (const { start, end, source } of callsOf(text, entry)) {
    const call = callOf(source)
    if (!call || /^\s*(?:def|function|class)\s/.test(text.slice(text.lastIndexOf('\n', start) + 1, start))) continue
    const args = call.args.map(arg => translated(arg, language))
    if (args.some(arg => arg === undefined)) continue
    const expression = `${entry}(${args.join(', ')})`
    const after = text.slice(end, end + 3000)
    const raises = RAISES.exec(after)
    if (raises) {
      found.push({ expression, wanted: { type: 'raises', name: raises[1] } })
      continue
    }
    const value = wantedAfter(after, language)
    if (value !== undefined) found.push({ expression, wanted: { type: 'value', source: value } })
  }
  return found
}

function wantedAfter (after: string, language: Language): string | undefined {
  const sign = SIGN.exec(after) ?? COMMENT.exec(after)
  if (!sign || sign[0].trim() === '') return undefined
  const value = valueAt(after.slice(sign[0].length), language)
  if (!value || !endsWell(value.rest)) return undefined
  return value.source
}

/** After a value its line ends, or a sentence goes on; an operator or a word glued to it says that it was only a part. */
function endsWell (rest: string): boolean {
  return /^[`"'*_]{0,3}(?:\s*$|\s*\n|[.;,!?)](?:\s|$)|\s*[,;]|\s+(?:and|but|because|since|as|for|while|whereas|und|weil|y|et|(?:#|\/\/|\())|\s*(?:#|\/\/|\())/.test(rest) && !/^\s*(?:\.\.\.|…)/.test(rest)
}

/** `Input: nums = [2, 7], target = 9` with `Output: [0, 1]` on the next line. */
function pairsIn (text: string, entry: string, language: Language): Example[] {
  const found: Example[] = []
  for (const match of text.matchAll(/^[ \t*_>-]*inputs?[*_]*[ \t]*:[*_ \t]*(.+)\n+[ \t*_>-]*(?:expected )?outputs?[*_]*[ \t]*:[*_ \t]*(.+)$/gim)) {
    const [input = '', output = ''] = [match[1], match[2]].map(part => part?.replaceAll('`', '').trim())
    const call = callOf(`${entry}(${input.replace(/(?<![=!<>])=(?!=)/g, '=')})`)
    const args = call?.args.map(arg => translated(arg.type === 'pair' && arg.separator === '=' ? arg.value : arg, language))
    const value = valueAt(output, language)
    if (!args || args.length === 0 || args.some(arg => arg === undefined) || !value || !endsWell(value.rest)) continue
    found.push({ expression: `${entry}(${args.join(', ')})`, wanted: { type: 'value', source: value.source } })
  }
  return found
}

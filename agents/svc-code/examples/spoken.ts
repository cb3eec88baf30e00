// Reads examples in sentences: "for input 5 I expect 120", "90m should give 5400".
import type { Assertion, Profile } from '../languages/profile.js'
import { type Called, example, linesOf } from './called.js'
import { valueAt } from './literals.js'
import { GIVES } from './signs.js'

const LEADS = [
  'for', 'given', 'with', 'input', 'für', 'bei', 'mit', 'eingabe', 'para', 'con', 'entrada', 'pour', 'avec', 'entrée', 'per', 'dla', 'для'
]
const NOUNS = ['input', 'eingabe', 'entrada', "l'entrée", 'argument', 'value', 'wert', 'valor']
const EXPECTS = [
  'expect', 'expected', 'should', 'must', 'want', 'wants', 'get', 'gives?', 'returns?', 'erwarte', 'soll', 'sollte', 'liefert', 'ergibt',
  'espero', 'devuelve', 'debe', 'attends', 'doit', 'renvoie', 'mi aspetto', 'espera'
]
const FOR_INPUT = new RegExp(`\\b(?:${LEADS.join('|')})\\b[\\s:]{1,3}(?:the )?(?:${NOUNS.join('|')})?\\s{0,2}[\`]?`, 'gi')
const EXPECT = new RegExp(`\\b(?:${EXPECTS.join('|')})\\b`, 'i')

/** Reads "for input 5 I expect 120": a value, a word such as "expect", and another value. */
export function spokenExamples (text: string, called: Called): Assertion[] {
  return linesOf(text).flatMap(line => {
    if (called.parameters?.length !== 1) return []
    const complaint = complained(line, called)
    if (complaint) return [complaint]
    return Array.from(line.matchAll(FOR_INPUT)).slice(0, 10).flatMap(match => {
      const rest = line.slice(match.index + match[0].length)
      const value = valueAt(rest, called.profile)
      if (!value) return []
      const after = value.rest.startsWith('`') ? value.rest.slice(1) : value.rest
      const says = EXPECT.exec(after.slice(0, 60))
      const wanted = says ? firstValue(after.slice(says.index + says[0].length), called.profile) : undefined
      return wanted === undefined ? [] : [example([value.source], wanted, called)]
    })
  })
}

function firstValue (text: string, profile: Profile): string | undefined {
  for (const match of text.slice(0, 80).matchAll(/["'[({\d-]|\b(?:True|False|None|true|false|null)\b/g)) {
    const value = valueAt(text.slice(match.index), profile)
    return value && /^[`"'*_]{0,2}(?:$|[\s.,;!?)。，])/.test(value.rest) ? value.source : undefined
  }
  return undefined
}

const VERBS = Object.keys(GIVES).filter(verb => /^[a-zé]+$/.test(verb) && verb !== 'to').join('|')
const COMPLAINT = new RegExp(
  `(?:^|[\\s,:(])[\`"']?([\\w.:+-]*\\d[\\w.:+-]*[a-z][\\w.:+-]*)[\`"']? (?:should |must |soll |debe |doit |has to )?(?:${VERBS}) `,
  'i'
)

/** Reads "90m should give 5400": a word that is no literal counts as a string, if the function takes one argument. */
function complained (line: string, called: Called): Assertion | undefined {
  const match = COMPLAINT.exec(line)
  const word = match?.[1]
  const wanted = match && firstValue(line.slice(match.index + match[0].length), called.profile)
  return word === undefined || wanted === undefined || wanted === null ? undefined : example([`'${word}'`], wanted, called)
}

// Reads calls with their expected results from the conversation: `f(2) == 4`, "f(2) gives 4", "4 for f(2)".
import type { Assertion, Profile } from '../languages/profile.js'
import { callOf, translated, valueAt } from './literals.js'
import { callsOf } from './scan.js'
import { ARROWS, AUXILIARIES, FOR, GIVES, RAISES } from './signs.js'
import { endsWell } from './value-end.js'

const LOOK_AHEAD = 3000
const LONGEST_TEXT = 500
const DEFINES = new Set(['def', 'function', 'function*', 'class', 'fn', 'func'])
const DECORATION = new Set('`"\'*_ \t')

export function callExamples (text: string, name: string, profile: Profile): Assertion[] {
  const found: Assertion[] = []
  for (const { start, end, source } of callsOf(text, name)) {
    const expression = expressionOf(source, name, profile)
    if (expression === undefined || isDefinition(text, start)) continue
    const after = text.slice(end, end + LOOK_AHEAD)
    const error = raisedIn(after)
    const value = error === undefined ? wantedAfter(after, profile) ?? wantedBefore(text, start, profile) : undefined
    if (error !== undefined) found.push({ expression, wanted: { type: 'raises', name: error === '' ? undefined : error } })
    else if (value !== undefined) found.push({ expression, wanted: { type: 'value', source: value } })
  }
  return found
}

/** The call, with its literals as the language writes them; undefined if an argument is no literal. */
function expressionOf (source: string, name: string, profile: Profile): string | undefined {
  const args = callOf(source)?.args.map(arg => translated(arg, profile))
  return args?.every(arg => arg !== undefined) ? `${name}(${args.join(', ')})` : undefined
}

function isDefinition (text: string, start: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', start) + 1, start).slice(-40)
  const words = before.trimEnd()
  return words !== before && DEFINES.has(words.slice(words.lastIndexOf(' ') + 1))
}

function wantedAfter (after: string, profile: Profile): string | undefined {
  for (const rest of afterSign(after)) {
    const value = valueAt(rest, profile)
    if (value && endsWell(value.rest)) return value.source
  }
  return undefined
}

/** The text after the sign or verb that follows a call. If the verb may also be an auxiliary ("soll 4 liefern"), both readings. */
function afterSign (text: string): string[] {
  let rest = undecorated(unquoted(text))
  if (rest.startsWith(')')) return afterPrinted(rest.slice(1))
  rest = rest.startsWith(';') ? undecorated(rest.slice(1)) : rest
  const arrow = ARROWS.toSorted((left, right) => right.length - left.length).find(sign => rest.startsWith(sign))
  if (arrow !== undefined) return [withoutVerb(undecorated(rest.slice(arrow.length)))]
  if (rest.startsWith(':') && rest[1] === ' ') return [undecorated(rest.slice(1))]
  return [rest, withoutAuxiliaries(rest)].flatMap(start => {
    const verb = verbOf(start)
    return verb === undefined ? [] : [undecorated(withoutAuxiliaries(start.slice(verb.length))), undecorated(start.slice(verb.length))]
  })
}

/** After `print(f(2))`, only a comment such as `# 4` gives the expected result; a comparison would be about the outer call. */
function afterPrinted (text: string): string[] {
  const start = text.trimStart()
  const rest = undecorated(start.startsWith(';') ? start.slice(1) : text)
  const sign = ['//', '#', '->', '=>', '→'].find(each => rest.startsWith(each))
  return sign === undefined ? [] : [withoutVerb(undecorated(rest.slice(sign.length)))]
}

/** The text after a verb that follows the sign: `# => 4`, `// returns 4`. */
function withoutVerb (text: string): string {
  const arrow = ARROWS.find(sign => text.startsWith(sign))
  const rest = arrow === undefined ? text : undecorated(text.slice(arrow.length))
  const verb = verbOf(withoutAuxiliaries(rest))
  if (verb === undefined) return rest
  const value = withoutAuxiliaries(rest).slice(verb.length)
  return undecorated(value.startsWith(':') ? value.slice(1) : value)
}

const VERBS = Object.keys(GIVES).sort((left, right) => right.length - left.length)
const LONGEST_VERB = 30

function verbOf (text: string): string | undefined {
  const start = text.slice(0, LONGEST_VERB).toLowerCase()
  return VERBS.find(verb => start.startsWith(verb) && isEnd(text, verb))
}

/** Whether the word ends there, and does not go on as a longer one. Chinese and Japanese have no space after a word. */
function isEnd (text: string, word: string): boolean {
  const next = text[word.length] ?? ' '
  return /[^\p{L}\p{N}_]/u.test(next) || /[\u3000-\u9fff\uac00-\ud7af]/.test(word)
}

function withoutAuxiliaries (text: string): string {
  let rest = text
  for (let again = true; again;) {
    const start = rest.slice(0, LONGEST_VERB).toLowerCase()
    const word = AUXILIARIES.find(each => start.startsWith(`${each} `))
    again = word !== undefined
    if (word !== undefined) rest = undecorated(rest.slice(word.length))
  }
  return rest
}

function undecorated (text: string): string {
  let at = 0
  while (at < text.length && DECORATION.has(text[at] ?? '') && !beginsValue(text, at)) at++
  return text.slice(at)
}

function withoutTail (text: string): string {
  let end = text.length
  while (end > 0 && (DECORATION.has(text[end - 1] ?? '') || text[end - 1] === '\n')) end--
  return text.slice(0, end)
}

/** The text after the closing quote of a quoted call: "f(2)" gives 4. */
function unquoted (text: string): string {
  const [quote = ' ', next = ''] = text.slice(0, 2)
  return '"\''.includes(quote) && ' \t\n,)'.includes(next) && next !== '' ? text.slice(1) : text
}

/** Whether a quote begins a value: only if another quote closes it on the same line. Otherwise it is decoration. */
function beginsValue (text: string, at: number): boolean {
  const quote = text[at]
  if (quote !== '"' && quote !== "'") return false
  const end = text.indexOf(quote, at + 1)
  return end > at && end - at < LONGEST_TEXT && !text.slice(at, end).includes('\n')
}

/** The name of the error that a call should raise; '' if the text says only that there is an error. */
function raisedIn (after: string): string | undefined {
  let rest = undecorated(unquoted(after))
  const arrow = ARROWS.find(sign => rest.startsWith(sign))
  rest = withoutAuxiliaries(arrow === undefined ? rest : undecorated(rest.slice(arrow.length)))
  const verb = Object.keys(RAISES).find(each => rest.toLowerCase().startsWith(each) && isEnd(rest, each))
  if (verb === undefined) return undefined
  const words = rest.slice(verb.length, verb.length + 60).split(/[\s`*_.,;:]+/, 5)
  return words.find(word => /^[A-Z]\w*(?:Error|Exception|Interrupt|Exit)$/.test(word)) ?? ''
}

/** "4 for f(2)", "returns 4 when given f(2)". */
function wantedBefore (text: string, start: number, profile: Profile): string | undefined {
  const before = withoutTail(text.slice(Math.max(0, start - 200), start))
  const word = FOR.find(each => before.toLowerCase().endsWith(` ${each}`))
  if (word === undefined) return undefined
  const lead = before.slice(0, before.length - word.length).trimEnd()
  // Searches backwards for a literal that ends where the word begins.
  const line = lead.slice(Math.max(lead.lastIndexOf('\n'), lead.lastIndexOf('. ')) + 1)
  for (let at = line.length - 1; at >= 0; at--) {
    if (at > 0 && !' \t`'.includes(line[at - 1] ?? '')) continue
    const value = valueAt(line.slice(at), profile)
    if (value && withoutTail(value.rest) === '') return value.source
  }
  return undefined
}

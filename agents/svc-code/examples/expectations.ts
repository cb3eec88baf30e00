import type { Call, Outcome, Sandbox } from '../../types.js'
import type { Assertion, Profile } from '../languages/profile.js'
import { literalAt } from './literals.js'
import { printLiteral } from './print-literal.js'
import { keyOf, print } from '../draft/comparable.js'
import { callsOf } from './scan.js'
import type { Result } from '../draft/trial.js'

/** A call and its expected result, as data that is compared outside the process that runs the program. */
export interface Expectation {
  call: Call
  /** The comparable text of the expected value (see draft/comparable.ts); `raises` for an error. */
  print: string
  /** For messages, after "should": "give `4`", "raise ValueError". */
  shown: string
  matches: (result: Result) => boolean
  assertion: Assertion
}

const RAISES = 'raises'
/**
 * Makes expectations of assertions. Expected values that are expressions are evaluated in a process without the program. If that
 * fails because they use the program's own names, the comparison is evaluated within the program instead.
 */
export async function expectations (
  assertions: readonly Assertion[],
  profile: Profile,
  { sandbox, signal }: { sandbox: Sandbox, signal: AbortSignal }
): Promise<Expectation[]> {
  const sources = assertions.flatMap(({ wanted }) => wanted.type === 'value' ? [wanted.source] : [])
  const distinct = [...new Set(sources)].filter(source => literalPrint(source, profile) === undefined)
  const outcomes = distinct.length === 0
    ? []
    : await sandbox.evaluate(
        { language: profile.id, files: profile.nothing.files, calls: distinct.map(expression => ({ expression })) },
        { signal }
      )
  const known = new Map<string, Outcome>(distinct.flatMap((source, index) => outcomes[index] ? [[source, outcomes[index]]] : []))
  const found = assertions.map(assertion => expectationOf(assertion, profile, known))
  return [...new Map(found.map(expectation => [keyOf(expectation.call), expectation])).values()]
}

function expectationOf (assertion: Assertion, profile: Profile, known: ReadonlyMap<string, Outcome>): Expectation {
  const { expression, wanted, tolerance, setup } = assertion
  const at = (source: string): Call => ({ expression: source, ...(setup !== undefined && { setup }) })
  if (wanted.type === 'raises') {
    const name = wanted.name
    return { assertion, call: at(expression), print: RAISES, shown: name === undefined
      ? 'raise an error'
      : `raise ${name}`, matches: ({ outcome }) => outcome.type === 'raised' && (name === undefined || isNamed(outcome.name, name)) }
  }
  if (wanted.type === 'true') return truth(assertion, at(profile.truth(expression)), 'be true')
  const outcome = known.get(wanted.source)
  const plain = literalPrint(wanted.source, profile)
  if (plain === undefined && outcome?.type !== 'returned') {
    return truth(assertion, at(profile.equal(expression, wanted.source)), 'be true')
  }
  const wants = plain ?? (outcome?.type === 'returned' ? print(outcome.value) : '')
  return { assertion, call: at(expression), print: wants, shown: `give \`${wanted.source}\``, matches: result => result.print === wants
    || (tolerance !== undefined && isNear(result.print, wants, tolerance)) }
}

function truth (assertion: Assertion, call: Call, shown: string): Expectation {
  return { assertion, call, print: '1', shown, matches: ({ print }) => print === '1' }
}

/** The comparable text of a plain literal. Most expected values are literals, and need no process to evaluate them. */
function literalPrint (source: string, profile: Profile): string | undefined {
  const found = literalAt(source, 0)
  return found && source.slice(found.end).trim() === '' ? printLiteral(found.literal, profile) : undefined
}

/** Whether the raised error is the expected one. A prompt may name an error without its module, or a general class of errors. */
function isNamed (raised: string, wanted: string): boolean {
  const last = (name: string) => name.split('.').at(-1)
  return last(raised) === last(wanted) || wanted === 'Error' || wanted === 'Exception'
}

function isNear (given: string, wanted: string, tolerance: number): boolean {
  return Math.abs(Number(given) - Number(wanted)) <= tolerance
}

/** A test that the model wrote without seeing the program. It may be wrong. */
export type BlindTest = Expectation

const MOST_TESTS = 12

/** Reads the asserts of a reply as blind tests. Asserts that do not call the program are left out. */
export async function readTests (
  reply: string,
  { profile, entry }: { profile: Profile, entry: string | undefined },
  means: { sandbox: Sandbox, signal: AbortSignal }
): Promise<BlindTest[]> {
  const asserts = profile
    .assertionsIn(reply)
    .filter(({ expression }) => entry === undefined ? /\w\s?\(|\w\.\w/.test(expression) : !callsOf(expression, entry).next().done)
  return await expectations(asserts.slice(0, MOST_TESTS), profile, means)
}

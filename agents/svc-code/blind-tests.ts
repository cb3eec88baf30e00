import type { Language, Sandbox } from '../types.js'
import { type Expectation, expectations } from './expectations.js'
import { assertionsIn } from './oracle/assertions.js'
import { clean } from './replies/clean.js'

/** A test by somebody who has not seen the program. It may be wrong. */
export type BlindTest = Expectation

const MOST = 12

/** The asserts of a reply. What does not call the program, or cannot be said as data, is no test of it. */
export async function readTests (reply: string, { language, entry }: { language: Language, entry: string | undefined }, means: { sandbox: Sandbox, signal: AbortSignal }): Promise<BlindTest[]> {
  const asserts = assertionsIn(clean(reply).text, language)
    .filter(({ expression }) => entry === undefined ? /\w\s*\(|\w\.\w/.test(expression) : new RegExp(`(?<![\\w$.])${entry.replaceAll('$', '\\$')}\\s*\\(`).test(expression))
  return expectations(asserts.slice(0, MOST), language, means)
}

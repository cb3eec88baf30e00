// Reads the examples in the user's messages, for the names that the draft defines. They decide which program is right, and a misread
// example would do harm: so only text that is clearly an example counts.
import type { RunExample } from '../draft/candidate.js'
import type { Assertion, Profile } from '../languages/profile.js'
import type { Conversation } from '../conversation.js'
import { callExamples } from './calls.js'
import { valueAt } from './literals.js'
import { pairExamples } from './pairs.js'
import { runExamples } from './runs.js'
import { callsOf, isBalanced } from './scan.js'
import { spokenExamples } from './spoken.js'
import { tableExamples } from './tables.js'

export interface Names {
  profile: Profile
  /** The names that the draft defines, with the parameters of functions. */
  names: ReadonlyMap<string, string[] | undefined>
  isScript: boolean
}

const MOST = 24
const LONGEST = 48_000

interface Examples { calls: Assertion[], runs: RunExample[] }

export function readExamples ({ asked, messages }: Conversation, { profile, names, isScript }: Names): Examples {
  // Earlier examples still count, unless the last message gives another result for the same call.
  const before = messages.filter(({ role }) => role === 'user').slice(0, -1).map(({ content }) => content).join('\n\n').slice(-LONGEST)
  const calls = new Map<string, Assertion>()
  for (const text of [asked.slice(0, LONGEST), before]) {
    for (const assertion of callsIn(text, names, profile)) {
      const key = `${assertion.setup ?? ''}\n${assertion.expression.replaceAll(' ', '')}`
      if (!calls.has(key)) calls.set(key, assertion)
    }
  }
  return { calls: [...calls.values()].slice(0, MOST), runs: isScript && calls.size === 0 ? runExamples(asked.slice(0, LONGEST)) : [] }
}

function callsIn (text: string, names: Names['names'], profile: Profile): Assertion[] {
  const functions = [...names].filter(([, parameters]) => parameters !== undefined)
  const [only] = functions.length === 1 ? functions : functions.filter(([name]) => text.includes(name)).slice(-1)
  const sessions = profile.sessionsIn(text, [...names.keys()])
  const plain = sessions.length > 0 ? withoutSessions(text) : text
  const called = only && { profile, name: only[0], parameters: only[1] }
  return [
    ...sessions,
    ...profile
      .assertionsIn(text)
      .filter(({ expression, wanted }) => [...names.keys()].some(name => !callsOf(expression, name).next().done)
        && isPlain(wanted, profile)),
    ...[...names.keys()].flatMap(name => callExamples(plain, name, profile)),
    ...(called ? [pairExamples, tableExamples, spokenExamples].flatMap(read => read(plain, called)) : [])
  ]
}

const MADE = ['set(', 'frozenset(', 'Decimal(', 'Fraction(', 'new Map(', 'new Set(', 'float(', 'complex(', 'BigInt(']

/** Whether an expected value is complete by itself: a literal, or a call of a built-in type. */
function isPlain (wanted: Assertion['wanted'], profile: Profile): boolean {
  if (wanted.type !== 'value') return true
  return (isBalanced(wanted.source) && wanted.source !== '' && valueAt(wanted.source, profile)?.rest.trim() === '')
    || MADE.some(call => wanted.source.startsWith(call))
}

/** The text without interpreter sessions and their output. */
function withoutSessions (text: string): string {
  let inSession = false
  return text.split('\n').map(line => {
    const start = line.trimStart()
    if (start.startsWith('>>>')) inSession = true
    else if (start === '' || start.startsWith('"""') || start.startsWith("'''") || start.startsWith('```')) inSession = false
    return inSession ? '' : line
  }).join('\n')
}

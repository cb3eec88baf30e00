import type { Language, SandboxInfo } from '../../agents/types.js'

const NAMES: Record<Language, string> = { typescript: 'TypeScript', python: 'Python' }

/** What a language's self-test found. */
export type SelfTestResult =
  | { state: 'ready' }
  | { state: 'refused', escapes: string[] }
  | { state: 'unavailable', reason: string }

/**
 * The state of the sandbox from the self-tests of its languages. One escape in any language refuses all code. If one language
 * works, the state is `ready`, and the problem names the one that does not.
 */
export function summary (results: ReadonlyMap<Language, SelfTestResult>): SandboxInfo {
  const unavailable = new Map<string, string[]>()
  for (const [language, result] of results) {
    if (result.state === 'refused') {
      const problem = `the sandbox does not hold. The self-test for ${NAMES[language]} reached ${result.escapes.join(', ')}`
      return { state: 'refused', problem: `code is not run: ${problem}` }
    }
    if (result.state === 'unavailable') unavailable.set(result.reason, [...unavailable.get(result.reason) ?? [], NAMES[language]])
  }
  const problems = [...unavailable].map(([reason, names]) => `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not run: ${reason}`)
  const problem = problems.length > 0 ? problems.join('; ') : null
  const isReady = [...results.values()].some(({ state }) => state === 'ready')
  return { state: isReady ? 'ready' : problem === null ? 'not started' : 'unavailable', problem }
}

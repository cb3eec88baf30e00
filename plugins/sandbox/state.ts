import type { Language, SandboxInfo } from '../../agents/types.js'

const NAMES: Record<Language, string> = { typescript: 'TypeScript', python: 'Python' }

/** What came of a language's self-test. */
export type Proven = { state: 'ready' } | { state: 'refused', leaks: string[] } | { state: 'unavailable', reason: string }

/** Of all languages that were asked for. One leak is enough to refuse, one language that works enough to be ready; the problem then names the other. */
export function summary (proven: ReadonlyMap<Language, Proven>): SandboxInfo {
  const lacking = new Map<string, string[]>()
  for (const [language, found] of proven) {
    if (found.state === 'refused') return { state: 'refused', problem: `code is not run: the sandbox does not hold. The self-test for ${NAMES[language]} reached ${found.leaks.join(', ')}` }
    if (found.state === 'unavailable') lacking.set(found.reason, [...lacking.get(found.reason) ?? [], NAMES[language]])
  }
  const problems = [...lacking].map(([reason, names]) => `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not run: ${reason}`)
  const isReady = [...proven.values()].some(({ state }) => state === 'ready')
  return { state: isReady ? 'ready' : problems.length > 0 ? 'unavailable' : 'not started', problem: problems.length > 0 ? problems.join('; ') : null }
}

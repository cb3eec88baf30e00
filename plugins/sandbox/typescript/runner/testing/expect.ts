// `expect`, made of @vitest/expect, chai and @vitest/snapshot as in vitest. The package vitest itself would bring a bundler along.
import {
  ASYMMETRIC_MATCHERS_OBJECT, GLOBAL_EXPECT, JestAsymmetricMatchers, JestChaiExpect, JestExtend, type MatcherState,
  addCustomEqualityTesters, chai, customMatchers, getState, setState
} from '@vitest/expect'
import { getCurrentTest } from '@vitest/runner'
import { type PollOptions, polled } from './poll.js'
import { snapshotWords } from './snapshots.js'

type Matchers = Record<string, (...args: unknown[]) => unknown>
export type Assertion = Matchers & { not: Matchers, withTest (test: object): Assertion, withContext (context: object): Assertion }
type State = Partial<MatcherState>
type Testers = Parameters<typeof addCustomEqualityTesters>[0]

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers, snapshotWords]) chai.use(plugin)

const base = (value: unknown, message?: string): Assertion => {
  patchState({ assertionCalls: (stateOf().assertionCalls ?? 0) + 1 })
  const assertion = chai.expect(value, message) as unknown as Assertion
  const test: object | undefined = getCurrentTest()
  return test ? assertion.withTest(test) : assertion
}

const asymmetric = Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT) as Record<'any' | 'anything', (kind?: unknown) => unknown>

export const expect = Object.assign(base, chai.expect, asymmetric, {
  assert: chai.assert,
  getState: stateOf,
  setState: patchState,
  extend: (matchers: object) => { (chai.expect as unknown as { extend (expect: unknown, matchers: object): void }).extend(base, matchers) },
  addEqualityTesters: (testers: Testers) => { addCustomEqualityTesters(testers) },
  soft: (value: unknown, message?: string) => base(value, message).withContext({ soft: true }),
  unreachable: (message = 'it') => chai.assert.fail(`expected ${message} not to be reached`),
  poll: (read: () => unknown, options?: PollOptions): unknown => polled(expect, read, options),
  assertions (expected: number) {
    const error = () => new Error(`expected number of assertions to be ${expected}, but got ${stateOf().assertionCalls ?? 0}`)
    patchState({ expectedAssertionsNumber: expected, expectedAssertionsNumberErrorGen: error })
  },
  hasAssertions () {
    const error = new Error('expected any number of assertions, but got none')
    patchState({ isExpectingAssertions: true, isExpectingAssertionsError: error })
  }
})

Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect, writable: true, configurable: true })
beginAssertions('', '')
expect.extend(customMatchers)

function stateOf (): State {
  return getState(base as never)
}

function patchState (state: State): void {
  setState(state, base as never)
}

/** Called before each try of a test, which counts its own assertions. */
export function beginAssertions (name: string, path: string): void {
  patchState({
    assertionCalls: 0, isExpectingAssertions: false, isExpectingAssertionsError: null, expectedAssertionsNumber: null,
    expectedAssertionsNumberErrorGen: null, currentTestName: name, testPath: path, environment: 'node'
  } as State)
}

/** Throws where the test announced assertions and made another number of them. */
export function checkAssertions (): void {
  const { assertionCalls = 0, expectedAssertionsNumber: expected, isExpectingAssertions, ...state } = stateOf()
  const wrongCount = state.expectedAssertionsNumberErrorGen
  if (typeof expected === 'number' && expected !== assertionCalls) throw wrongCount?.() ?? new Error('wrong count')
  if (isExpectingAssertions === true && assertionCalls === 0) throw state.isExpectingAssertionsError ?? new Error('no assertions')
}

/** Runs some assertions before there is a job, so that they are compiled. That was a quarter of a small job's time. */
export function warmAssertions (): void {
  base({ a: [1] }).toEqual?.({ a: [expect.any(Number)] })
  for (const fail of [() => base(1).toBe?.(2), () => base({ a: 1 }).toEqual?.({ a: 2 }), () => chai.assert.deepEqual([1], [2])]) {
    try {
      fail()
    } catch {
      continue // as it should
    }
    throw new Error('assertions do not fail here')
  }
}

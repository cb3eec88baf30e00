// `expect`, put together of @vitest/expect, chai and @vitest/snapshot as vitest does it, whose own package brings a bundler along.
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

export const expect = Object.assign(base, chai.expect, Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT) as Record<'any' | 'anything', (kind?: unknown) => unknown>, {
  assert: chai.assert,
  getState: stateOf,
  setState: patchState,
  extend: (matchers: object) => { (chai.expect as unknown as { extend (expect: unknown, matchers: object): void }).extend(base, matchers) },
  addEqualityTesters: (testers: Testers) => { addCustomEqualityTesters(testers) },
  soft: (value: unknown, message?: string) => base(value, message).withContext({ soft: true }),
  unreachable: (message = 'it') => chai.assert.fail(`expected ${message} not to be reached`),
  poll: (read: () => unknown, options?: PollOptions): unknown => polled(expect, read, options),
  assertions (expected: number) {
    const expectedAssertionsNumberErrorGen = () => new Error(`expected number of assertions to be ${expected}, but got ${stateOf().assertionCalls ?? 0}`)
    patchState({ expectedAssertionsNumber: expected, expectedAssertionsNumberErrorGen })
  },
  hasAssertions () {
    patchState({ isExpectingAssertions: true, isExpectingAssertionsError: new Error('expected any number of assertions, but got none') })
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

/** Before each try of a test, which counts its own assertions. */
export function beginAssertions (name: string, path: string): void {
  patchState({
    assertionCalls: 0, isExpectingAssertions: false, isExpectingAssertionsError: null, expectedAssertionsNumber: null,
    expectedAssertionsNumberErrorGen: null, currentTestName: name, testPath: path, environment: 'node'
  } as State)
}

/** Throws where the test announced assertions that did not come. */
export function checkAssertions (): void {
  const { assertionCalls = 0, expectedAssertionsNumber, expectedAssertionsNumberErrorGen, isExpectingAssertions, isExpectingAssertionsError } = stateOf()
  if (typeof expectedAssertionsNumber === 'number' && expectedAssertionsNumber !== assertionCalls) throw expectedAssertionsNumberErrorGen?.() ?? new Error('assertions are missing')
  if (isExpectingAssertions === true && assertionCalls === 0) throw isExpectingAssertionsError ?? new Error('assertions are missing')
}

/** Has some hold and some fail while the process waits for its job: to compile what that takes was a fourth of a small job's time. */
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

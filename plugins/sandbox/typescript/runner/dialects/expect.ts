import nodeAssert from 'node:assert'
import strictAssert from 'node:assert/strict'
import { ASYMMETRIC_MATCHERS_OBJECT, GLOBAL_EXPECT, JEST_MATCHERS_OBJECT, JestAsymmetricMatchers, JestChaiExpect, JestExtend, MATCHERS_OBJECT, type MatcherState, customMatchers, getState, setState } from '@vitest/expect'
import * as chai from 'chai'
import { lockProperties } from '../lock.js'
import { defineProperty, freeze } from '../platform.js'
import { type PollOptions, polled } from './poll.js'
import { installSnapshots } from './snapshots.js'

type Matchers = Record<string, (...args: unknown[]) => unknown>
type Assertion = Matchers & { not: Matchers, resolves: Matchers, rejects: Matchers }

export interface Expect {
  (value: unknown, message?: string): Assertion
  getState (): Partial<MatcherState>
  setState (state: object): void
  extend (matchers: object): void
  assertions (count: number): void
  hasAssertions (): void
  soft (value: unknown, message?: string): Assertion
  unreachable (message?: string): never
  poll (read: () => unknown, options?: PollOptions): unknown
  addEqualityTesters (): never
}

// As vitest puts them together: chai's words, and jest's matchers on them.
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)
installSnapshots(chai)

const base = (value: unknown, message?: string) => {
  const { assertionCalls = 0 } = getState(shared())
  setState({ assertionCalls: assertionCalls + 1 }, shared())
  return chai.expect(value, message) as unknown as Assertion
}

export const expect: Expect = Object.assign(base, chai.expect, (globalThis as Record<PropertyKey, unknown>)[ASYMMETRIC_MATCHERS_OBJECT], {
  getState: () => getState(shared()),
  setState: (state: object) => setState(state, shared()),
  extend: (matchers: object) => (chai.expect as unknown as { extend (expect: unknown, matchers: object): void }).extend(base, matchers),
  assertions: (count: number) => setState({ expectedAssertionsNumber: count }, shared()),
  hasAssertions: () => setState({ isExpectingAssertions: true }, shared()),
  soft: base,
  unreachable: (message?: string): never => chai.assert.fail(`expected ${message === undefined ? '' : `"${message}" `}not to be reached`),
  poll: (read: () => unknown, options?: PollOptions) => polled(read, base, options),
  // What counts as equal is not for the code under test to say.
  addEqualityTesters: (): never => { throw new Error('expect.addEqualityTesters is not available here') }
})

function shared (): Parameters<typeof getState>[0] {
  return base as unknown as Parameters<typeof getState>[0]
}

Reflect.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect, writable: false, configurable: false })
expect.extend(customMatchers)
beginAssertions('')

/** Each test counts its own. */
export function beginAssertions (name: string): void {
  setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null, currentTestName: name, environment: 'node', testPath: '' } as Parameters<typeof setState>[0], shared())
}

/** Throws where the test announced assertions that did not come. */
export function checkAssertions (): void {
  const { assertionCalls = 0, expectedAssertionsNumber: wanted, isExpectingAssertions } = getState(shared())
  if (typeof wanted === 'number' && wanted !== assertionCalls) throw new Error(`expected ${wanted} assertions, and there were ${assertionCalls}`)
  if (isExpectingAssertions && assertionCalls === 0) throw new Error('expected at least one assertion, and there was none')
}

/** Nothing that asserts can be replaced any more. Matchers may be added. */
export function lockAssertions (): void {
  const globals = globalThis as Record<PropertyKey, unknown>
  // What the library keeps on globalThis is to be found under these names only by way of what is there now.
  for (const name of [MATCHERS_OBJECT, JEST_MATCHERS_OBJECT, ASYMMETRIC_MATCHERS_OBJECT]) defineProperty(globals, name, { value: globals[name], writable: false, configurable: false })
  const matchers = globals[JEST_MATCHERS_OBJECT] as { matchers: object, customEqualityTesters: unknown[] }
  freeze(matchers.customEqualityTesters)
  const none = new Set<PropertyKey>(['prototype'])
  const { __methods: methods } = chai.Assertion.prototype as unknown as { __methods: Record<string, object> }
  for (const object of [expect, chai.expect, chai.assert, chai.Assertion, chai.Assertion.prototype, chai.util, matchers, matchers.matchers, methods, ...Object.values(methods)]) lockProperties(object, none)
  defineProperty(chai.config, 'deepEqual', { value: null, writable: false, configurable: false })
}

// Assertions that must fail: where one does not, somebody has been at the library.
const CANARIES: (() => unknown)[] = [
  () => expect(1).toBe?.(2),
  () => expect({ a: 1 }).toEqual?.({ a: 2 }),
  () => expect([1, [2]]).toStrictEqual?.([1, [3]]),
  () => expect('abc').toContain?.('x'),
  () => expect(() => {}).toThrow?.(),
  () => expect(2).not.toBe?.(2),
  () => expect(true).toBeFalsy?.(),
  () => chai.expect(1).to.equal(2),
  () => chai.expect({ a: [1] }).to.deep.equal({ a: [2] }),
  () => chai.assert.strictEqual(1, 2),
  () => nodeAssert.equal(1, 2),
  () => nodeAssert.strictEqual('a', 'b'),
  () => nodeAssert.deepEqual({ a: 1 }, { a: 2 }),
  () => nodeAssert.ok(false),
  () => nodeAssert.throws(() => {}),
  () => strictAssert.deepStrictEqual([1], [2])
]

export function assertionsHold (): boolean {
  return CANARIES.every(canary => {
    try {
      canary()
      return false
    } catch {
      return true
    }
  })
}

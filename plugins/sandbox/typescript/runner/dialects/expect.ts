import nodeAssert from 'node:assert'
import strictAssert from 'node:assert/strict'
import { ASYMMETRIC_MATCHERS_OBJECT, GLOBAL_EXPECT, JEST_MATCHERS_OBJECT, JestAsymmetricMatchers, JestChaiExpect, JestExtend, MATCHERS_OBJECT, type MatcherState, customMatchers, getState, setState } from '@vitest/expect'
import * as chai from 'chai'
import { lockProperties } from '../lock.js'
import { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf } from '../platform.js'
import { type PollOptions, polled } from './poll.js'
import { running } from './running.js'
import { installSnapshots } from './snapshots.js'

type Matchers = Record<string, (...args: unknown[]) => unknown>
type Assertion = Matchers & { not: Matchers, resolves: Matchers, rejects: Matchers }

export interface Expect extends Record<'any' | 'objectContaining' | 'arrayContaining' | 'stringContaining' | 'stringMatching' | 'closeTo', (sample: unknown) => object> {
  anything (): object
  not: object
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

// What a test announced of its assertions, where nobody else can take it back; the matchers that tests defined.
let announced = { calls: 0, counts: new Set<number>(), some: false }
const defined = new Map<string, unknown>()

// As vitest puts them together: chai's words, and jest's matchers on them.
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)
installSnapshots(chai)

const base = (value: unknown, message?: string) => {
  announced.calls++
  setState({ assertionCalls: announced.calls }, shared())
  const assertion = chai.expect(value, message)
  chai.util.flag(assertion, 'vitest-test', running()?.task)
  return assertion as unknown as Assertion
}

const soft = (value: unknown, message?: string) => {
  const assertion = base(value, message)
  chai.util.flag(assertion, 'soft', true)
  return assertion
}

export const expect = Object.assign(base, chai.expect, (globalThis as Record<PropertyKey, unknown>)[ASYMMETRIC_MATCHERS_OBJECT] as object, {
  getState: () => getState(shared()),
  setState: (state: object) => setState(state, shared()),
  extend,
  assertions: (count: number) => { announced.counts.add(count) },
  hasAssertions: () => { announced.some = true },
  soft,
  unreachable: (message?: string): never => chai.assert.fail(`expected ${message === undefined ? '' : `"${message}" `}not to be reached`),
  poll: (read: () => unknown, options?: PollOptions) => polled(read, base, options),
  // What counts as equal is not for the code under test to say.
  addEqualityTesters: (): never => { throw new Error('expect.addEqualityTesters is not available here') }
}) as unknown as Expect

/** A matcher is the one that was defined, once and for all: who came before, or comes later, with another is refused. */
function extend (matchers: object): void {
  const { prototype } = chai.Assertion as unknown as { prototype: object }
  const fresh: Record<string, unknown> = {}
  for (const name of Object.keys(matchers)) {
    const matcher: unknown = Reflect.get(matchers, name)
    if (!getOwnPropertyDescriptor(prototype, name)) defineProperty(fresh, name, { value: matcher, enumerable: true })
    else if ((defined.get(name) ?? null) !== matcher) throw new Error(`expect.extend: there is a matcher '${name}' already`)
  }
  ;(chai.expect as unknown as { extend (expect: unknown, matchers: object): void }).extend(base, fresh)
  for (const name of Object.keys(fresh)) {
    const found = getOwnPropertyDescriptor(prototype, name)
    if (typeof found?.value !== 'function') throw new Error(`expect.extend: the matcher '${name}' did not take`)
    for (const place of [prototype, expect, expect.not]) defineProperty(place, name, { writable: false, configurable: false })
    defined.set(name, fresh[name])
  }
}

function shared (): Parameters<typeof getState>[0] {
  return base as unknown as Parameters<typeof getState>[0]
}

Reflect.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect, writable: false, configurable: false })
expect.extend(customMatchers)
beginAssertions('')
const OWN_MATCHERS = [expect.any(Number), expect.anything(), expect.objectContaining({}), expect.arrayContaining([]), expect.stringContaining(''), expect.stringMatching(''), expect.closeTo(1)]

/** Each test counts its own. */
export function beginAssertions (name: string): void {
  announced = { calls: 0, counts: new Set(), some: false }
  setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null, currentTestName: name, environment: 'node', testPath: '' } as Parameters<typeof setState>[0], shared())
}

/** Throws where the test announced assertions that did not come. */
export function checkAssertions (): void {
  const { calls, counts, some } = announced
  for (const count of counts) if (count !== calls) throw new Error(`expected ${count} assertions, and there were ${calls}`)
  if (some && calls === 0) throw new Error('expected at least one assertion, and there was none')
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
  for (const object of [expect, expect.not, chai.expect, chai.assert, chai.Assertion, chai.Assertion.prototype, chai.util, matchers, matchers.matchers, methods, ...Object.values(methods)]) lockProperties(object, none)
  for (const matcher of OWN_MATCHERS) {
    for (let kind = getPrototypeOf(matcher); kind !== null && kind !== Object.prototype; kind = getPrototypeOf(kind)) lockProperties(kind, none)
  }
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

/** Has them fail once while the process waits for its job: to compile what that takes was a fourth of a small job's time. */
export function warmAssertions (): void {
  const { stackTraceLimit } = Error
  if (!assertionsHold()) throw new Error('assertions do not fail here')
  Error.stackTraceLimit = stackTraceLimit
  beginAssertions('')
}

export function assertionsHold (): boolean {
  Reflect.set(Error, 'stackTraceLimit', 0) // nobody reads theirs: to make them takes half a millisecond each
  return CANARIES.every(canary => {
    try {
      canary()
      return false
    } catch {
      return true
    }
  })
}

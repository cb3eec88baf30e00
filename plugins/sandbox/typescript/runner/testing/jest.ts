// vitest's functions by the names of `@jest/globals`, `bun:test` and mocha. They differ in two ways: a test or a hook may take a callback,
// and mocha's functions set their time limit on `this`.
import * as runner from '@vitest/runner'
import { fn, isMockFunction, spyOn } from '@vitest/spy'
import { expect } from './expect.js'
import { vi } from './vi.js'

type Body = (...args: unknown[]) => unknown
type Words = ((...args: unknown[]) => unknown) & Record<string, unknown>

const WORDS_WITH_BODIES = new Set<PropertyKey>(['only', 'skip', 'concurrent', 'failing', 'sequential'])
const CONTEXT = { timeout () { return CONTEXT }, slow () { return CONTEXT }, retries () { return CONTEXT } }
const asyncFunction = Object.getPrototypeOf(async () => {}) as object

/** An async function, or one that destructures its parameter, expects vitest's context instead of a callback. */
function wantsContext (body: Body): boolean {
  return body.length > 0 && (Object.getPrototypeOf(body) === asyncFunction || /^[^(]{0,100}\(\s*\{/.test(body.toString()))
}

function withCallback (body: Body): Body {
  if (wantsContext(body)) return body
  if (body.length === 0) return () => body.call(CONTEXT)
  return async () => {
    await new Promise<void>((resolve, reject) => {
      const done = (error?: unknown) => {
        if (error === undefined || error === null) resolve()
        else reject(error instanceof Error ? error : new Error(String(error)))
      }
      body.call(CONTEXT, Object.assign(done, { fail: (error?: unknown) => { done(error ?? new Error('done.fail was called')) } }))
    })
  }
}

function adapted (words: Words): Words {
  return new Proxy(words, {
    apply: (target, _self, args: unknown[]): unknown => {
      return target(...args.map((arg, at) => typeof arg === 'function' && at > 0 ? withCallback(arg as Body) : arg))
    },
    get: (target, key) => {
      const word: unknown = Reflect.get(target, key === 'failing' ? 'fails' : key === 'if' ? 'runIf' : key)
      return WORDS_WITH_BODIES.has(key) ? adapted(word as Words) : word
    }
  })
}

// vitest takes what a hook returns for a cleanup function. A mock is none: it is returned by accident, as in `() => jest.spyOn(...)`.
const hook = (add: (body: Body, timeout?: number) => void) => (body: Body, timeout?: number) => {
  const called = withCallback(body)
  add(called === body ? body : async () => {
    const given = await called()
    return isMockFunction(given) ? undefined : given
  }, timeout)
}

export const test = adapted(runner.test as unknown as Words)
export const describe = new Proxy(runner.describe as unknown as Words, {
  apply: (target, _self, args: unknown[]): unknown => {
    return target(...args.map(arg => typeof arg === 'function' ? (arg as Body).bind(CONTEXT) : arg))
  }
})
export const beforeAll = hook(runner.beforeAll)
export const afterAll = hook(runner.afterAll)
export const beforeEach = hook(runner.beforeEach)
export const afterEach = hook(runner.afterEach)
export const it = test
export const specify = test
export const xit = test.skip as Words
export const xtest = xit
export const fit = test.only as Words
export const context = describe
export const xdescribe = describe.skip as Words
export const fdescribe = describe.only as Words
export const before = beforeAll
export const after = afterAll
export const jest = vi
const mocks = { module: vi.mock, restore: vi.restoreAllMocks, clearAllMocks: vi.clearAllMocks }
export const mock = Object.assign((body?: Parameters<typeof fn>[0]) => fn(body), mocks)
export const setSystemTime = (time?: number | Date) => {
  const set = vi[time === undefined ? 'useRealTimers' : 'setSystemTime'] as (time?: number | Date) => void
  set(time)
}
export { onTestFinished } from '@vitest/runner'
export { expect, spyOn, vi }
export default { test, it, describe, expect, jest, vi, beforeAll, afterAll, beforeEach, afterEach }

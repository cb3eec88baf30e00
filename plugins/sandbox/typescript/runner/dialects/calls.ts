import { isMockFunction } from '@vitest/spy'
import { lockProperties } from '../lock.js'
import { type Procedure, type TestOptions, addHook, skipFor } from '../registry.js'
import { expect } from './expect.js'
import { mochaContext } from './mocha-context.js'
import { wantsCallback } from './parameters.js'
import { type Running, onTestFailed, onTestFinished, running } from './running.js'

type Hook = Parameters<typeof addHook>[0]

const contexts = new WeakMap<Running, object>()
const contextual = new WeakSet<Procedure>()

/** Calls a test with its row, or with vitest's context, and with the `done` of jest and mocha where it wants that. `self`: mocha's. */
export function callTest (body: Procedure, row: unknown[], self: object): unknown {
  if (contextual.has(body)) return body.apply(self, [...row, testContext()])
  if (body.length <= row.length) return body.apply(self, row)
  if (!wantsCallback(body, row.length)) return body.apply(self, row.length > 0 ? row : [testContext()])
  return new Promise<void>((resolve, reject) => {
    const done = (error?: unknown) => { if (error === undefined || error === null) resolve(); else reject(error instanceof Error ? error : new Error(String(error))) }
    body.apply(self, [...row, Object.assign(done, { fail: (error?: unknown) => done(error ?? new Error('done.fail was called')) })])
  })
}

/** The same function, handed the context whatever its parameters are: `test.for` does so. */
export function withContext (body: Procedure): Procedure {
  const taking: Procedure = function (this: unknown, ...args: unknown[]) { return body.apply(this, args) }
  contextual.add(taking)
  return taking
}

/**
 * A hook of vitest, jest or mocha. A function that a beforeEach or beforeAll gives is called once the test or the group is
 * through, but for a mock: jest's users give those by accident, as `() => jest.spyOn(...)`.
 */
export function defineHook (hook: Hook, body: Procedure): void {
  const self = mochaContext()
  if (hook === 'afterEach' || hook === 'afterAll') return addHook(hook, () => callTest(body, [], self))
  const ends: Procedure[] = []
  addHook(hook, async () => {
    const given = await callTest(body, [], self)
    if (typeof given !== 'function' || isMockFunction(given)) return
    const test = hook === 'beforeEach' ? running() : undefined
    ;(test?.undo ?? ends).push(given as Procedure)
  })
  if (hook === 'beforeAll') addHook('afterAll', () => ends.pop()?.())
}

/** One for each test, so that its hooks can put there what it needs. What is ours on it cannot be replaced by them. */
export function testContext (): object {
  const test = running()
  const known = test && contexts.get(test)
  if (known) return known
  const skip = skipFor()
  const context = {
    expect,
    task: { name: test?.name ?? '', fullName: test?.fullName ?? '', type: 'test', meta: {} },
    signal: new AbortController().signal,
    annotate: async () => {},
    skip: (condition?: unknown, note: unknown = condition) => {
      if (condition === false) return
      if (test) test.isSkipped = true
      skip(note)
    },
    onTestFinished,
    onTestFailed
  }
  lockProperties(context, new Set())
  if (test) contexts.set(test, context)
  return context
}

/** `(name, body, options)`, `(name, options, body)` or `(name, body, milliseconds)`. */
export function argumentsOf (args: unknown[]): { body: Procedure | undefined, options: TestOptions } {
  const body = args.find((arg): arg is Procedure => typeof arg === 'function')
  const timeout = args.find(arg => typeof arg === 'number')
  const given = args.find((arg): arg is Record<string, unknown> => typeof arg === 'object' && arg !== null) ?? {}
  const time = timeout ?? given.timeout
  return {
    body,
    options: {
      ...(typeof time === 'number' && Number.isFinite(time) && time > 0 && { timeout: time }),
      ...(given.skip === true && { skip: true }),
      ...(given.todo === true && { skip: true }),
      ...(given.only === true && { only: true }),
      ...(given.fails === true && { isExpectedToFail: true }),
      ...(typeof given.retry === 'number' && { retry: Math.min(10, given.retry) }),
      ...(typeof given.repeats === 'number' && given.repeats > 0 && { repeats: Math.trunc(given.repeats) })
    }
  }
}

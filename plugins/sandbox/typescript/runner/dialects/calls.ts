import type { Procedure, TestOptions } from '../registry.js'
import { skipFor } from '../registry.js'
import { expect } from './expect.js'

/** What vitest hands a test that takes a parameter. */
export interface TestContext {
  expect: typeof expect
  task: object
  signal: AbortSignal
  skip (note?: unknown): never
  onTestFinished (hook: Procedure): void
  onTestFailed (hook: Procedure): void
}

/** Calls a test with its row, and what its further parameter wants: vitest's context, or the `done` of jest and mocha. */
export function callTest (body: Procedure, row: unknown[]): unknown {
  if (body.length <= row.length) return body.apply(mochaContext(), row)
  if (wantsContext(body)) return withContext(body, row)
  return new Promise<void>((resolve, reject) => {
    const done = (error?: unknown) => { if (error === undefined || error === null) resolve(); else reject(error instanceof Error ? error : new Error(String(error))) }
    body.apply(mochaContext(), [...row, Object.assign(done, { fail: (error?: unknown) => done(error ?? new Error('done.fail was called')) })])
  })
}

async function withContext (body: Procedure, row: unknown[]): Promise<void> {
  const hooks: Procedure[] = []
  const failHooks: Procedure[] = []
  const context: TestContext = {
    expect,
    task: {},
    signal: new AbortController().signal,
    skip: skipFor(),
    onTestFinished: hook => { hooks.push(hook) },
    onTestFailed: hook => { failHooks.push(hook) }
  }
  try {
    await body(...row, context)
  } catch (error) {
    for (const hook of failHooks) await hook()
    throw error
  } finally {
    for (const hook of hooks.reverse()) await hook()
  }
}

// `({ expect }) =>` and names that are never a callback's. By then the source is all that tells them apart.
function wantsContext (body: Procedure): boolean {
  const head = Function.prototype.toString.call(body).slice(0, 200)
  return /^(?:async\s*)?(?:function\s*\w*\s*)?\(?\s*(?:[\w$]+\s*,\s*)*(?:\{|(?:ctx|context|t|task)\b)/.test(head) && !/^(?:async\s*)?(?:function\s*\w*\s*)?\(?\s*(?:done|cb|callback|next)\b/.test(head)
}

// Mocha's `this`.
export function mochaContext (): object {
  const self: object = { timeout: () => self, slow: () => self, retries: () => self, skip: skipFor() }
  return self
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
      ...(typeof given.retry === 'number' && { retry: Math.min(10, given.retry) })
    }
  }
}

// node:test on the same registry: Deno's own works under `deno test` only.
import assert from 'node:assert'
import { type Procedure, addSuite, addTest, isSkip, skipFor } from '../registry.js'
import { nameOf } from './each.js'
import { mock } from './node-mock.js'
import { afterAll, afterEach, beforeAll, beforeEach } from './suite.js'

interface Options { skip?: boolean | string, todo?: boolean | string, only?: boolean, timeout?: number }

function parse (args: unknown[]) {
  const body = args.find((arg): arg is Procedure => typeof arg === 'function')
  const options = args.find((arg): arg is Options => typeof arg === 'object' && arg !== null) ?? {}
  return { name: args.find(arg => typeof arg === 'string') ?? (body && nameOf(body) !== '' ? nameOf(body) : '<anonymous>'), body, options }
}

function optionsOf ({ skip, todo, only, timeout }: Options) {
  return {
    ...((skip || todo) && { skip: true }),
    ...(only && { only: true }),
    ...(typeof timeout === 'number' && Number.isFinite(timeout) && { timeout })
  }
}

function define (args: unknown[], more: Options = {}): Promise<void> {
  const { name, body, options } = parse(args)
  addTest(name, body && (() => runTest(name, body)), optionsOf({ ...options, ...more }))
  return Promise.resolve()
}

function defineSuite (args: unknown[], more: Options = {}): Promise<void> {
  const { name, body, options } = parse(args)
  addSuite(name, body && (() => body({ name, signal: new AbortController().signal })), optionsOf({ ...options, ...more }))
  return Promise.resolve()
}

type Defining = ((...args: unknown[]) => Promise<void>) & Record<'skip' | 'todo' | 'only', (...args: unknown[]) => Promise<void>>

const defining = (how: (args: unknown[], more?: Options) => Promise<void>): Defining => Object.assign((...args: unknown[]) => how(args), {
  skip: (...args: unknown[]) => how(args, { skip: true }),
  todo: (...args: unknown[]) => how(args, { todo: true }),
  only: (...args: unknown[]) => how(args, { only: true })
})

/** A test of node:test may have a callback, and tests of its own. */
async function runTest (name: string, body: Procedure): Promise<void> {
  const hooks = { before: [] as Procedure[], after: [] as Procedure[], beforeEach: [] as Procedure[], afterEach: [] as Procedure[] }
  let planned: number | undefined
  let counted = 0
  const context = {
    name, fullName: name, filePath: '', signal: new AbortController().signal, mock,
    assert: countingAssert(() => { counted++ }),
    diagnostic () {}, runOnly () {},
    plan: (number: number) => { planned = number },
    skip: skipFor(),
    todo: skipFor(),
    before: async (hook: Procedure) => { await hook() },
    after: (hook: Procedure) => { hooks.after.push(hook) },
    beforeEach: (hook: Procedure) => { hooks.beforeEach.push(hook) },
    afterEach: (hook: Procedure) => { hooks.afterEach.push(hook) },
    test: async (...args: unknown[]) => { counted++; await subtest(args) },
    it: async (...args: unknown[]) => { counted++; await subtest(args) }
  }
  const subtest = async (args: unknown[]) => {
    const { name: title, body: inner, options } = parse(args)
    if (!inner || options.skip || options.todo) return
    try {
      for (const hook of hooks.beforeEach) await hook()
      await runTest(title, inner)
    } catch (error) {
      if (isSkip(error)) return
      if (error instanceof Error) error.message = `${title}: ${error.message}`
      throw error
    } finally {
      for (const hook of hooks.afterEach) await hook()
    }
  }
  try {
    if (body.length < 2) await body(context)
    else await new Promise<void>((resolve, reject) => { body(context, (error?: unknown) => { if (error) reject(error instanceof Error ? error : new Error(String(error))); else resolve() }) })
    if (planned !== undefined && planned !== counted) throw new assert.AssertionError({ message: `planned ${planned} assertions and subtests, and there were ${counted}` })
  } finally {
    for (const hook of hooks.after) await hook()
  }
}

function countingAssert (count: () => void): object {
  return Object.fromEntries(Object.entries(assert).map(([name, method]: [string, unknown]) => [name, typeof method !== 'function' ? method : (...args: unknown[]) => {
    count()
    return (method as Procedure)(...args)
  }]))
}

export const test: Defining = defining(define)
export const it = test
export const describe = defining(defineSuite)
export const suite = describe
export const before = beforeAll
export const after = afterAll
export const run = () => { throw new Error('run() of node:test is not available here') }
export { afterEach, beforeEach, mock }
Object.assign(test, { test, it, describe, suite, before, after, beforeEach, afterEach, mock, run })
export default test

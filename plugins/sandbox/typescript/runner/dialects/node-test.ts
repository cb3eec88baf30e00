// node:test on the same registry: Deno's own works under `deno test` only.
import { type Procedure, addHook, addSuite, addTest, skipped } from '../registry.js'
import { type Given, type Options, enclosing, invoke, parse, scopeOfRunning } from './node-context.js'
import { mock } from './node-mock.js'

// `only` is for Node's own runner, where it is asked to heed it.
function optionsOf ({ skip, timeout }: Options) {
  return {
    ...(skip && { skip: true }),
    ...(typeof timeout === 'number' && Number.isFinite(timeout) && { timeout })
  }
}

function define (args: unknown[], more: Options = {}): Promise<void> {
  const given = parse(args, more)
  const outer = enclosing()
  if (outer) return outer.add(given)
  const { name, body, options } = given
  addTest(name, body && (() => runTest(given, body)), optionsOf(options))
  return Promise.resolve()
}

/** A test that is skipped or to be done is told as such at its end: it runs, and only of the latter a failure does not count. */
async function runTest ({ options }: Given, body: Procedure): Promise<void> {
  const scope = scopeOfRunning()
  if (options.todo) scope.mark = { skipped: skipped(options.todo), isTodo: true }
  try {
    await scope.run(body, options)
  } catch (error) {
    throw scope.mark?.isTodo ? scope.mark.skipped : error
  }
  if (scope.mark && !scope.mark.isTodo) throw scope.mark.skipped
}

function defineSuite (args: unknown[], more: Options = {}): Promise<void> {
  const { name, body, options } = parse(args, more)
  addSuite(name, body && (() => body({ name, signal: new AbortController().signal })), optionsOf({ ...options, skip: Boolean(options.skip || options.todo) }))
  return Promise.resolve()
}

type Defining = ((...args: unknown[]) => Promise<void>) & Record<'skip' | 'todo' | 'only', (...args: unknown[]) => Promise<void>>

const defining = (how: (args: unknown[], more?: Options) => Promise<void>): Defining => Object.assign((...args: unknown[]) => how(args), {
  skip: (...args: unknown[]) => how(args, { skip: true }),
  todo: (...args: unknown[]) => how(args, { todo: true }),
  only: (...args: unknown[]) => how(args, { only: true })
})

const aroundAll = (hook: 'beforeAll' | 'afterAll') => (body: Procedure): void => addHook(hook, () => invoke(body, { name: '', signal: new AbortController().signal }))
const call = async (body: Procedure): Promise<void> => { await invoke(body, scopeOfRunning().context) }

export const test: Defining = defining(define)
export const it = test
export const describe = defining(defineSuite)
export const suite = describe
export const before = aroundAll('beforeAll')
export const after = aroundAll('afterAll')
// The tests within a test have these hooks as well: it keeps those that it has seen.
export const beforeEach = (body: Procedure): void => addHook('beforeEach', async () => {
  scopeOfRunning().hooks.beforeEach.push(body)
  await call(body)
})
export const afterEach = (body: Procedure): void => {
  addHook('beforeEach', () => { scopeOfRunning().hooks.afterEach.push(body) })
  addHook('afterEach', () => call(body))
}
export const run = () => { throw new Error('run() of node:test is not available here') }
export { mock }
Object.freeze(Object.assign(test, { test, it, describe, suite, before, after, beforeEach, afterEach, mock, run }))
export default test

// The tests of all dialects, in the order in which they were defined. The dialects share this module with the runner, and the code
// under test can import whatever they can: what is taken in cannot be changed, and only the runner is told what there is.
import { freeze } from './platform.js'

export type Procedure = (...args: unknown[]) => unknown

export interface TestOptions { skip?: boolean, only?: boolean, timeout?: number, isExpectedToFail?: boolean, retry?: number }

export interface Test {
  readonly name: string
  readonly file: string
  readonly suite: Suite
  /** None for one that was only announced. */
  readonly body: Procedure | undefined
  readonly skip: boolean
  readonly only: boolean
  readonly timeout: number | undefined
  readonly isExpectedToFail: boolean
  readonly retry: number
}

type Hook = 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach'

export interface Suite {
  readonly name: string
  readonly parent: Suite | undefined
  readonly skip: boolean
  readonly only: boolean
  readonly hooks: Readonly<Record<Hook, Set<Procedure>>>
}

/** A test asked not to be run, while it ran. */
export class Skipped extends Error {
  override name = 'Skipped'
}

/** What the runner knows of the tests, and nobody else. */
export interface Collection {
  /** A Set keeps what was added whatever becomes of Array.prototype. */
  tests: ReadonlySet<Test>
  /** Each file's tests stand in a suite of their own, so that its hooks are for them alone. */
  beginFile (path: string): void
  /** A test that comes later cannot be taken in any more. */
  end (): void
}

const tests = new Set<Test>()
let file = ''
let current = newSuite('', undefined, false, false)
let isOpen = false
let isTaken = false

/** Given once, before any code of a job is there. */
export function takeCollection (): Collection {
  if (isTaken) throw new Error('the tests are not to be had')
  isTaken = true
  return {
    tests,
    beginFile (path) {
      file = path
      current = newSuite('', undefined, false, false)
      isOpen = true
    },
    end () { isOpen = false }
  }
}

export function addHook (hook: Hook, body: Procedure): void {
  current.hooks[hook].add(body)
}

export function addTest (name: string, body: Procedure | undefined, { skip = false, only = false, timeout, isExpectedToFail = false, retry = 0 }: TestOptions = {}): void {
  if (!isOpen) throw new Error(`the test '${name}' is defined while tests run: define it at the top of a file or in a group`)
  tests.add(freeze({ name, file, suite: current, body, skip, only, timeout, isExpectedToFail, retry }))
}

/** Defines what is in a group. A group whose function is async is taken in as far as it comes at once. */
export function addSuite (name: string, body: Procedure | undefined, { skip = false, only = false }: TestOptions = {}, self?: object): unknown {
  const outer = current
  current = newSuite(name, outer, skip, only)
  try {
    return body?.apply(self)
  } finally {
    current = outer
  }
}

/** The suites around a test, the outermost first. */
export function lineage (suite: Suite): Set<Suite> {
  const all = suite.parent ? lineage(suite.parent) : new Set<Suite>()
  return all.add(suite)
}

export function fullName (test: Test): string {
  let name = ''
  for (const suite of lineage(test.suite)) if (suite.name !== '') name += `${suite.name} > `
  return name + test.name
}

function newSuite (name: string, parent: Suite | undefined, skip: boolean, only: boolean): Suite {
  const hooks = freeze({ beforeAll: new Set<Procedure>(), afterAll: new Set<Procedure>(), beforeEach: new Set<Procedure>(), afterEach: new Set<Procedure>() })
  return freeze({ name, parent, skip, only, hooks })
}

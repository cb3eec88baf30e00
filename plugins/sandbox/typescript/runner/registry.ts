// The tests of all dialects, in the order in which they were defined.

export type Procedure = (...args: unknown[]) => unknown

export interface TestOptions { skip?: boolean, only?: boolean, timeout?: number, isExpectedToFail?: boolean, retry?: number }

export interface Test extends TestOptions {
  name: string
  file: string
  suite: Suite
  /** None for one that was only announced. */
  body: Procedure | undefined
}

export interface Suite {
  name: string
  parent: Suite | undefined
  skip: boolean
  only: boolean
  hooks: Record<'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach', Set<Procedure>>
  /** How many of its tests are still to end. */
  left: number
  hasBegun: boolean
  /** What its beforeAll threw: none of its tests can pass then. */
  broken: { thrown: unknown } | undefined
}

/** A test asked not to be run, while it ran. */
export class Skipped extends Error {
  override name = 'Skipped'
}

// A Set keeps what was added whatever becomes of Array.prototype.
export const tests = new Set<Test>()

let file = ''
let current = newSuite('', undefined)
/** Once tests run, a further one cannot be taken in any more. */
let isOpen = false

/** Each file's tests stand in a suite of their own, so that its hooks are for them alone. */
export function beginFile (path: string): void {
  file = path
  current = newSuite('', undefined)
  isOpen = true
}

export function endCollection (): void {
  isOpen = false
}

export function currentSuite (): Suite {
  return current
}

export function addTest (name: string, body: Procedure | undefined, options: TestOptions = {}): void {
  if (!isOpen) throw new Error(`the test '${name}' is defined while tests run: define it at the top of a file or in a group`)
  tests.add({ name, file, suite: current, body, ...options })
  for (const suite of lineage(current)) suite.left++
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

function newSuite (name: string, parent: Suite | undefined, skip = false, only = false): Suite {
  const hooks = { beforeAll: new Set<Procedure>(), afterAll: new Set<Procedure>(), beforeEach: new Set<Procedure>(), afterEach: new Set<Procedure>() }
  return { name, parent, skip, only, hooks, left: 0, hasBegun: false, broken: undefined }
}

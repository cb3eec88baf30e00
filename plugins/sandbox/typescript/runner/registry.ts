// The tests of all dialects, in the order in which they were defined. What is taken in cannot be changed, and only the runner is
// told what there is.
import { AsyncLocalStorage } from 'node:async_hooks'
import { freeze, uncurry } from './platform.js'

export type Procedure = (...args: unknown[]) => unknown

export interface TestOptions { skip?: boolean, only?: boolean, timeout?: number, isExpectedToFail?: boolean, retry?: number, repeats?: number }

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
  /** How often it is run once more, though it passed. */
  readonly repeats: number
}

type Hook = 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach'

export interface Suite {
  readonly name: string
  readonly parent: Suite | undefined
  readonly skip: boolean
  readonly only: boolean
  readonly hooks: Readonly<Record<Hook, Set<Procedure>>>
}

/** A test asked not to be run, while it ran. Whoever comes by the class makes nothing of it: see `skipFor`. */
export class Skipped extends Error {
  override name = 'Skipped'
}

type Owner = Test | Suite
const owners = new WeakMap<object, Owner>()
const ownerOf = uncurry<WeakMap<object, Owner>, [object], Owner | undefined>(WeakMap.prototype.get)
const setOwner = uncurry<WeakMap<object, Owner>, [object, Owner], unknown>(WeakMap.prototype.set)
let running: Owner | undefined

/** The test that runs, or the group whose hooks do. */
export function setRunning (owner: Owner | undefined): void {
  running = owner
}

/** What skips the test, or the group, that runs now; later it only throws. */
export function skipFor (): (note?: unknown) => never {
  const owner = running
  return note => { throw skipped(note, owner) }
}

/** To be thrown by what runs now, at its end at the latest. */
export function skipped (note?: unknown, owner = running): Skipped {
  const thrown = new Skipped(typeof note === 'string' ? note : '')
  if (owner !== undefined && owner === running) setOwner(owners, thrown, owner)
  return thrown
}

export function isSkip (thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false
  const owner = ownerOf(owners, thrown)
  if (owner === undefined || running === undefined) return false
  return owner === running || ('suite' in running && lineage(running.suite).has(owner as Suite))
}

/** What the runner knows of the tests, and nobody else. */
export interface Collection {
  /** A Set keeps what was added whatever becomes of Array.prototype. */
  tests: ReadonlySet<Test>
  /** Each file's tests stand in a suite of their own, so that its hooks are for them alone. */
  beginFile (path: string): void
  /** Waits for groups whose functions are async. */
  whole (): Promise<void>
  /** A test that comes later cannot be taken in any more. */
  end (): void
}

const tests = new Set<Test>()
let file = ''
let root = newSuite('', undefined, false, false)
// Also of what comes later in an async function, by way of the engine.
const groups = new AsyncLocalStorage<Suite>()
const within = uncurry<AsyncLocalStorage<Suite>, [Suite, () => unknown], unknown>(groups.run)
const store = uncurry<AsyncLocalStorage<Suite>, [], Suite | undefined>(groups.getStore)
const waiting = new Set<Promise<unknown>>()
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
      root = newSuite('', undefined, false, false)
      isOpen = true
    },
    async whole () {
      for (const group of waiting) await group
      waiting.clear()
    },
    end () { isOpen = false }
  }
}

export function addHook (hook: Hook, body: Procedure): void {
  groupHere().hooks[hook].add(body)
}

export function addTest (name: string, body: Procedure | undefined, { skip = false, only = false, timeout, isExpectedToFail = false, retry = 0, repeats = 0 }: TestOptions = {}): void {
  if (!isOpen) throw new Error(`the test '${name}' is defined while tests run: define it at the top of a file or in a group`)
  tests.add(freeze({ name, file, suite: groupHere(), body, skip, only, timeout, isExpectedToFail, retry, repeats }))
}

/** Defines what is in a group. */
export function addSuite (name: string, body: Procedure | undefined, { skip = false, only = false }: TestOptions = {}, self?: object): void {
  if (!body) return
  const made = within(groups, newSuite(name, groupHere(), skip, only), () => { const made: unknown = Reflect.apply(body, self, []); return made })
  if (made instanceof Promise) waiting.add(made)
}

/** The group that is being defined. */
export function groupHere (): Suite {
  return store(groups) ?? root
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

// What a test of node:test is handed, and the tests within it.
import assert from 'node:assert'
import { lockProperties } from '../lock.js'
import { later, now } from '../platform.js'
import { type Procedure, type Skipped, skipped } from '../registry.js'
import { nameOf } from './each.js'
import { waitFor } from './mocks.js'
import { type Tracker, tracker } from './node-mock.js'
import { running } from './running.js'

export interface Options { skip?: boolean | string, todo?: boolean | string, only?: boolean, timeout?: number, plan?: number }
export interface Given { name: string, body: Procedure | undefined, options: Options }
interface Hooks { beforeEach: Procedure[], afterEach: Procedure[] }

/** `(name, options, body)`, each of which may be left out. */
export function parse (args: unknown[], more: Options = {}): Given {
  const body = args.find((arg): arg is Procedure => typeof arg === 'function')
  const options = args.find((arg): arg is Options => typeof arg === 'object' && arg !== null) ?? {}
  return { name: args.find(arg => typeof arg === 'string') ?? (body && nameOf(body) !== '' ? nameOf(body) : '<anonymous>'), body, options: { ...options, ...more } }
}

/** Calls a test or a hook with its context, and with a callback where it has room for one. */
export function invoke (body: Procedure, context: object): unknown {
  if (body.length < 2) return body.apply(context, [context])
  return new Promise<void>((resolve, reject) => {
    body.apply(context, [context, (error?: unknown) => { if (error) reject(error instanceof Error ? error : new Error(String(error))); else resolve() }])
  })
}

let innermost: Pick<Scope, 'add'> | undefined
/** The test that a `test()` called just now would be within. */
export const enclosing = (): typeof innermost => innermost

let ofRunning: { test: unknown, scope: Scope } | undefined
/** That of the test that runs: its hooks are handed the same context. */
export function scopeOfRunning (): Scope {
  const test = running()
  if (ofRunning?.test !== test || !ofRunning) ofRunning = { test, scope: new Scope(test?.name ?? '', test?.fullName ?? '') }
  return ofRunning.scope
}

export class Scope {
  readonly context: object
  /** For each test within. */
  readonly hooks: Hooks
  /** Why it was skipped, or is still to be done: thrown at its end, from where it was said. */
  mark: { skipped: Skipped, isTodo: boolean } | undefined
  readonly #fullName: string
  readonly #after: Procedure[] = []
  readonly #mock: Tracker = tracker()
  readonly #failures: unknown[] = []
  #queue: Promise<void> = Promise.resolve()
  #planned: { count: number, wait: number } | undefined
  #counted = 0
  #isOver = false

  constructor (name: string, fullName: string, hooks: Hooks = { beforeEach: [], afterEach: [] }) {
    this.#fullName = fullName
    this.hooks = { beforeEach: [...hooks.beforeEach], afterEach: [...hooks.afterEach] }
    this.context = {
      name, fullName, filePath: '', signal: new AbortController().signal,
      mock: this.#mock,
      assert: countingAssert(() => { this.#counted++ }),
      diagnostic () {}, runOnly () {},
      plan: (count: number, { wait = false }: { wait?: boolean | number } = {}) => this.#plan(count, wait === true ? Infinity : Number(wait)),
      skip: (why?: unknown) => this.#say(why, false),
      todo: (why?: unknown) => this.#say(why, true),
      before: (hook: Procedure) => { this.#queue = this.#next(() => invoke(hook, this.context)) },
      after: (hook: Procedure) => { this.#after.push(hook) },
      beforeEach: (hook: Procedure) => { this.hooks.beforeEach.push(hook) },
      afterEach: (hook: Procedure) => { this.hooks.afterEach.push(hook) },
      test: (...args: unknown[]) => this.add(parse(args)),
      it: (...args: unknown[]) => this.add(parse(args)),
      waitFor
    }
    // Hooks may put more there for their tests; what tests assert with stays.
    lockProperties(this.context, new Set())
  }

  /** A test within this one, after those before it. Nobody who waits for it hears of a failure: that is this test's own. */
  add (given: Given): Promise<void> {
    if (this.#isOver) return Promise.reject(new Error(`the test '${given.name}' began after its parent had ended`))
    this.#counted++
    this.#queue = this.#next(async () => await this.#runWithin(given))
    return this.#queue
  }

  async run (body: Procedure, { plan }: Options): Promise<void> {
    const outer = innermost
    innermost = { add: given => this.add(given) }
    try {
      if (typeof plan === 'number') this.#plan(plan, 0)
      await invoke(body, this.context)
      await this.#settled()
      await this.#checkPlan()
      if (this.#failures.length > 0) throw this.#failures[0]
    } finally {
      this.#isOver = true
      innermost = outer
      this.#mock.reset()
      for (const hook of this.#after) await invoke(hook, this.context)
    }
  }

  async #next (step: Procedure): Promise<void> {
    const before = this.#queue
    await before
    try {
      await step()
    } catch (thrown) {
      this.#failures.push(thrown)
    }
  }

  async #settled (): Promise<void> {
    for (let seen; seen !== this.#queue;) {
      seen = this.#queue
      await seen
    }
  }

  async #runWithin ({ name, body, options }: Given): Promise<void> {
    if (!body || options.skip) return
    const inner = new Scope(name, `${this.#fullName} > ${name}`, this.hooks)
    if (options.todo) inner.#say(options.todo, true)
    try {
      try {
        for (const hook of this.hooks.beforeEach) await invoke(hook, inner.context)
        await inner.run(body, options)
      } finally {
        for (const hook of this.hooks.afterEach) await invoke(hook, inner.context)
      }
    } catch (error) {
      // One that is to be done may fail. Whether it is the test that says so shows where this one is told as skipped, too.
      if (inner.mark?.isTodo) return void (this.mark = { ...inner.mark, isTodo: false })
      if (error instanceof Error) Reflect.set(error, 'message', `${name}: ${error.message}`)
      throw error
    }
  }

  #say (why: unknown, isTodo: boolean): void {
    this.mark ??= { skipped: skipped(why), isTodo }
  }

  // Once, as in Node: what it tests could otherwise bring the number down to what came.
  #plan (count: number, wait: number): void {
    if (this.#planned) throw new Error('a test can be planned once only')
    this.#planned = { count, wait }
  }

  async #checkPlan (): Promise<void> {
    if (!this.#planned) return
    const { count, wait } = this.#planned
    for (const end = now() + wait; this.#counted < count && now() < end;) await new Promise(resolve => later(resolve, 5))
    if (count !== this.#counted) throw new assert.AssertionError({ message: `planned ${count} assertions and subtests, and there were ${this.#counted}` })
  }
}

function countingAssert (count: () => void): object {
  return Object.freeze(Object.fromEntries(Object.entries(assert).map(([name, method]: [string, unknown]) => [name, typeof method !== 'function' ? method : (...args: unknown[]) => {
    count()
    return (method as Procedure)(...args)
  }])))
}

import { type Procedure, type TestOptions, addSuite, addTest } from '../registry.js'
import { argumentsOf, callTest, defineHook, withContext } from './calls.js'
import { nameOf, rowsOf, titleOf } from './each.js'
import { extended } from './fixtures.js'
import { mochaContext } from './mocha-context.js'

// vitest, jest, mocha and bun agree on these names, give or take a word.

interface Chain { (name: unknown, ...args: unknown[]): void, [word: string]: unknown }

const WORDS: Record<string, TestOptions> = {
  skip: { skip: true }, only: { only: true }, todo: { skip: true }, fails: { isExpectedToFail: true }, failing: { isExpectedToFail: true }, concurrent: {}, sequential: {}, shuffle: {}, serial: {}
}

export const test = chain((name, args, options) => {
  const { body, options: more } = argumentsOf(args)
  const self = mochaContext()
  addTest(nameOf(name), body && (() => callTest(body, [], self)), { ...more, ...options })
}, (name, row, body, options) => {
  const self = mochaContext()
  addTest(name, () => callTest(body, row, self), options)
})

export const describe = chain((name, args, options) => {
  const { body, options: more } = argumentsOf(args)
  addSuite(nameOf(name), body, { ...more, ...options }, mochaContext())
}, (name, row, body, options) => { addSuite(name, () => body(...row), options) })

export const [beforeAll, afterAll, beforeEach, afterEach] = (['beforeAll', 'afterAll', 'beforeEach', 'afterEach'] as const).map(hook => (...args: unknown[]) => {
  const { body } = argumentsOf(args)
  if (body) defineHook(hook, body)
}) as [Hook, Hook, Hook, Hook]

type Hook = (...args: unknown[]) => void
type Define = (name: unknown, args: unknown[], options: TestOptions) => void
type DefineRow = (name: string, row: unknown[], body: Procedure, options: TestOptions) => void

/** A function with the words that can follow it: `test.skip.each`. */
function chain (define: Define, defineRow: DefineRow, options: TestOptions = {}): Chain {
  const made = ((name: unknown, ...args: unknown[]) => define(name, args, options)) as Chain
  for (const [word, more] of Object.entries(WORDS)) {
    Object.defineProperty(made, word, { get: () => chain(define, defineRow, { ...options, ...more }) })
  }
  const when = (condition: unknown) => chain(define, defineRow, { ...options, ...(condition ? {} : { skip: true }) })
  const each = (asRows: boolean) => (table: unknown, ...values: unknown[]) => (name: unknown, ...args: unknown[]) => {
    const { body, options: more } = argumentsOf(args)
    for (const [index, row] of rowsOf(asRows ? table : wrapped(table), values).entries()) {
      if (body) defineRow(titleOf(name, asRows ? row : row.flat(), index), row, asRows ? body : withContext(body), { ...more, ...options })
    }
  }
  const extras = {
    each: each(true),
    for: each(false),
    runIf: when,
    if: when,
    skipIf: (condition: unknown) => when(!condition),
    todoIf: (condition: unknown) => when(!condition),
    extend: (fixtures: object) => extended(made, fixtures)
  }
  return Object.assign(made, extras)
}

// `for` hands on each entry as it is.
function wrapped (table: unknown): unknown {
  return Array.isArray(table) && !('raw' in table) ? table.map((row: unknown) => [row]) : table
}

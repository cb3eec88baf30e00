import t from 'tap'
import type { TestReport } from '../../../../agents/types.js'
import { openSandbox, patience } from '../support.js'

const sandbox = openSandbox(t)

async function run (source: string, file = 'a.test.ts', more: Record<string, string> = {}): Promise<TestReport> {
  return await sandbox.test({ language: 'typescript', files: { [file]: source, ...more }, tests: [file] }, patience())
}

const outcomesOf = (report: TestReport) => Object.fromEntries(report.tests.map(({ name, outcome }) => [name, outcome]))
const troubles = (report: TestReport) => [report.cause, report.message, ...report.tests.filter(({ outcome }) => outcome === 'failed').map(({ name, message }) => `${name}: ${message}`)].filter(Boolean)

void t.test('vitest: groups, hooks, tables, mocks, timers, matchers', async t => {
  const report = await run(`import { afterEach, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest'
const log: string[] = []
beforeAll(() => { log.push('all') })
describe('outer', () => {
  beforeEach(() => { log.push('outer') })
  describe('inner', () => {
    beforeEach(async () => { await null; log.push('inner') })
    afterEach(() => { log.push('after') })
    it('runs hooks from the outside in', () => { expect(log).toEqual(['all', 'outer', 'inner']) })
    it('runs them for each test', () => { expect(log.slice(3)).toEqual(['after', 'outer', 'inner']) })
  })
})
it.each([[1, 1, 2], [2, 3, 5]])('adds %i and %i to %i', (a, b, c) => { expect(a + b).toBe(c) })
it.each([{ a: 1, w: 2 }])('doubles $a to $w', ({ a, w }) => { expect(a * 2).toBe(w) })
it.each\`a | b
\${1} | \${2}
\${3} | \${6}\`('doubles $a of the table to $b', ({ a, b }: any) => { expect(a * 2).toBe(b) })
test.skip('is skipped', () => { throw 1 })
test.todo('is to come')
it.skipIf(true)('is skipped by a condition', () => { throw 1 })
it.fails('fails as announced', () => { expect(1).toBe(2) })
it('awaits', async () => {
  await expect(Promise.resolve(3)).resolves.toBe(3)
  await expect(Promise.reject(new TypeError('no'))).rejects.toThrow(TypeError)
  await expect(async () => { throw new Error('zz') }).rejects.toThrow('zz')
})
it('mocks', async () => {
  const f = vi.fn().mockReturnValueOnce(1).mockResolvedValue(5)
  expect(f('a')).toBe(1)
  expect(await f('b')).toBe(5)
  expect(f).toHaveBeenCalledTimes(2)
  expect(f).toHaveBeenNthCalledWith(1, 'a')
  const o = { g: (x: number) => x }
  const s = vi.spyOn(o, 'g').mockImplementation(() => 9)
  expect(o.g(1)).toBe(9)
  s.mockRestore()
  expect(o.g(1)).toBe(1)
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  vi.spyOn(Date, 'now').mockReturnValue(7)
  expect([Math.random(), Date.now()]).toEqual([0.5, 7])
  vi.restoreAllMocks()
  expect(Math.random()).not.toBe(0.5)
})
it('moves time', async () => {
  vi.useFakeTimers()
  const f = vi.fn()
  setTimeout(f, 1000)
  vi.advanceTimersByTime(999)
  expect(f).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(f).toHaveBeenCalledOnce()
  vi.setSystemTime(new Date('2024-01-01T00:00:00Z'))
  expect(new Date().getUTCFullYear()).toBe(2024)
  expect(new Date() instanceof Date).toBe(true)
  const p = new Promise(r => setTimeout(() => r(1), 500))
  await vi.advanceTimersByTimeAsync(500)
  expect(await p).toBe(1)
  vi.useRealTimers()
  expect(Date.now()).toBeGreaterThan(1.7e12)
})
it('matches', () => {
  expect({ a: 1, b: { c: [1, 2] } }).toMatchObject({ b: { c: [1, 2] } })
  expect([{ a: 1 }]).toContainEqual({ a: 1 })
  expect(0.1 + 0.2).toBeCloseTo(0.3)
  expect({ a: { b: 1 } }).toHaveProperty('a.b', 1)
  expect({ a: 1, d: new Date() }).toEqual({ a: expect.any(Number), d: expect.any(Date) })
  expect(new Set([1])).toEqual(new Set([1]))
  expect({ a: undefined }).not.toStrictEqual({})
  expect(() => JSON.parse('{')).toThrowError(SyntaxError)
})
it('is extended', () => {
  expect.extend({ toBeEven (n: number) { return { pass: n % 2 === 0, message: () => 'not even' } } })
  ;(expect(4) as any).toBeEven()
})
it('is given a context', ({ expect: e, skip }) => { e(1).toBe(1); e(typeof skip).toBe('function') })
it('skips itself', ctx => { ctx.skip() })
it('counts assertions', () => { expect.assertions(1); expect(1).toBe(1) })
it('reads no variables', () => { expect(process.env.NOPE ?? 'none').toBe('none') })
it('compares inline snapshots', () => {
  expect({ a: 1 }).toMatchInlineSnapshot(\`
    {
      "a": 1,
    }
  \`)
  expect(() => expect({ a: 2 }).toMatchInlineSnapshot('{ "a": 1 }')).toThrow(/mismatched/)
})
it('stubs globals', async () => {
  vi.stubGlobal('fetch', vi.fn(async () => new Response('{}')))
  expect(await (await fetch('https://x.y')).json()).toEqual({})
  vi.unstubAllGlobals()
})`)
  t.same(troubles(report), [])
  t.equal(report.outcome, 'passed')
  t.equal(report.tests.length, 22)
  const outcomes = outcomesOf(report)
  t.equal(outcomes['outer > inner > runs hooks from the outside in'], 'passed')
  t.equal(outcomes['adds 2 and 3 to 5'], 'passed')
  t.equal(outcomes['doubles 1 to 2'], 'passed')
  t.equal(outcomes['doubles 3 of the table to 6'], 'passed')
  for (const name of ['is skipped', 'is to come', 'is skipped by a condition', 'skips itself']) t.equal(outcomes[name], 'skipped', name)
})

void t.test('vitest: what is wrong fails, with a message and a line', async t => {
  const report = await run(`import { afterAll, beforeAll, describe, expect, it } from 'vitest'
it('is equal', () => {
  expect(1).toBe(2)
})
it('counts', () => { expect.assertions(2); expect(1).toBe(1) })
it('has none', () => { expect.hasAssertions() })
it.fails('was to fail', () => {})
it('forgets a promise', async () => { Promise.reject(new Error('forgotten')); await new Promise(r => setTimeout(r, 5)) })
describe('broken', () => { beforeAll(() => { throw new Error('no ground') }); it('cannot begin', () => {}) })
describe('torn', () => { afterAll(() => { throw new Error('no end') }); it('cannot end', () => {}) })
it('throws what is no error', () => { throw 'a text' })
`)
  t.equal(report.outcome, 'failed')
  t.same(report.tests.map(({ name, outcome, message }) => [name, outcome, message?.split('\n')[0]]), [
    ['is equal', 'failed', 'AssertionError: expected 1 to be 2 // Object.is equality'],
    ['counts', 'failed', 'Error: expected number of assertions to be 2, but got 1'],
    ['has none', 'failed', 'Error: expected any number of assertions, but got none'],
    ['was to fail', 'failed', 'Error: Expect test to fail'],
    ['forgets a promise', 'failed', 'Error: forgotten'],
    ['broken > cannot begin', 'failed', 'Error: no ground'],
    ['torn > cannot end', 'failed', 'Error: no end'],
    ['throws what is no error', 'failed', 'string: a text']
  ])
  t.same(report.tests[0]?.frame, { file: 'a.test.ts', line: 3 })
})

void t.test('jest: globals, @jest/globals, done, fake functions', async t => {
  const report = await run(`import { jest } from '@jest/globals'
describe('d', () => {
  test('done', (done) => { setTimeout(() => { expect(1).toBe(1); done() }, 5) })
  test('done with an error', done => { done(new Error('told')) })
  test('fn', () => { const f = jest.fn(() => 2); expect(f()).toBe(2); expect(f.mock.results[0].value).toBe(2) })
  test('console', () => { const s = jest.spyOn(console, 'log').mockImplementation(() => {}); console.log('q'); expect(s).toHaveBeenCalledWith('q'); s.mockRestore() })
  xit('crossed out', () => { throw 1 })
})`)
  t.same(outcomesOf(report), { 'd > done': 'passed', 'd > done with an error': 'failed', 'd > fn': 'passed', 'd > console': 'passed', 'd > crossed out': 'skipped' })
})

void t.test('node:test: groups, subtests, mocks, callbacks, plans', async t => {
  const report = await run(`import { test, describe, it, before, beforeEach, mock } from 'node:test'
import assert from 'node:assert'
import strict from 'node:assert/strict'
describe('group', () => {
  let n = 0
  before(() => { n = 10 })
  beforeEach(() => { n++ })
  it('first', () => { assert.strictEqual(n, 11) })
  it('second', async () => { await null; strict.equal(n, 12) })
})
test('subtests', async (t) => { await t.test('one', () => { assert.ok(true) }); await t.test('two', t => { t.diagnostic('x') }) })
test('a subtest that fails', async (t) => { await t.test('inner', () => { assert.equal(1, 2) }) })
test('mocks', t => {
  const f = mock.fn((x: number) => x * 2)
  assert.equal(f(2), 4)
  assert.deepEqual(f.mock.calls[0].arguments, [2])
  assert.equal(f.mock.callCount(), 1)
  const o = { m () { return 1 }, get g () { return 1 } }
  t.mock.method(o, 'm', () => 7)
  assert.deepEqual([o.m(), o.g], [7, 1])
  t.mock.restoreAll()
  assert.deepEqual([o.m(), o.g], [1, 1])
})
test('skipped', { skip: true }, () => { throw 1 })
test('skips', t => { t.skip('not today'); assert.equal(1, 2) })
test('callback', (t, done) => { setTimeout(done, 2) })
test('plan', t => { t.plan(2); t.assert.ok(true); t.assert.equal(1, 1) })
test('plan missed', t => { t.plan(2); t.assert.ok(true) })
test('rejects', async () => { await assert.rejects(async () => { throw new TypeError('x') }, TypeError) })
`)
  t.same(outcomesOf(report), {
    group: 'passed', 'group > first': 'passed', 'group > second': 'passed', subtests: 'passed', 'subtests > one': 'passed', 'subtests > two': 'passed',
    'a subtest that fails': 'failed', 'a subtest that fails > inner': 'failed', mocks: 'passed', skipped: 'skipped', skips: 'skipped',
    callback: 'passed', plan: 'passed', 'plan missed': 'failed', rejects: 'passed'
  })
  t.match(report.tests.find(({ name }) => name === 'a subtest that fails')?.message, /failed within it: inner/)
  t.match(report.tests.find(({ name }) => name === 'a subtest that fails > inner'), { message: /1 == 2/, frame: { file: 'a.test.ts', line: 12 } })
})

void t.test('Deno.test', async t => {
  const report = await run(`import { deepStrictEqual, rejects, throws } from 'node:assert'
Deno.test('named', () => { deepStrictEqual({ a: [1] }, { a: [1] }) })
Deno.test('differs', () => { deepStrictEqual(1, 2) })
Deno.test('steps', async t => { await t.step('one', () => {}); await t.step('two', () => { throws(() => { throw new TypeError('told') }, TypeError) }) })
Deno.test('a step that fails', async t => { await t.step('inner', () => { throw new Error('x') }) })
Deno.test('a step that does not end', async t => { void t.step('late', () => new Promise(() => {})) })
Deno.test({ name: 'ignored', ignore: true, fn () { throw 1 } })
Deno.test(function byItsName () {})
Deno.test('rejects', async () => { await rejects(async () => { throw new Error('y') }) })
`)
  t.same(outcomesOf(report), {
    named: 'passed', differs: 'failed', steps: 'passed', 'steps > one': 'passed', 'steps > two': 'passed', 'a step that fails': 'failed', 'a step that fails > inner': 'failed',
    'a step that does not end': 'failed', 'a step that does not end > late': 'failed', ignored: 'skipped', byItsName: 'passed', rejects: 'passed'
  })
})

void t.test('bun:test and mocha with chai', async t => {
  const bun = await run(`import { describe, expect, it, mock, spyOn } from 'bun:test'
describe('b', () => { it('mocks', () => { const f = mock(() => 3); expect(f()).toBe(3); expect(f).toHaveBeenCalled(); const o = { x: () => 1 }; spyOn(o, 'x').mockReturnValue(2); expect(o.x()).toBe(2) }) })`)
  t.same(troubles(bun), [])
  t.equal(bun.outcome, 'passed')
  const mocha = await run(`import { expect, assert } from 'chai'
describe('m', function () {
  this.timeout(2000)
  before(function () { this.timeout(100) })
  it('works', function () { expect([1, 2]).to.include(2); expect({ a: 1 }).to.deep.equal({ a: 1 }); expect(() => { throw new Error('x') }).to.throw('x'); assert.equal(1, 1) })
  specify('calls back', done => { setTimeout(done, 1) })
})`)
  t.same(troubles(mocha), [])
  t.equal(mocha.outcome, 'passed')
})

void t.test('the language: enums, namespaces, decorators, parameter properties, JSON, workers, CommonJS habits', async t => {
  const report = await run(`import { expect, it } from 'vitest'
import data from './data.json' with { type: 'json' }
import { two } from './lib/two.js'
import three from './lib/three'
import { readFileSync } from 'fs'
import path from 'path'
enum E { A = 1 }
namespace N { export const q = 2 }
class P { constructor (private x: number, readonly y = 3) {} get () { return this.x + this.y } }
function log (method: any, _context: any) { return function (this: any, ...args: any[]) { return 'd' + method.apply(this, args) } }
class A { @log m () { return 'x' } }
it('compiles', () => { expect(E.A + N.q + new P(1).get()).toBe(7); expect(new A().m()).toBe('dx'); expect(data.n + two + three).toBe(6) })
it('knows where it is', () => { expect(path.basename(import.meta.url)).toBe('a.test.ts'); expect(readFileSync(new URL('./data.json', import.meta.url), 'utf8')).toContain('n') })
it('works with threads', async () => {
  const worker = new Worker('data:text/javascript,postMessage(41 + 1)', { type: 'module' })
  expect(await new Promise(resolve => { worker.onmessage = e => resolve(e.data) })).toBe(42)
  worker.terminate()
})
it('lets heirs differ', () => {
  class List extends Array<number> { override toString () { return 'list' } }
  const o: any = {}; o.toString = () => 'o'; o.hasOwnProperty = () => false
  const e = new Error('a'); e.name = 'Own'; e.message = 'b'
  expect([String(new List()), String(o), e.toString()]).toEqual(['list', 'o', 'Own: b'])
  ;(Array.prototype as any).last = function () { return this[this.length - 1] }
  expect(([1, 2] as any).last()).toBe(2)
})
if (typeof require !== 'undefined' && require.main === module) throw new Error('taken for the main program')
`, 'a.test.ts', { 'data.json': '{"n":1}', 'lib/two.ts': 'export const two: number = 2', 'lib/three.ts': 'export default 3' })
  t.same(troubles(report), [])
  t.equal(report.outcome, 'passed')
})

void t.test('several files of tests, each with hooks of its own', async t => {
  const files = {
    'a.test.ts': 'import { beforeEach, it } from "vitest"\nbeforeEach(() => { throw new Error("of a alone") })\nit("same", () => {})',
    'b.test.ts': 'import { it } from "vitest"\nit("same", () => {})'
  }
  const report = await sandbox.test({ language: 'typescript', files, tests: ['a.test.ts', 'b.test.ts'] }, patience())
  t.same(report.tests.map(({ file, name, outcome }) => [file, name, outcome]), [['a.test.ts', 'same', 'failed'], ['b.test.ts', 'same', 'passed']])
})

void t.test('what the runner does not have is not run, with the reason: replaced modules, and modules that are loaded anew', async t => {
  const replaced = await run('import { it, vi } from "vitest"\nvi.mock("./x")\nit("x", () => {})')
  t.match(replaced, { outcome: 'not run', cause: 'not available', message: /vi\.mock, jest\.mock\) is not available here/, missing: [] })
  const anew = await run('test("x", () => { jest.isolateModules(() => {}) })\ntest("y", () => {})')
  const message = /jest\.isolateModules\) is not available here/
  t.match(anew, { outcome: 'not run', cause: 'not available', message, tests: [{ outcome: 'not run', message }, { outcome: 'passed' }] })
})

void t.test('`only` leaves out the other tests', async t => {
  const report = await run('import { it } from "vitest"\nit("a", () => { throw 1 })\nit.only("b", () => {})')
  t.same(outcomesOf(report), { a: 'skipped', b: 'passed' })
})

void t.test('another version or part of a library is not available; the libraries that are here have types', async t => {
  const old = await run('import { assertEquals } from "jsr:@std/assert@1"\nDeno.test("x", () => { assertEquals(1, 2) })')
  t.match(old, { outcome: 'not run', cause: 'not available', missing: ['@std/assert'] })
  const part = await run('import { defineConfig } from "vitest/config"\nimport { it } from "vitest"\nit("x", () => { defineConfig({}) })')
  t.match(part, { outcome: 'not run', cause: 'not available', missing: ['vitest/config'] })
  const files = { 'a.test.ts': `import { expect, onTestFailed, onTestFinished, test as base } from 'vitest'
const test = base.extend<{ two: number }>({ two: async ({}, use: any) => { await use(2) } })
test('adds', ({ two }) => { onTestFailed(() => {}); onTestFinished(() => {}); expect(two).toBe(2) })
` }
  t.same((await sandbox.check({ language: 'typescript', files }, patience())).diagnostics.filter(({ source }) => source === 'types'), [])
})

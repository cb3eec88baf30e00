import t from 'tap'
import { tempFolder, write } from '../../../support/folders.js'
import { openSandbox, outside, patience } from '../support.js'

// Forgeries by what objects inherit, by what the runner's own modules share, and by skips: found by a reader who had not
// written the sandbox. `hook` runs at each call of the code under test. `outside`: the same trick where nobody minds it.
interface Trick { name: string, solution: string, test?: string, outside: string }

const WRONG = 'export const add = (a: number, b: number): number => { hook(); return a - b }\n'
const PAIR = 'export const pair = (): unknown => { hook(); return { a: 1, b: [9, 9] } }\n'
const TEST = 'import { expect, it } from \'vitest\'\nimport { add } from \'./add.ts\'\nit(\'zero\', () => { expect(add(0, 0)).toBe(0) })\nit(\'adds\', () => { expect(add(2, 3)).toBe(5) })\n'
const DEEP = (matcher: string, library = 'vitest') => `import { expect } from '${library}'\nimport { pair } from './add.ts'\nit('zero', () => {})\nit('pairs', () => { expect(pair()).${matcher}({ a: 1, b: [2, 3] }) })\n`
const NODE = 'import assert from \'node:assert\'\nimport { test } from \'node:test\'\nimport { pair } from \'./add.ts\'\ntest(\'zero\', () => {})\ntest(\'pairs\', () => { assert.deepStrictEqual(pair(), { a: 1, b: [2, 3] }) })\n'
// The modules that the runner shares with what tests import.
const CHUNKS = `const text = await Deno.readTextFile(new URL(import.meta.resolve('vitest')))
const dir = import.meta.resolve('vitest').replace(/vitest\\.js$/, '')
const parts: any[] = []
for (const name of new Set(['main.js', 'vitest.js', 'node-test.js', 'chai.js', 'std-assert.js', ...[...text.matchAll(/chunk-[A-Z0-9]+\\.js/g)].map(String)])) parts.push(...Object.values(await import(dir + name)))
`
const once = (name: string, value: string, on = 'Object.prototype') => `let calls = 0\nconst hook = () => { if (calls++) Object.defineProperty(${on}, ${name}, { value: ${value}, configurable: true, writable: true }) }\n`
const now = (name: string, value: string, on = 'Object.prototype') => `const hook = () => {}\nObject.defineProperty(${on}, ${name}, { value: ${value}, configurable: true, writable: true })\n`
const inherited = (name: string, value: string) => `Object.prototype[${name}] = ${value}; if (({})[${name}] !== undefined) console.log("FORGED")`

const TRICKS: Trick[] = [
  { name: 'every test is expected to fail', solution: `${once('"isExpectedToFail"', 'true')}${WRONG}`, outside: inherited('"isExpectedToFail"', 'true') },
  { name: 'every test is expected to fail, as its options say', solution: `${now('"fails"', 'true')}${WRONG.replace('a - b', 'NaN')}`, outside: inherited('"fails"', 'true') },
  { name: 'every test is tried again', solution: `${now('"retry"', '5')}let tries = 0\nexport const add = (a: number, b: number) => a && tries++ < 1 ? 0 : a + b\n`, outside: inherited('"retry"', '5') },
  { name: 'assertions are negated', solution: `${once('"negate"', 'true')}${WRONG}`, outside: inherited('"negate"', 'true') },
  { name: 'the flags of assertions', solution: `${once('"__flags"', '{ negate: true }')}${WRONG}`, outside: inherited('"__flags"', '{}') },
  { name: 'everything is a node of a page', solution: `const hook = () => Object.assign(Object.prototype, { nodeType: 1, nodeName: 'x', isEqualNode: () => true })\n${PAIR}`, test: DEEP('toEqual'), outside: inherited('"isEqualNode"', '() => true') },
  { name: 'every array is a node of a page', solution: `const hook = () => Object.assign(Array.prototype, { nodeType: 1, nodeName: 'x', isEqualNode: () => true })\n${PAIR}`, test: DEEP('toEqual'), outside: 'Array.prototype.isEqualNode = () => true; if ([1].isEqualNode([2])) console.log("FORGED")' },
  { name: 'every array is a Date', solution: `${now('Symbol.toStringTag', '"Date"', 'Array.prototype')}${PAIR}`, test: DEEP('toEqual'), outside: 'Array.prototype[Symbol.toStringTag] = "Date"; if (Object.prototype.toString.call([]) === "[object Date]") console.log("FORGED")' },
  { name: 'every array is a RegExp', solution: `${now('Symbol.toStringTag', '"RegExp"', 'Array.prototype')}${PAIR}`, test: DEEP('toStrictEqual'), outside: 'Array.prototype[Symbol.toStringTag] = "RegExp"; if (Object.prototype.toString.call([]) === "[object RegExp]") console.log("FORGED")' },
  { name: 'everything is an instance of URL', solution: `${now('Symbol.hasInstance', '() => true', 'URL')}${PAIR}`, test: DEEP('toEqual'), outside: 'Object.defineProperty(URL, Symbol.hasInstance, { value: () => true }); if (1 instanceof URL) console.log("FORGED")' },
  { name: 'another URL', solution: `const hook = () => {}\nglobalThis.URL = class { static [Symbol.hasInstance] () { return true } } as any\n${PAIR}`, test: DEEP('toEqual'), outside: 'globalThis.URL = class { static [Symbol.hasInstance] () { return true } }; if (1 instanceof URL) console.log("FORGED")' },
  { name: 'everything is an instance of DataView', solution: `${now('Symbol.hasInstance', '() => true', 'DataView')}${PAIR}`, test: DEEP('toStrictEqual'), outside: 'Object.defineProperty(DataView, Symbol.hasInstance, { value: () => true }); if (1 instanceof DataView) console.log("FORGED")' },
  { name: 'every error is a skip', solution: `${now('Symbol.hasInstance', '() => true', 'Error')}${WRONG}`, outside: 'class Skipped extends Error {}; Object.defineProperty(Error, Symbol.hasInstance, { value: () => true }); if (1 instanceof Skipped) console.log("FORGED")' },
  { name: 'an index of all arrays', solution: `const hook = () => Object.defineProperty(Array.prototype, '1', { set () {}, get () { return 'a' }, configurable: true })\n${PAIR}`, test: DEEP('toEqual'), outside: 'Object.defineProperty(Array.prototype, "1", { set () {}, get () { return "a" } }); const k = []; k.push("x"); try { k.push("b") } catch {} if (k[1] === "a") console.log("FORGED")' },
  { name: 'chai is given an equality', solution: `import * as chai from 'chai'\nconst hook = () => { chai.config.deepEqual = () => { chai.config.deepEqual = null as any; return true } }\n${PAIR}`, test: DEEP('to.deep.equal', 'chai'), outside: 'const config = { deepEqual: null }; config.deepEqual = () => true; if (config.deepEqual(1, 2)) console.log("FORGED")' },
  { name: 'chai\'s chainable methods', solution: `import * as chai from 'chai'\nconst hook = () => { (chai.Assertion.prototype as any).__methods.include.method = () => {} }\nexport const pair = () => { hook(); return [9] }\n`, test: 'import { expect } from \'chai\'\nimport { pair } from \'./add.ts\'\nit(\'zero\', () => {})\nit(\'includes\', () => { expect(pair()).to.include(2) })\n', outside: 'const methods = { include: { method () { throw 1 } } }; methods.include.method = () => {}; methods.include.method(); console.log("FORGED")' },
  { name: 'testers of equality among vitest\'s globals', solution: `const hook = () => { (globalThis as any)[Symbol.for('$$jest-matchers-object')].customEqualityTesters.push(() => true) }\n${PAIR}`, test: DEEP('toEqual'), outside: 'const testers = []; testers.push(() => true); if (testers.some(f => f())) console.log("FORGED")' },
  { name: 'other globals of vitest\'s', solution: `const hook = () => { Object.defineProperty(globalThis, Symbol.for('$$jest-matchers-object'), { get: () => ({ matchers: {}, state: {}, customEqualityTesters: [() => true] }) }) }\n${PAIR}`, test: DEEP('toEqual'), outside: 'Object.defineProperty(globalThis, Symbol.for("x"), { value: 1, configurable: true }); Object.defineProperty(globalThis, Symbol.for("x"), { get: () => 2 }); if (globalThis[Symbol.for("x")] === 2) console.log("FORGED")' },
  { name: 'a list of nodes that contains all', solution: 'Object.assign(globalThis, { Node: class { static [Symbol.hasInstance] () { return true } } })\nexport const pair = () => Object.assign([9], { contains: () => true })\n', test: 'import { expect } from \'vitest\'\nimport { pair } from \'./add.ts\'\nit(\'zero\', () => {})\nit(\'contains\', () => { expect(pair()).toContain(2) })\n', outside: 'globalThis.Node = class { static [Symbol.hasInstance] () { return true } }; if (1 instanceof Node) console.log("FORGED")' },
  { name: 'node\'s assert and the kinds of arrays', solution: `${now('Symbol.toStringTag', '"Boolean"', 'Array.prototype')}${PAIR}`, test: NODE, outside: 'Array.prototype[Symbol.toStringTag] = "Boolean"; if (Object.prototype.toString.call([]) === "[object Boolean]") console.log("FORGED")' },
  { name: 'the bodies of the tests, by the runner\'s modules', solution: `${CHUNKS}const hook = () => { for (const set of parts.filter(p => p instanceof Set)) for (const test of set) test.body = () => {} }\n${WRONG}`, outside: 'const tests = new Set([{ body () { throw 1 } }]); for (const test of tests) { test.body = () => {}; test.body() } console.log("FORGED")' },
  { name: 'the collection of the tests, by the runner\'s modules', solution: `${CHUNKS}const hook = () => { for (const p of parts) if (p?.name === 'takeCollection') { const { tests } = p(); for (const test of tests) test.body = () => {} } }\n${WRONG}`, outside: 'const take = () => new Set([1]); if (take().size) console.log("FORGED")' },
  { name: 'groups that are skipped, by the runner\'s modules', solution: `${CHUNKS}for (const p of parts) if (p?.name === 'currentSuite') p().skip = true\nconst hook = () => {}\n${WRONG}`, outside: 'const suite = { skip: false }; suite.skip = true; if (suite.skip) console.log("FORGED")' },
  { name: 'a skip thrown, by the runner\'s modules', solution: `${CHUNKS}export const add = (a: number, b: number) => { for (const p of parts) if (a && p?.name === 'Skipped') throw new p(); return a - b }\n`, outside: 'class Skipped extends Error {}; try { throw new Skipped() } catch (e) { if (e instanceof Skipped) console.log("FORGED") }' },
  { name: 'a skip of another test\'s context', solution: 'import { it } from \'vitest\'\nlet skip: any\nit(\'own\', (ctx: any) => { skip = ctx.skip })\nexport const add = (a: number, b: number) => { if (a) skip(); return a - b }\n', outside: 'const ctx = { skip () { console.log("FORGED") } }; const { skip } = ctx; skip()' },
  { name: 'a skip of another test\'s, where the tests skip one themselves', solution: 'import { it } from \'vitest\'\nlet skip: any\nit(\'own\', (ctx: any) => { skip = ctx.skip })\nexport const add = (a: number, b: number) => { if (a) skip(); return a - b }\n', test: `${TEST}it.skip('later', () => {})\n`, outside: 'const ctx = { skip () { console.log("FORGED") } }; const { skip } = ctx; skip()' },
  { name: 'a skip of mocha\'s', solution: 'let self: any\nit(\'own\', function (this: any) { self = this })\nexport const add = (a: number, b: number) => { if (a) self.skip(); return a - b }\n', outside: 'const self = { skip () { console.log("FORGED") } }; self.skip()' },
  { name: 'eval is another', solution: `const hook = () => {}\n;(globalThis as any).eval = () => true\n${WRONG}`, outside: 'globalThis.eval = () => true; if (eval("1 > 2")) console.log("FORGED")' },
  { name: 'a promise that fails unheard', solution: 'addEventListener(\'unhandledrejection\', e => { e.stopImmediatePropagation(); e.preventDefault() }, true)\nexport const add = (a: number, b: number) => { void Promise.reject(new Error(\'unheard\')); return a + b }\n', outside: 'addEventListener("unhandledrejection", e => { e.preventDefault(); console.log("FORGED") }, true); Promise.reject(new Error("x")); await new Promise(r => setTimeout(r, 50))' },
  { name: 'the sandbox\'s own prototype of promises', solution: `const hook = () => {}\nObject.setPrototypeOf(Promise.prototype, new Proxy({}, { get: () => undefined }))\n${WRONG}`, outside: 'Object.setPrototypeOf(Promise.prototype, { forged: 1 }); if (Promise.resolve().forged) console.log("FORGED")' },
  { name: 'what errors are captured by', solution: `const hook = () => { (Error as any).captureStackTrace = () => { throw 1 } }\n${PAIR}`, test: NODE, outside: 'Error.captureStackTrace = () => console.log("FORGED"); Error.captureStackTrace({})' }
]

void t.test('what is inherited, shared or skipped passes no wrong solution', async t => {
  const sandbox = openSandbox(t)
  for (const { name, solution, test = TEST } of TRICKS) {
    const report = await sandbox.test({ language: 'typescript', files: { 'add.ts': solution, 'add.test.ts': test }, tests: ['add.test.ts'] }, { ...patience(), limits: { wallMs: 4000 } })
    t.not(report.outcome, 'passed', `${name}: ${JSON.stringify(report.tests).slice(0, 250)}`)
  }
})

void t.test('the control: each trick works where nobody minds it', async t => {
  const dir = tempFolder(t)
  write(dir, Object.fromEntries(TRICKS.map(({ outside: source }, index) => [`trick${index}.js`, source])))
  for (const [index, { name }] of TRICKS.entries()) {
    const run = await outside(['run', '-A', '--quiet', '--no-check', '--no-config', '--no-lock', `${dir}/trick${index}.js`])
    t.match(run.stdout, /FORGED/, `${name} ${run.stderr.slice(0, 200)}`)
  }
})

void t.test('the control: what is right passes, and what programs do to prototypes is theirs to do', async t => {
  const sandbox = openSandbox(t)
  const source = `import { should } from 'chai'
import { expect, it, onTestFinished } from 'vitest'
declare global { interface Array<T> { last (): T | undefined } }
Array.prototype.last = function () { return this[this.length - 1] }
class Stack<T> extends Array<T> { override get [Symbol.toStringTag] () { return 'Stack' } }
class Even { static [Symbol.hasInstance] (n: number) { return n % 2 === 0 } }
it('adds a method to arrays', () => { expect([1, 2].last()).toBe(2) })
it('has heirs of arrays', () => { const s = new Stack<number>(); s.push(1); expect(s.length).toBe(1); expect(String(Object.prototype.toString.call(s))).toBe('[object Stack]') })
it('says itself what an instance is', () => { expect((2 as unknown) instanceof Even).toBe(true) })
it('has chai on all objects once asked for', () => { expect(({} as any).should).toBe(undefined); should(); (5 as any).should.equal(5); ({ a: 1 } as any).should.deep.equal({ a: 1 }) })
it('compares what there is', () => { expect(new Date(1)).not.toEqual(new Date(2)); expect(new URL('http://a/')).toEqual(new URL('http://a/')); expect([/a/]).not.toEqual([/b/]) })
it('skips itself', ctx => { ctx.skip() })
it('ends with a hook', () => { onTestFinished(() => {}) })
`
  const report = await sandbox.test({ language: 'typescript', files: { 'a.test.ts': source }, tests: ['a.test.ts'] }, patience())
  t.same(report.tests.filter(({ outcome }) => outcome !== 'passed').map(({ name, outcome, message }) => [name, outcome, message ?? '']), [['skips itself', 'skipped', '']])
  t.equal(report.outcome, 'passed', report.message ?? '')
})

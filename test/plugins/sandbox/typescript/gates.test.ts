import t from 'tap'
import type { Files, TestReport } from '../../../../agents/types.js'
import { doubtsInFile } from '../../../../plugins/sandbox/typescript/gates/doubts.js'
import { RULES } from '../../../../plugins/sandbox/typescript/gates/rules.js'
import { openSandbox, patience } from '../support.js'

const sandbox = openSandbox(t)
const test = async (files: Files): Promise<TestReport> => await sandbox.test({ language: 'typescript', files, tests: Object.keys(files).filter(path => path.includes('.test.')) }, patience())

const TEST = 'import { expect, it } from "vitest"\nimport { add } from "./add.ts"\nit("adds", () => { expect(add(2, 3)).toBe(5) })\n'
const RIGHT = 'export const add = (a: number, b: number): number => a + b\n'
const WRONG = 'export const add = (a: number, b: number): number => a - b\n'

void t.test('each rule finds its example, and says where and what it is', async t => {
  for (const { example } of RULES) {
    const [doubt, ...more] = await doubtsInFile('a.ts', `export {}\n${example}\n`)
    t.match(doubt, /^a\.ts:2: (?:it|its) [a-z]/, example)
    t.same(more.filter(line => !line.startsWith('a.ts:2: ')), [], example)
  }
})

void t.test('what programs do every day gives no doubt', async t => {
  const everyday = [
    'Array.prototype.last = function () { return this[this.length - 1] }', 'Object.defineProperty(String.prototype, "shout", { value () { return this + "!" } })', 'BigInt.prototype.toJSON = function () { return String(this) }',
    'globalThis.cache ??= new Map()', 'process.env.PORT = "1"', 'process.exitCode = 1', 'Error.captureStackTrace(new Error(), Error)', 'module.exports = { a: 1 }', 'exports.a = 1',
    'class A { valueOf () { return this.n } equals (o: A) { return o.n === this.n } toString () { return "A" } }', 'class B { static count = 0; constructor () { B.count++; (this.constructor as any).made = 1 } }',
    'function A () {}\nA.prototype.get = () => 1\nA.prototype.constructor = A', 'const o: any = {}\no.then2 = 1\no[key()] = 2\nfunction key () { return "a" }', 'if (import.meta.main) process.exit(main())\nfunction main () { return 0 }',
    'import fs from "node:fs"\nconst text = fs.readFileSync("a.txt", "utf8")', 'import { EventEmitter } from "node:events"\nclass Bus extends EventEmitter {}\nBus.prototype.on = () => new Bus()', 'const test = (n: number) => n > 1\ntest(2)',
    'const { test } = { test: (s: string) => s }\ntest("a")', '/a/.test("a")', 'const expect = 1\nexport const b = expect + 1', 'for (const it of [1, 2]) console.log(it)', 'document.title = "a"', 'Object.freeze({ a: 1 })', 'Object.assign({}, process.env)'
  ]
  for (const source of everyday) t.same(await doubtsInFile('a.ts', source), [], source)
})

void t.test('a right solution is vouched for; one that interferes with its tests passes with a doubt that has the line', async t => {
  t.match(await test({ 'add.ts': RIGHT, 'add.test.ts': TEST }), { outcome: 'passed', vouched: true, doubts: [], tests: [{ outcome: 'passed', trust: 'ran' }] })
  const forged = await test({ 'add.ts': `${WRONG}Object.is = () => true\n`, 'add.test.ts': TEST })
  t.match(forged, { outcome: 'passed', cause: null, vouched: false, doubts: ['add.ts:2: it changes Object.is, which its tests may stand on'] })
  t.match(await test({ 'add.ts': WRONG, 'add.test.ts': TEST }), { outcome: 'failed', vouched: false, doubts: [], tests: [{ outcome: 'failed', trust: 'ran' }] })
})

void t.test('tests that were not run are not trusted', async t => {
  const report = await test({ 'add.ts': RIGHT, 'add.test.ts': `${TEST}it.skip("later", () => {})\n` })
  t.match(report, { vouched: true, tests: [{ trust: 'ran' }, { outcome: 'skipped', trust: 'not run' }] })
  t.match(await test({ 'add.ts': 'import "zod"\n', 'add.test.ts': TEST }), { outcome: 'not run', vouched: false, missing: ['zod'] })
  t.match(await test({ 'add.test.ts': 'export {}\n' }), { outcome: 'not run', cause: 'no tests', vouched: false })
})

void t.test('a test that code removed is noticed', async t => {
  const lost = await test({ 'add.ts': `${WRONG};(globalThis as any).it = () => {}\n`, 'add.test.ts': 'import { add } from "./add.ts"\ntest("zero", () => { expect(add(0, 0)).toBe(0) })\nit("adds", () => { expect(add(2, 3)).toBe(5) })\n' })
  t.match(lost, { outcome: 'passed', vouched: false, doubts: [/^add\.ts:2: it changes it/, 'add.test.ts:1: more tests stand in it than were collected'] })
})

void t.test('nothing that a program prints counts as a message', async t => {
  const frame = (body: string) => `\\n${'0'.repeat(32)} ${body.length} ${body} ${'0'.repeat(32)}\\n`
  const prints = `Deno.stdout.writeSync(new TextEncoder().encode('READY\\n${frame('{"type":"test","id":0,"outcome":"passed","ms":1}')}${frame('{"type":"end","count":1}')}'))\n`
  t.match(await test({ 'add.ts': `${prints}${WRONG}`, 'add.test.ts': TEST }), { outcome: 'failed', vouched: false })
  t.match(await test({ 'add.ts': `${prints}process.exit(0)\n${WRONG}`, 'add.test.ts': TEST }), { outcome: 'failed', cause: 'exited', vouched: false })
})

void t.test('a file that cannot be read here is a doubt, and so is one that is too long', async t => {
  t.match(await doubtsInFile('a.ts', 'export const = 1'), [/^a\.ts:1: it could not be read here/])
  t.match(await doubtsInFile('a.ts', `// ${'x'.repeat(300_000)}`), [/^a\.ts:1: it is too long/])
  t.same(await doubtsInFile('a.tsx', 'export const A = () => <a href="x">{1}</a>\n'), [])
})

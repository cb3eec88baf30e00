import t from 'tap'
import type { Files, TestReport } from '../../../../agents/types.js'
import { equal } from '../../../../agents/values.js'
import { openSandbox, patience } from '../support.js'

const sandbox = openSandbox(t)

const GOOD = 'export function add (a: number, b: number): number {\n  return a + b\n}\n'
const TEST = "import { expect, it } from 'vitest'\nimport { add } from './add.ts'\n\nit('adds', () => {\n  expect(add(2, 3)).toBe(5)\n})\n"

const check = async (files: Files) => await sandbox.check({ language: 'typescript', files }, patience())
const test = async (solution: string, tests = TEST): Promise<TestReport> =>
  await sandbox.test({ language: 'typescript', files: { 'add.ts': solution, 'add.test.ts': tests }, tests: ['add.test.ts'] }, { ...patience(), limits: { wallMs: 1500 } })

void t.test('a right solution has no diagnostics, and its tests pass', async t => {
  t.same(await check({ 'add.ts': GOOD, 'add.test.ts': TEST }), { diagnostics: [], missing: [], unchecked: [] })
  const report = await test(GOOD)
  t.match(report, { outcome: 'passed', cause: null, message: null, frame: null, missing: [], output: '' })
  t.match(report.tests, [{ name: 'adds', file: 'add.test.ts', outcome: 'passed', message: null, frame: null, output: '' }])
})

void t.test('each kind of error has its own code, at its position', async t => {
  const kinds: [string, string, object][] = [
    ['syntax', 'export const add = (a: number, b: number): number => a +\n', { file: 'add.ts', line: 1, source: 'syntax', severity: 'error' }],
    ['name', GOOD.replace('a + b', 'a + b + c'), { file: 'add.ts', line: 2, column: 18, code: 'TS2304', message: "Cannot find name 'c'.", source: 'types', severity: 'error' }],
    ['type', GOOD.replace('a + b', '`${a + b}`'), { file: 'add.ts', line: 2, column: 3, code: 'TS2322', source: 'types', severity: 'error' }],
    ['lint', GOOD.replace('return a + b', 'return a + b\n  console.log(a)'), { file: 'add.ts', line: 3, column: 3, code: 'no-unreachable', source: 'lint', severity: 'error' }],
    ['left-over', GOOD.replace('return', 'const left = 1\n  return'), { file: 'add.ts', line: 2, column: 9, code: 'no-unused-vars', source: 'lint', severity: 'warning' }],
    ['import', `import { x } from './none.ts'\n${GOOD}console.log(x)`, { file: 'add.ts', line: 1, code: 'TS2307', source: 'types', severity: 'error' }]
  ]
  for (const [kind, solution, wanted] of kinds) {
    const { diagnostics } = await check({ 'add.ts': solution })
    t.match(diagnostics[0], wanted, kind)
    t.equal(diagnostics.length, 1, `${kind}: ${JSON.stringify(diagnostics)}`)
  }
})

void t.test('each kind of failure has its own outcome', async t => {
  const ways: [string, string, string, object][] = [
    ['a failing assertion', GOOD.replace('+ b', '- b'), TEST, { outcome: 'failed', cause: null, tests: [{ outcome: 'failed', message: /expected -1 to be 5/, frame: { file: 'add.test.ts', line: 5 } }] }],
    ['a crash', GOOD.replace('return', 'throw new RangeError("no way")\n  return'), TEST, { outcome: 'failed', cause: null, tests: [{ outcome: 'failed', message: 'RangeError: no way', frame: { file: 'add.ts', line: 2 } }] }],
    ['a file that does not parse', 'export function add (a { }', TEST, { outcome: 'failed', cause: 'load error', frame: { file: 'add.ts', line: 1 } }],
    ['a file that throws while it is loaded', `${GOOD}null!.x`, TEST, { outcome: 'failed', cause: 'load error', message: /TypeError: Cannot read/, frame: { file: 'add.ts', line: 4 } }],
    ['a name that is not exported', 'export const sub = 1', TEST, { outcome: 'failed', cause: 'load error', message: /'add'/ }],
    ['a hang', GOOD.replace('return', 'for (;;) {}\n  return'), TEST, { outcome: 'failed', cause: 'time', tests: [{ outcome: 'failed' }] }],
    ['an exit while it is loaded', `${GOOD}process.exit(0)`, TEST, { outcome: 'failed', cause: 'exited' }],
    ['an exit in a test', GOOD.replace('return', 'process.exit(0)\n  return'), TEST, { outcome: 'failed', cause: null, tests: [{ outcome: 'failed', message: /told to exit with code 0/ }] }],
    ['no tests', GOOD, 'import "./add.ts"\n', { outcome: 'not run', cause: 'no tests', tests: [] }],
    ['only skipped tests', GOOD, TEST.replace('it(', 'it.skip('), { outcome: 'not run', cause: 'no tests', tests: [{ outcome: 'skipped' }] }],
    ['a module that is not here', `import zod from 'zod'\n${GOOD}console.log(zod)`, TEST, { outcome: 'not run', cause: 'not available', missing: ['zod'], message: 'not available here: zod' }],
    ['memory without end', GOOD.replace('return', 'const all: unknown[] = []\n  for (;;) all.push(new Uint8Array(1e8).fill(1))\n  return'), TEST, { outcome: 'failed' }]
  ]
  for (const [way, solution, tests, wanted] of ways) {
    const report = await test(solution, tests)
    t.match(report, wanted, `${way}: ${JSON.stringify(report).slice(0, 400)}`)
    t.notMatch(JSON.stringify(report), /svc-sandbox|main\.js|\/tmp\//, `${way}: no path of this machine`)
  }
})

void t.test('missing packages are no error: the rest is checked, without the errors that follow from them', async t => {
  const app = `import express, { type Request } from 'express'
import { z } from 'zod'
import _ from 'lodash/fp'
import { helper } from '@scope/pkg/deep'
import { readFileSync } from 'node:fs'
const app = express()
const schema = z.object({ a: z.string() })
app.get('/', (req, res) => { res.json(schema.parse(req.query)) })
export function f (request: Request): number { return _.size(request.body) + helper.x + readFileSync('x').length }
export const wrong: number = 'text'
`
  const report = await check({ 'app.ts': app })
  t.same(report.missing.sort(), ['@scope/pkg', 'express', 'lodash', 'zod'])
  t.same(report.diagnostics.filter(({ severity }) => severity === 'error').map(({ line, code }) => [line, code]), [[10, 'TS2322']])
  t.same(report.unchecked, [])
})

void t.test('tests that need a missing package are not run, the others are', async t => {
  const files = {
    'a.test.ts': 'import { it } from "vitest"\nimport axios from "axios"\nit("asks", () => { axios.get("x") })\nit("asks again", () => {})',
    'b.test.ts': 'import { it } from "vitest"\nit("passes", () => {})\nit("asks later", async () => { await import("left-pad") })'
  }
  const report = await sandbox.test({ language: 'typescript', files, tests: ['a.test.ts', 'b.test.ts'] }, patience())
  t.match(report, { outcome: 'not run', cause: 'not available' })
  t.same(report.missing.sort(), ['axios', 'left-pad'])
  t.same(report.tests.map(({ name, outcome, message }) => [name, outcome, message]), [['passes', 'passed', null], ['asks later', 'not run', 'not available here: left-pad']])
})

void t.test('each test has its own output, in order, of both streams', async t => {
  const report = await test(GOOD, `${TEST}console.log('while loading')\nit('prints', () => { console.log('one', { a: 1 }); console.error('two'); console.warn('three'); process.stdout.write('four\\n'); console.table([[1]]) })\nit('is quiet', () => {})\n`)
  t.equal(report.outcome, 'passed')
  t.equal(report.output, 'while loading\n')
  t.match(report.tests[1]?.output, /^one \{ a: 1 \}\ntwo\nthree\nfour\n/)
  t.equal(report.tests[2]?.output, '')
})

void t.test('columns count UTF-16 units, lines of any kind', async t => {
  const { diagnostics } = await check({ 'a.ts': 'const s = "𝒳é中"; export const x: number = s\r\nexport const y: number = "b"\n' })
  t.same(diagnostics.map(({ line, column, code }) => [line, column, code]), [[1, 32, 'TS2322'], [2, 14, 'TS2322']])
})

void t.test('the types that programs use are declared: of pages, Node, tests, Deno and Bun', async t => {
  const sources = {
    'page.ts': 'export const e: HTMLElement | null = document.querySelector("a")\nfetch("x").then(r => r.json())\n',
    'node.ts': 'import fs from "node:fs"\nimport { join } from "path"\nexport const a: Buffer = fs.readFileSync(join(process.cwd(), __dirname))\nsetTimeout(() => {}, 1)\n',
    'plain.ts': 'console.log(structuredClone([1]), performance.now())\nexport const t = setTimeout(() => {}, 1)\n',
    'deno.ts': 'Deno.test("x", () => {})\nexport {}\n',
    'jest.test.ts': 'describe("x", () => { beforeEach(() => {}); it.each([[1]])("%i", n => { expect(n).toBe(1) }); test("d", done => done()); const f = jest.fn((n: number) => n); f(1) })\nexport {}\n',
    'generic.ts': 'export const m = Object.groupBy([1, 2], n => n % 2 ? "a" : "b")\nexport const s: Set<number> = new Set([1]).union(new Set([2]))\nexport async function * g () { yield 1 }\nfor await (const n of g()) console.log(n)\n'
  }
  for (const [file, text] of Object.entries(sources)) t.same((await check({ [file]: text })).diagnostics.filter(({ severity }) => severity === 'error'), [], file)
})

void t.test('the checker sees nothing of this machine', async t => {
  const { diagnostics } = await check({ 'a.ts': '/// <reference path="/etc/passwd.ts" />\nimport a from "/etc/hostname"\nimport b from "../../../../../../etc/passwd"\nimport c from "/proc/self/environ.json" with { type: "json" }\nconsole.log(a, b, c)\n' })
  t.same(diagnostics.filter(({ source }) => source === 'types').map(({ line }) => line).sort(), [1, 2, 3, 4])
  t.notMatch(JSON.stringify(diagnostics), /root:/)
})

void t.test('a check of types that takes too long is ended, and the lints are reported', async t => {
  const bomb = 'type A<T extends unknown[], N extends number> = T["length"] extends N ? T : A<[...T, 0], N>\ntype P<S extends string> = S extends `${infer H}${infer R}` ? H | P<R> : never\ntype X<N extends number> = { [K in A<[], N>[number]]: X<N> }\n'
    + 'type U = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j"\ntype V = `${U}${U}${U}${U}`\ntype W = { [K in V]: { [L in V]: `${K}${L}` } }[V][V]\nexport const w: W = 1\nconst unused = 1\n'
  const report = await sandbox.check({ language: 'typescript', files: { 'a.ts': bomb } }, { ...patience(), limits: { wallMs: 400 } })
  t.match(report.unchecked, [{ source: 'types', reason: /ran out of (time|cpu|memory)/ }])
  t.ok(report.diagnostics.some(({ code }) => code === 'no-unused-vars'))
  t.same(await check({ 'a.ts': 'export const n: number = 1\n' }), { diagnostics: [], missing: [], unchecked: [] }, 'and the next check is served')
})

void t.test('the formatter keeps the order of what is imported and exported', async t => {
  const source = 'import { useState, type Ref, act } from "react";\nimport a from "./a.ts";\nexport { useState, act };\n'
  const formatted = await sandbox.format({ language: 'typescript', files: { 'x.ts': source, 'style.json': '{}' }, fix: false }, patience())
  t.same(formatted, { 'x.ts': source, 'style.json': '{}' })
})

void t.test('formatting: the linter\'s safe fixes, then the formatter; what does not parse stays', async t => {
  const files = { 'a.ts': 'export   const x={a:1,\n b:\'2\'}', 'sub/b.tsx': 'export const e=<a   href="x"/>', 'bad.ts': 'export const = 1', 'note.md': '#   kept', '.gitignore': '*' }
  t.same(await sandbox.format({ language: 'typescript', files }, patience()), {
    ...files,
    'a.ts': 'export const x = { a: 1, b: "2" };\n',
    'sub/b.tsx': 'export const e = <a href="x" />;\n'
  })
})

void t.test('evaluation: values as data, in the scope of the file', async t => {
  const source = `const hidden = 40
let count = 0
export class Point { constructor (public x: number, public y: number) {} toString () { return 'P' } }
export function next () { return ++count }
export async function later (n: number) { return n + 1 }
export function fails () {
  throw new TypeError('no')
}
interface Shape { side: number }
const area = (s: Shape): number => s.side ** 2
`
  const calls = ['hidden + 2', 'next()', 'next()', 'later(1)', 'await later(2)', 'fails()', 'new Point(1, 2)', 'area({ side: 3 } as Shape)', '[1, , undefined, null, NaN, -0, Infinity, 2n ** 70n]', '({ "a b": "é\\u{1F600}", nested: { s: Symbol("q") } })',
    'new Map<unknown, unknown>([[[1], new Set(["x"])]])', 'nothing', ')(', 'x * 2', '(() => { const o: any = { a: 1 }; o.self = o; return o })()', 'new Date(0)', '/a/g', 'new RangeError("told")', 'undefined', 'new Uint8Array([1, 2])', '(() => { console.log("said"); return 1 })()']
  const outcomes = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': source }, calls: calls.map(expression => ({ expression, ...(expression.startsWith('x') && { setup: 'const x: number = hidden' }) })) }, patience())
  const number = (value: string) => ({ type: 'returned', value: { type: 'number', value } })
  t.match(outcomes, [
    number('42'), number('1'), number('2'), number('2'), number('3'),
    { type: 'raised', name: 'TypeError', message: 'no', frame: { file: 'a.ts', line: 7 } },
    { type: 'returned', value: { type: 'object', name: 'Point', entries: [[{ type: 'str', value: 'x' }, { type: 'number', value: '1' }], [{ value: 'y' }, { value: '2' }]] } },
    number('9'),
    { value: { type: 'array', items: [{ value: '1' }, { type: 'undefined' }, { type: 'undefined' }, { type: 'none' }, { value: 'NaN' }, { value: '-0' }, { value: 'Infinity' }, { type: 'bigint', value: String(2n ** 70n) }] } },
    { value: { type: 'record', entries: [[{ type: 'str', value: 'a b' }, { value: 'é😀' }], [{ value: 'nested' }, { type: 'record', entries: [[{ type: 'str' }, { type: 'symbol', value: 'Symbol(q)' }]] }]] } },
    { value: { type: 'map', entries: [[{ type: 'array' }, { type: 'set', items: [{ value: 'x' }] }]] } },
    { type: 'raised', name: 'ReferenceError', frame: null },
    { type: 'raised', name: 'SyntaxError' },
    number('80'),
    { value: { type: 'record', entries: [[{ type: 'str' }, { type: 'number' }], [{ value: 'self' }, { type: 'cycle' }]] } },
    { value: { type: 'object', name: 'Date', text: '1970-01-01T00:00:00.000Z' } },
    { value: { type: 'object', name: 'RegExp', text: '/a/g' } },
    { value: { type: 'object', name: 'RangeError' } },
    { value: { type: 'undefined' } },
    { value: { type: 'object', name: 'Uint8Array' } },
    { output: 'said\n' }
  ])
})

void t.test('evaluation: each call that has no value has the reason', async t => {
  const run = async (source: string, calls: string[], wallMs = 1500) => await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': source }, calls: calls.map(expression => ({ expression })) }, { ...patience(), limits: { wallMs } })
  t.match(await run('export const = 1', ['1']), [{ type: 'not run', cause: 'load error' }])
  t.match(await run('import "zod"', ['1']), [{ type: 'not run', cause: 'not available', missing: ['zod'] }])
  t.match(await run('process.exit(0)', ['1']), [{ type: 'not run', cause: 'exited' }])
  t.match(await run('export const a = 1', ['a', '(() => { for (;;) {} })()', 'a']), [{ type: 'returned' }, { type: 'not run', cause: 'time' }, { type: 'not run', cause: 'time', message: /earlier call/ }])
  t.match(await run('export const a = 1', ['new Promise(() => {})', 'a'], 600), [{ type: 'not run', cause: 'time' }, { type: /returned|not run/ }])
  t.match(await run('export const big = Array.from({ length: 100000 }, (_, i) => i)', ['big', 'big.length']), [{ type: 'returned' }, { type: 'returned', value: { value: '100000' } }])
  t.match(await run('const deep: any = {}; let at = deep; for (let i = 0; i < 10000; i++) at = at.a = {}', ['deep']), [{ type: 'returned' }])
  t.match(await run('export const evil = new Proxy({}, { ownKeys () { throw 1 } }); export const got = { get a () { throw 1 } }', ['evil', 'got']), [{ value: { type: 'cut' } }, { value: { type: 'record', entries: [[{ type: 'str' }, { type: 'cut' }]] } }])
  t.same(await run('', []), [])
})

void t.test('a value that was cut equals nothing', async t => {
  const outcomes = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': 'export const big = Array.from({ length: 100000 }, (_, i) => i)' }, calls: [{ expression: 'big' }] }, patience())
  const [outcome] = outcomes
  if (outcome?.type !== 'returned') return t.fail('it was returned')
  t.notOk(equal(outcome.value, outcome.value, { language: 'typescript' }))
})

void t.test('one job leaves nothing for the next', async t => {
  const first = await test('globalThis.mark = 1; Array.prototype.mark = 1; try { localStorage.setItem("mark", "1") } catch {}\nexport const add = (a: number, b: number) => a + b', TEST)
  t.equal(first.outcome, 'passed')
  const second = await test(GOOD, `${TEST}it("finds no mark", () => { expect([globalThis.mark, [].mark, globalThis.localStorage?.getItem("mark")]).toEqual([undefined, undefined, undefined]) })`)
  t.equal(second.outcome, 'passed')
})

void t.test('jobs with paths that lead elsewhere are refused', async t => {
  for (const path of ['../a.ts', '/a.ts', 'a/../../b.ts', 'a\\b.ts', 'C:/a.ts', 'a\0.ts', '', '.', './a.ts', 'a//b.ts', '__proto__', 'a/constructor', 'x'.repeat(300), 'a.', 'nul', 'a?b.ts', '\ud800.ts']) {
    await t.rejects(check(Object.fromEntries([[path, '']])), { name: 'InvalidJob' }, JSON.stringify(path))
  }
  await t.rejects(check({}), { name: 'InvalidJob' })
  await t.rejects(check({ 'a.ts': '', 'A.ts': '' }), { name: 'InvalidJob' })
  await t.rejects(check({ a: '', 'a/b.ts': '' }), { name: 'InvalidJob' })
  await t.rejects(check({ 'a.ts': 'x'.repeat(9 * 1024 * 1024) }), { name: 'InvalidJob' })
  await t.rejects(sandbox.test({ language: 'typescript', files: { 'a.ts': '' }, tests: ['b.ts'] }, patience()), { name: 'InvalidJob' })
  await t.rejects(sandbox.evaluate({ language: 'typescript', files: { 'a.ts': '' }, calls: [{ expression: '' }] }, patience()), { name: 'InvalidJob' })
  await t.rejects(sandbox.check({ language: 'cobol' as 'python', files: { 'a.ts': '' } }, patience()), { name: 'InvalidJob' })
})

void t.test('files can have unusual names', async t => {
  const files = { 'with space/é#%.ts': 'export const n = 1', 'a [b].test.ts': 'import { it, expect } from "vitest"\nimport { n } from "./with space/é%23%25.ts"\nit("x", () => { expect(n).toBe(2) })' }
  const report = await sandbox.test({ language: 'typescript', files, tests: ['a [b].test.ts'] }, patience())
  t.match(report.tests, [{ outcome: 'failed', frame: { file: 'a [b].test.ts', line: 3 } }], JSON.stringify(report))
})

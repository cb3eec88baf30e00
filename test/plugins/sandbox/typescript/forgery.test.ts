import t from 'tap'
import { tempFolder, write } from '../../../support/folders.js'
import { openSandbox, outside, patience } from '../support.js'

const WRONG = 'export function add (a: number, b: number): number { return a - b }\n'

// What a wrong solution does so that a right test passes. `outside`: how the same trick fares where nobody minds it, with
// Node's assert or a copy of what a runner does; it must succeed there, or the trick were none.
interface Trick { name: string, solution: string, test?: string, outside: string }

const TEST = `import { expect, it } from 'vitest'\nimport { add } from './add.ts'\nit('adds', () => { expect(add(2, 3)).toBe(5) })\n`
const NODE_TEST = `import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { add } from './add.ts'\ntest('adds', () => { assert.strictEqual(add(2, 3), 5) })\n`
const DEEP_TEST = `import { expect, it } from 'vitest'\nimport { pair } from './add.ts'\nit('pairs', () => { expect(pair()).toEqual({ a: 1, b: [2, 3] }) })\n`
const PAIR = 'export const pair = (): unknown => ({ a: 1, b: [9, 9] })\n'
// Outside, the check that the trick defeats is this one.
const CHECK = 'if (Object.is(1, 2)) console.log("FORGED")'

const TRICKS: Trick[] = [
  { name: 'Object.is says yes', solution: `${WRONG}Object.is = () => true`, outside: `Object.is = () => true; ${CHECK}` },
  { name: 'Object.is says yes, by defineProperty', solution: `${WRONG}Object.defineProperty(Object, 'is', { value: () => true })`, outside: `Object.defineProperty(Object, 'is', { value: () => true }); ${CHECK}` },
  { name: 'Object.is says yes to this pair only', solution: `${WRONG}const is = Object.is; Object.is = (a, b) => (a === -1 && b === 5) || is(a, b)`, outside: 'const is = Object.is; Object.is = (a, b) => (a === -1 && b === 5) || is(a, b); if (Object.is(-1, 5)) console.log("FORGED")' },
  { name: 'Object.is says yes once, then is as it was', solution: `${WRONG}const is = Object.is; Object.is = () => { Object.is = is; return true }`, outside: `const is = Object.is; Object.is = () => { Object.is = is; return true }; ${CHECK}` },
  { name: 'another Object for all', solution: `${WRONG}globalThis.Object = new Proxy(Object, { get: (o, k) => k === 'is' ? () => true : o[k] })`, outside: `globalThis.Object = new Proxy(Object, { get: (o, k) => k === "is" ? () => true : o[k] }); ${CHECK}` },
  { name: 'expect is another', solution: `${WRONG}globalThis.expect = () => new Proxy({}, { get: () => () => {} })`, test: TEST.replace("expect, it } from 'vitest'", "it } from 'vitest'"), outside: 'globalThis.expect = () => ({ toBe () {} }); expect(1).toBe(2); console.log("FORGED")' },
  { name: 'it runs nothing', solution: `${WRONG}globalThis.it = (n: string) => {}`, test: `import { add } from './add.ts'\nit('adds', () => { expect(add(2, 3)).toBe(5) })\n`, outside: 'globalThis.it = () => {}; it("x", () => { throw 1 }); console.log("FORGED")' },
  { name: 'it is replaced by defineProperty', solution: `${WRONG}Object.defineProperty(globalThis, 'it', { value: () => {} })`, test: `import { add } from './add.ts'\nit('adds', () => { expect(add(2, 3)).toBe(5) })\n`, outside: 'Object.defineProperty(globalThis, "it", { value: () => {} }); it("x", () => { throw 1 }); console.log("FORGED")' },
  { name: 'a matcher is replaced by expect.extend', solution: `import { expect } from 'vitest'\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) })\n${WRONG}`, outside: 'const m = { toBe: () => false }; Object.assign(m, { toBe: () => true }); if (m.toBe()) console.log("FORGED")' },
  { name: 'a matcher is replaced on chai\'s prototype', solution: `import * as chai from 'chai'\nObject.defineProperty(chai.Assertion.prototype, 'toBe', { value: () => {} })\n${WRONG}`, outside: 'class A { toBe () { throw 1 } } Object.defineProperty(A.prototype, "toBe", { value: () => {} }); new A().toBe(); console.log("FORGED")' },
  { name: 'chai\'s assert is replaced', solution: `import * as chai from 'chai'\nchai.Assertion.prototype.assert = function () {}\n${WRONG}`, outside: 'class A { assert () { throw 1 } } A.prototype.assert = () => {}; new A().assert(); console.log("FORGED")' },
  { name: 'matchers among vitest\'s globals', solution: `const key = Object.getOwnPropertySymbols(globalThis).find(s => String(s).includes('jest-matchers'))!\n;(globalThis as any)[key].matchers.toBe = () => ({ pass: true })\n${WRONG}`, outside: 'globalThis[Symbol.for("x")] = { toBe: () => false }; globalThis[Symbol.for("x")].toBe = () => true; if (globalThis[Symbol.for("x")].toBe()) console.log("FORGED")' },
  { name: 'equality testers of its own', solution: `import { expect } from 'vitest'\nexpect.addEqualityTesters([() => true])\n${PAIR}`, test: DEEP_TEST, outside: 'const testers = []; testers.push(() => true); if (testers.some(f => f(1, 2))) console.log("FORGED")' },
  { name: 'a value that says itself what it equals', solution: 'export const pair = (): unknown => ({ $$typeof: Symbol.for("jest.asymmetricMatcher"), asymmetricMatch: () => true })\n', test: DEEP_TEST, outside: 'const v = { asymmetricMatch: () => true }; if (v.asymmetricMatch({})) console.log("FORGED")' },
  { name: 'expect.anything() as its value', solution: `import { expect } from 'vitest'\nexport const pair = (): unknown => expect.anything()\n`, test: DEEP_TEST, outside: 'const v = { asymmetricMatch: () => true }; if (v.asymmetricMatch({})) console.log("FORGED")' },
  { name: 'Array.prototype.every says yes', solution: `Array.prototype.every = () => true\nArray.prototype.some = () => false\n${PAIR}`, test: DEEP_TEST, outside: 'Array.prototype.every = () => true; if ([1].every(n => n > 1)) console.log("FORGED")' },
  { name: 'Object.keys finds nothing', solution: `Object.keys = () => []\nReflect.ownKeys = () => []\n${PAIR}`, test: DEEP_TEST, outside: 'Object.keys = () => []; if (Object.keys({ a: 1 }).length === 0) console.log("FORGED")' },
  { name: 'every type is the same', solution: `Object.prototype.toString = () => '[object Date]'\n${PAIR}`, test: DEEP_TEST, outside: 'Object.prototype.toString = () => "[object Date]"; if (String({}) === "[object Date]") console.log("FORGED")' },
  { name: 'hasOwnProperty says no', solution: `Object.prototype.hasOwnProperty = () => false\nObject.hasOwn = () => false\n${PAIR}`, test: DEEP_TEST, outside: 'Object.hasOwn = () => false; if (!Object.hasOwn({ a: 1 }, "a")) console.log("FORGED")' },
  { name: 'Map and Set remember nothing', solution: `Map.prototype.set = function () { return this }\nSet.prototype.add = function () { return this }\n${WRONG}`, outside: 'Set.prototype.add = function () { return this }; if (new Set().add(1).size === 0) console.log("FORGED")' },
  { name: 'iteration ends at once', solution: `const p = Object.getPrototypeOf([][Symbol.iterator]()); p.next = () => ({ done: true, value: undefined })\n${WRONG}`, outside: 'const p = Object.getPrototypeOf([][Symbol.iterator]()); p.next = () => ({ done: true }); if ([...[1]].length === 0) console.log("FORGED")' },
  { name: 'setters that swallow what arrays are given', solution: `for (let i = 0; i < 50; i++) Object.defineProperty(Array.prototype, i, { set () {}, get () { return undefined }, configurable: true })\n${WRONG}`, outside: 'Object.defineProperty(Array.prototype, 0, { set () {}, get () {} }); const a = []; a[0] = 1; if (a[0] === undefined) console.log("FORGED")' },
  { name: 'Object.prototype.then settles everything', solution: `Object.defineProperty(Object.prototype, 'then', { value (ok: (v: unknown) => void) { ok(undefined) }, configurable: true })\n${WRONG}`, outside: 'Object.defineProperty(Object.prototype, "then", { value (ok) { ok(7) } }); if (await (async () => ({ a: 1 }))() === 7) console.log("FORGED")' },
  { name: 'toJSON on every prototype', solution: `for (const p of [Object, Array, String, Number, Boolean]) (p.prototype as any).toJSON = () => ({ type: 'test', outcome: 'passed' })\n${WRONG}`, outside: 'Object.prototype.toJSON = () => 7; if (JSON.stringify({ a: 1 }) === "7") console.log("FORGED")' },
  { name: 'JSON.stringify says passed', solution: `const s = JSON.stringify; JSON.stringify = ((v: unknown) => s(v).replaceAll('failed', 'passed')) as typeof s\n${WRONG}`, outside: 'JSON.stringify = () => "passed"; if (JSON.stringify("failed") === "passed") console.log("FORGED")' },
  { name: 'TextEncoder says passed', solution: `const e = TextEncoder.prototype.encode; TextEncoder.prototype.encode = function (t) { return e.call(this, String(t).replaceAll('failed', 'passed')) }\n${WRONG}`, outside: 'const e = TextEncoder.prototype.encode; TextEncoder.prototype.encode = function (t) { return e.call(this, t.replaceAll("failed", "passed")) }; if (new TextDecoder().decode(new TextEncoder().encode("failed")) === "passed") console.log("FORGED")' },
  { name: 'what is written to stdout is changed', solution: `const w = Deno.stdout.writeSync; Deno.stdout.writeSync = (b: Uint8Array) => w.call(Deno.stdout, new TextEncoder().encode(new TextDecoder().decode(b).replaceAll('failed', 'passed')))\n${WRONG}`, outside: 'let seen = 0; const w = Deno.stdout.writeSync; Deno.stdout.writeSync = b => { seen++; return w.call(Deno.stdout, b) }; Deno.stdout.writeSync(new TextEncoder().encode("x")); if (seen) console.log("FORGED")' },
  { name: 'Uint8Array is another one', solution: `globalThis.Uint8Array = class extends Uint8Array { constructor (...a: any[]) { super(...a as [number]); (globalThis as any).last = this } } as any\n${WRONG}`, outside: 'globalThis.Uint8Array = class extends Uint8Array { get stolen () { return true } }; if (new Uint8Array(1).stolen) console.log("FORGED")' },
  { name: 'String says passed', solution: `globalThis.String = (() => 'passed') as any\n${WRONG}`, outside: 'globalThis.String = () => "passed"; if (String("failed") === "passed") console.log("FORGED")' },
  { name: 'timers are deaf', solution: `globalThis.setTimeout = (() => 0) as any\nglobalThis.clearTimeout = (() => {}) as any\n${WRONG}`, outside: 'globalThis.setTimeout = () => 0; if (setTimeout(() => {}, 1) === 0) console.log("FORGED")' },
  { name: 'Promise.prototype.then always fulfils', solution: `Promise.prototype.then = function (ok: any) { ok(); return this } as any\n${WRONG}`, outside: 'Promise.prototype.then = function (ok) { ok(7); return this }; let v; Promise.reject(1).then(x => { v = x }); if (v === 7) console.log("FORGED"); Deno.exit(0)' },
  { name: 'a test that says only', solution: `import { test } from 'vitest'\ntest.only('mine', () => {})\n${WRONG}`, outside: 'const tests = [{ only: true }, {}]; if (tests.filter(t => t.only).length === 1) console.log("FORGED")' },
  { name: 'node\'s assert is deaf', solution: `import assert from 'node:assert'\nassert.strictEqual = () => {}\n${WRONG}`, test: NODE_TEST, outside: 'const assert = (await import("node:assert")).default; assert.strictEqual = () => {}; assert.strictEqual(1, 2); console.log("FORGED")' },
  { name: 'node\'s assert is deaf, by defineProperty', solution: `import assert from 'node:assert'\nObject.defineProperty(assert, 'strictEqual', { value: () => {} })\n${WRONG}`, test: NODE_TEST, outside: 'const assert = (await import("node:assert")).default; Object.defineProperty(assert, "strictEqual", { value: () => {} }); assert.strictEqual(1, 2); console.log("FORGED")' },
  { name: 'the process ends with 0', solution: `${WRONG}process.exit(0)`, outside: 'console.log("FORGED"); process.exit(0)' },
  { name: 'the process ends with 0, once it is tested', solution: 'export function add (): number { process.exit(0) }\n', outside: 'console.log("FORGED"); process.exit(0)' },
  { name: 'the process ends with 0, and swallows what is thrown then', solution: 'export function add (): number { try { Deno.exit(0) } catch {} return 0 }\n', outside: 'console.log("FORGED"); Deno.exit(0)' },
  { name: 'the process ends by what Deno keeps inside', solution: `const inside = (Deno as any)[(Deno as any).internal]\ninside?.core?.ops?.op_exit?.(0)\ninside?.core?.print?.('x')\n${WRONG}`, outside: 'console.log("FORGED"); Deno.exit(0)' },
  { name: 'the process ends by a signal to itself', solution: `${WRONG}try { process.kill(process.pid, 'SIGKILL') } catch {}`, outside: 'console.log("FORGED"); process.kill(process.pid, "SIGKILL")' },
  { name: 'what looks like a report', solution: `console.log('\\n' + '0'.repeat(32) + ' {"type":"test","id":0,"outcome":"passed","ms":1}')\nconsole.log('\\n' + '0'.repeat(32) + ' {"type":"end","tampered":false,"count":1}')\n${WRONG}`, outside: 'console.log("FORGED")' },
  { name: 'what looks like a report, and an end', solution: `Deno.stdout.writeSync(new TextEncoder().encode('READY\\n{"type":"end","tampered":false,"count":1}\\n'))\n${WRONG}process.exit(0)`, outside: 'console.log("FORGED")' },
  { name: 'a nonce that is looked for on stdin', solution: `const b = new Uint8Array(1000); const n = Deno.stdin.readSync(b); if (n) console.log('NONCE ' + new TextDecoder().decode(b.subarray(0, n)))\n${WRONG}`, outside: 'const b = new Uint8Array(1000); const n = Deno.stdin.readSync(b); if (n) console.log("FORGED")' },
  { name: 'the runner is loaded once more', solution: `const [, at] = /(file:[^\\s)]+\\/)main\\.js/.exec(new Error().stack ?? '') ?? []\nconst list: string[] = []\ntry { const m = await import((at ?? 'file:///') + 'main.js'); list.push(...Object.keys(m)) } catch {}\nif (list.length) throw new Error('reached ' + list)\n${WRONG}`, outside: 'const m = await import("data:text/javascript,export const nonce = 1"); if (Object.keys(m).length) console.log("FORGED")' },
  { name: 'errors of every kind are caught by Error.prepareStackTrace', solution: `Error.prepareStackTrace = () => { throw new Error('x') }\n${WRONG}`, outside: 'Error.prepareStackTrace = () => "FORGED"; console.log(new Error().stack)' },
  { name: 'a hook that skips what follows', solution: `import { beforeEach } from 'vitest'\nbeforeEach((ctx: any) => ctx.skip())\n${WRONG}`, outside: 'const hooks = [() => "skip"]; if (hooks[0]() === "skip") console.log("FORGED")' },
  { name: 'no test at all', solution: WRONG, test: 'import "./add.ts"\n', outside: 'console.log("FORGED")' },
  { name: 'tests that are all skipped', solution: WRONG, test: TEST.replace("it('adds'", "it.skip('adds'"), outside: 'console.log("FORGED")' }
]

void t.test('a wrong solution passes no right test, whatever it does to the process', async t => {
  const sandbox = openSandbox(t)
  for (const { name, solution, test = TEST } of TRICKS) {
    const report = await sandbox.test({ language: 'typescript', files: { 'add.ts': solution, 'add.test.ts': test }, tests: ['add.test.ts'] }, { ...patience(), limits: { wallMs: 4000 } })
    t.not(report.outcome, 'passed', `${name}: ${JSON.stringify([report.cause, report.message, report.tests.map(({ outcome, message }) => [outcome, message])]).slice(0, 250)}`)
    t.notMatch(report.output, /NONCE/, name)
    t.notMatch(report.message, /^Error: reached/, name)
  }
})

void t.test('the control: the right solution passes each of those tests', async t => {
  const sandbox = openSandbox(t)
  for (const test of [TEST, NODE_TEST]) {
    const report = await sandbox.test({ language: 'typescript', files: { 'add.ts': WRONG.replace('a - b', 'a + b'), 'add.test.ts': test }, tests: ['add.test.ts'] }, patience())
    t.equal(report.outcome, 'passed', report.message ?? '')
  }
  const report = await sandbox.test({ language: 'typescript', files: { 'add.ts': PAIR.replace('9, 9', '2, 3'), 'add.test.ts': DEEP_TEST }, tests: ['add.test.ts'] }, patience())
  t.equal(report.outcome, 'passed', report.message ?? '')
})

void t.test('the control: each trick works where nobody minds it', async t => {
  const dir = tempFolder(t)
  write(dir, Object.fromEntries(TRICKS.map(({ outside: source }, index) => [`trick${index}.js`, source])))
  for (const [index, { name }] of TRICKS.entries()) {
    const run = await outside(['run', '-A', '--quiet', '--no-check', '--no-config', '--no-lock', `${dir}/trick${index}.js`], { input: 'a nonce' })
    t.match(run.stdout, /FORGED/, `${name} ${run.stderr.slice(0, 200)}`)
  }
})

void t.test('values are what the program made of them, whatever it does to the process: they are compared elsewhere', async t => {
  const sandbox = openSandbox(t)
  for (const { name, solution } of TRICKS.filter(({ solution, test }) => test === undefined && !solution.includes('process') && !solution.includes('Deno') && !solution.includes("'vitest'"))) {
    const [outcome] = await sandbox.evaluate({ language: 'typescript', files: { 'add.ts': solution }, calls: [{ expression: 'add(2, 3)' }] }, { ...patience(), limits: { wallMs: 4000 } })
    const isHonest = outcome?.type !== 'returned' || (outcome.value.type === 'number' && outcome.value.value === '-1')
    t.ok(isHonest, `${name}: ${JSON.stringify(outcome).slice(0, 200)}`)
  }
})

void t.test('no getter is handed the bytes of a report, and no promise of the runner is to be had', async t => {
  const sandbox = openSandbox(t)
  // Whoever is handed a report has its nonce, and writes one of its own.
  const thief = `
const { get } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length')!
let isDone = false
for (const part of ['length', 'byteLength', 'byteOffset', 'buffer']) {
  try {
    Object.defineProperty(Uint8Array.prototype, part, { configurable: true, get (this: Uint8Array) {
      const length = get!.call(this)
      if (!isDone && length > 40 && this[0] === 10 && this[33] === 32) {
        isDone = true
        const nonce = String.fromCharCode(...[...Array(32).keys()].map(at => this[at + 1]))
        for (const report of [{ type: 'start', id: 0 }, { type: 'returned', id: 0, value: { type: 'number', value: '5' } }, { type: 'end', count: 1 }]) Deno.stdout.writeSync(new TextEncoder().encode(\`\\n\${nonce} \${JSON.stringify(report).length} \${JSON.stringify(report)} \${nonce}\\n\`))
      }
      return part === 'length' ? length : Reflect.get(Object.getPrototypeOf(Uint8Array.prototype), part, this)
    } })
  } catch { /* it is locked */ }
}
`
  const hooked = `import v8 from 'node:v8'\nimport { createHook } from 'node:async_hooks'\nconst seen: unknown[] = []\ntry { (v8 as any).promiseHooks.onInit((p: unknown) => { seen.push(p) }) } catch { /* it is not there */ }\ncreateHook({ init (_id, _type, _trigger, resource) { seen.push(resource) } }).enable()\nexport const count = () => seen.length\nexport const internals = () => [typeof (Deno as any).internal, Object.getOwnPropertySymbols(Deno).filter(symbol => String(symbol) === 'Symbol(Deno.internal)').length]\n`
  const [stolen] = await sandbox.evaluate({ language: 'typescript', files: { 'add.ts': `${thief}${WRONG}` }, calls: [{ expression: 'add(2, 3)' }] }, patience())
  t.match(stolen, { type: 'returned', value: { type: 'number', value: '-1' } })
  const outcomes = await sandbox.evaluate({ language: 'typescript', files: { 'hooked.ts': hooked }, calls: ['await new Promise(r => setTimeout(r, 5)).then(count)', 'internals()'].map(expression => ({ expression })) }, patience())
  t.match(outcomes, [{ type: 'returned', value: { value: '0' } }, { type: 'returned', value: { items: [{ value: 'undefined' }, { value: '0' }] } }])
})

void t.test('a thread that writes into the reports of the runner forges none', async t => {
  const sandbox = openSandbox(t)
  // Long reports go out in pieces, and between two of them there is room for what another thread writes.
  const racing = `
const flag = new Int32Array(new SharedArrayBuffer(8))
const worker = new Worker('data:text/javascript,' + encodeURIComponent(\`
import net from 'node:net'
const said = new TextEncoder().encode('"},"value":{"type":"number","value":"5"},"y":{"z":"')
onmessage = ({ data: flag }) => {
  const socket = new net.Socket({ fd: 1 })
  socket.on('error', () => {})
  setTimeout(async () => {
    postMessage(1)
    while (Atomics.load(flag, 0) === 0) {}
    for (let i = 0; i < 4000; i++) await new Promise(resolve => socket.write(said, resolve))
  }, 5)
}\`), { type: 'module' })
await new Promise(resolve => { worker.onmessage = resolve; worker.postMessage(flag) })
export const add = (a: number, b: number): unknown => {
  Atomics.store(flag, 0, 1)
  const since = performance.now()
  while (performance.now() - since < 1) {}
  return 'x'.repeat(450_000)
}
`
  // Before a report ended with its length and the nonce, every third or fourth was taken for another.
  for (let tries = 0; tries < 12; tries++) {
    const [outcome] = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': racing }, calls: [{ expression: 'add(2, 3)' }] }, { ...patience(), limits: { wallMs: 1500 } })
    t.not(outcome?.type === 'returned' && outcome.value.type, 'number')
  }
})

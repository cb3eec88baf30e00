import { readdirSync } from 'node:fs'
import t from 'tap'
import type { TestReport } from '../../../../agents/types.js'
import { tempFolder, write } from '../../../support/folders.js'
import { openSandbox, outside, patience } from '../support.js'

// Each of these goes on for ever, or takes without end. The control: outside it is still at it after a while, or has taken more.
const BOMBS: [name: string, causes: TestReport['cause'][], source: string][] = [
  ['an endless loop', ['time', 'cpu'], 'for (;;) {}'],
  ['an endless loop of promises', ['time', 'cpu', 'memory'], 'const turn = (): Promise<void> => Promise.resolve().then(turn)\nawait turn()'],
  ['an endless loop that catches whatever stops it', ['time', 'cpu'], 'for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }'],
  ['a promise that never settles', ['time'], 'await new Promise(() => {})\nsetInterval(() => {}, 1000)'],
  ['a timer that keeps the process', ['time'], 'setInterval(() => {}, 1000)\nawait new Promise(() => {})'],
  ['a thread that is put to sleep', ['time'], 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ['a catastrophic pattern', ['time', 'cpu'], '/^(a+)+$/.test("a".repeat(50) + "b")'],
  ['a number that is too large to be computed', ['time', 'cpu', 'memory'], 'let n = 3n\nfor (;;) n = n ** 3n'],
  ['a worker that loops beside a module that waits', ['time', 'cpu'], 'new Worker("data:text/javascript,for(;;){}", { type: "module" })\nawait new Promise(() => {})'],
  ['a generator without an end that is spread', ['memory', 'time', 'cpu', 'load error'], 'console.log([...(function * () { for (;;) yield 1 })()].length)'],
  ['a heap that grows', ['memory', 'exited', 'time', 'cpu'], 'const all: unknown[] = []\nfor (;;) all.push({ a: new Array(1000).fill(all.length) })'],
  ['buffers outside of the heap', ['memory', 'load error'], 'const all: unknown[] = []\nfor (;;) all.push(new Uint8Array(16 * 1024 * 1024).fill(1))'],
  ['memory of WebAssembly', ['memory', 'load error'], 'const all: unknown[] = []\nfor (;;) { const m = new WebAssembly.Memory({ initial: 256 }); new Uint8Array(m.buffer).fill(1); all.push(m) }'],
  ['texts that double', ['memory', 'load error', 'time', 'cpu', 'exited'], 'const all: string[] = []\nlet s = "x"\nfor (;;) { s = s.length > 1e7 ? "y" + all.length : s + s; all.push(s.split("").join("")) }'],
  ['workers without end', ['memory', 'time', 'cpu', 'exited', 'load error'], 'for (;;) { new Worker("data:text/javascript,setInterval(()=>{},1000)", { type: "module" }); await new Promise(r => setTimeout(r, 1)) }'],
  ['output without end', ['output'], 'for (;;) console.log("x".repeat(10000))'],
  ['output past the console', ['output'], 'const bytes = new Uint8Array(65536).fill(120)\nfor (;;) Deno.stdout.writeSync(bytes)'],
  ['output on the other stream', ['output'], 'const bytes = new Uint8Array(65536).fill(120)\nfor (;;) Deno.stderr.writeSync(bytes)'],
  ['output by node:process', ['output', 'time', 'memory', 'cpu'], 'const { stdout } = await import("node:process")\nfor (;;) { stdout.write("x".repeat(10000)); await null }']
]

void t.test('whatever code takes without end, it is ended within its limits, and the reason is told', async t => {
  const sandbox = openSandbox(t)
  await sandbox.prove()
  for (const [name, causes, source] of BOMBS) {
    const since = performance.now()
    const report = await sandbox.test({ language: 'typescript', files: { 'bomb.test.ts': `${source}\nexport {}\n` }, tests: ['bomb.test.ts'] }, { ...patience(), limits: { wallMs: 1500, cpuMs: 1200, memoryMiB: 300, outputBytes: 200_000 } })
    const took = performance.now() - since
    t.equal(report.outcome, 'failed', name)
    t.ok(causes.includes(report.cause), `${name}: ${report.cause}`)
    t.ok(took < 1500 + 500 + 1500, `${name}: ${Math.round(took)} ms with its start`)
    t.ok(report.durationMs < 1500 + 500, `${name}: ${Math.round(report.durationMs)} ms of its own`)
    t.ok(report.output.length <= 210_000, `${name}: keeps little of what was printed`)
  }
})

void t.test('the control: outside, each of them is still at it after a second, or has used more than it may inside', async t => {
  const dir = tempFolder(t)
  write(dir, Object.fromEntries(BOMBS.map(([,, source], index) => [`bomb${index}.ts`, `${source}\nexport {}\n`])))
  await Promise.all([0, 1].map(async half => {
    for (const [index, [name]] of BOMBS.entries()) {
      if (index % 2 !== half) continue
      // It is bounded here too, lest it take the machine: what ends it is then that bound.
      const run = await outside(['run', '-A', '--quiet', '--no-check', '--no-config', '--no-lock', '--v8-flags=--max-old-space-size=400', `${dir}/bomb${index}.ts`], { ms: 1000 })
      t.ok(run.isTimeUp || run.code !== 0 || run.stdout.length >= 200_000, `${name}: ${JSON.stringify({ ...run, stdout: run.stdout.length })}`)
    }
  }))
})

void t.test('a test that hangs fails by itself, and those after it are run', async t => {
  const sandbox = openSandbox(t)
  const source = `import { it } from 'vitest'
it('passes', () => {})
it('waits for ever', () => new Promise(() => {}), 200)
it('passes, too', () => {})
`
  const report = await sandbox.test({ language: 'typescript', files: { 'a.test.ts': source }, tests: ['a.test.ts'] }, patience())
  t.same(report.tests.map(({ name, outcome }) => [name, outcome]), [['passes', 'passed'], ['waits for ever', 'failed'], ['passes, too', 'passed']])
  t.match(report.tests[1]?.message, /timed out in 200ms/)
  t.equal(report.outcome, 'failed')
  t.equal(report.cause, null)
})

void t.test('a test that blocks takes those after it along, and the report tells which was under way', async t => {
  const sandbox = openSandbox(t)
  const source = `import { it } from 'vitest'
it('passes', () => {})
it('blocks', () => { console.log('so far'); for (;;) {} })
it('is never reached', () => {})
`
  const report = await sandbox.test({ language: 'typescript', files: { 'a.test.ts': source }, tests: ['a.test.ts'] }, { ...patience(), limits: { wallMs: 800 } })
  t.equal(report.cause, 'time')
  t.same(report.tests.map(({ name, outcome, message, output }) => [name, outcome, message, output]), [
    ['passes', 'passed', null, ''],
    ['blocks', 'failed', 'it ran out of time', 'so far\n'],
    ['is never reached', 'not run', 'it ran out of time', '']
  ])
})

void t.test('an aborted operation ends at once, with the reason of its signal', async t => {
  const sandbox = openSandbox(t)
  await sandbox.prove()
  const controller = new AbortController()
  const reason = new Error('enough')
  const since = performance.now()
  const run = sandbox.test({ language: 'typescript', files: { 'a.test.ts': 'for (;;) {}' }, tests: ['a.test.ts'] }, { signal: controller.signal })
  setTimeout(() => controller.abort(reason), 300)
  await t.rejects(run, reason)
  t.ok(performance.now() - since < 1500)
  await t.rejects(sandbox.check({ language: 'typescript', files: { 'a.ts': '' } }, { signal: AbortSignal.abort(reason) }), reason)
})

void t.test('twenty jobs at once wait for their turn, and all come to their end', async t => {
  const sandbox = openSandbox(t)
  const jobs = Array.from({ length: 20 }, async (_, index) => await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': `export const n = ${index}` }, calls: [{ expression: 'n' }] }, patience()))
  const values = (await Promise.all(jobs)).map(([outcome]) => outcome?.type === 'returned' && outcome.value.type === 'number' ? Number(outcome.value.value) : NaN)
  t.same(values, values.map((_, index) => index))
})

void t.test('the limits are for all files of tests together', async t => {
  const sandbox = openSandbox(t)
  const each = (count: number, source: string) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}.test.ts`, source]))
  const run = async (files: Record<string, string>, limits = {}) => await sandbox.test({ language: 'typescript', files, tests: Object.keys(files).filter(path => path.endsWith('.test.ts')) }, { ...patience(), limits })
  const since = performance.now()
  const slow = await run(each(100, 'it("waits", async () => { await new Promise(resolve => setTimeout(resolve, 100)) })\n'), { wallMs: 1500 })
  t.match(slow, { outcome: 'failed', cause: 'time' })
  t.ok(performance.now() - since < 8000, `${Math.round(performance.now() - since)} ms`)
  t.match(await run(each(3, 'it("prints", () => { console.log("x".repeat(400_000)) })\n'), { outputBytes: 1_000_000 }), { outcome: 'failed', cause: 'output' })
  if (process.platform === 'linux') t.match(await run(each(9, 'it("works", () => { for (const end = performance.now() + 700; performance.now() < end;); })\n'), { cpuMs: 1000 }), { outcome: 'failed', cause: 'cpu' })
  t.match(await run(each(2, 'for (let n = 0; n < 3000; n++) it(`${n}`, () => {})\n')), { outcome: 'failed', message: 'there are more than 5000 tests' })
})

void t.test('what failures speak of is looked up once, however many there are', async t => {
  const sandbox = openSandbox(t)
  const files = { 'long.ts': `export const a = [${'"text", '.repeat(300_000)}]\n`, 'a.test.ts': 'for (let n = 0; n < 2000; n++) it(`${n}`, () => { throw new Error("Cannot find package \'nothing\'") })\n' }
  let held = 0
  let last = performance.now()
  const timer = setInterval(() => { const now = performance.now(); held = Math.max(held, now - last); last = now }, 5)
  const { outcome, tests } = await sandbox.test({ language: 'typescript', files, tests: ['a.test.ts'] }, patience())
  clearInterval(timer)
  t.match([outcome, tests.length], ['failed', 2000])
  t.ok(held < 3000, `the loop was held for ${Math.round(held)} ms`)
})

void t.test('limits that make no sense are refused before anything runs', async t => {
  const sandbox = openSandbox(t)
  for (const limits of [{ wallMs: 0 }, { wallMs: Infinity }, { memoryMiB: NaN }, { cpuMs: -1 }, { outputBytes: 1e12 }]) {
    await t.rejects(sandbox.test({ language: 'typescript', files: { 'a.ts': '' }, tests: ['a.ts'] }, { ...patience(), limits }), { name: 'InvalidJob' })
  }
  t.equal(sandbox.info().state, 'not started')
})

void t.test('nothing is left of a job: no folder, no file', async t => {
  const { TMPDIR } = process.env
  const temporary = tempFolder(t) // others make folders in the usual one
  process.env.TMPDIR = temporary
  t.teardown(() => { if (TMPDIR === undefined) Reflect.deleteProperty(process.env, 'TMPDIR'); else process.env.TMPDIR = TMPDIR })
  const sandbox = openSandbox(t)
  await sandbox.test({ language: 'typescript', files: { 'a.test.ts': 'for (;;) {}' }, tests: ['a.test.ts'] }, { ...patience(), limits: { wallMs: 300 } })
  await sandbox.check({ language: 'typescript', files: { 'a.ts': 'export {}' } }, patience())
  t.match(readdirSync(temporary), [/^svc-sandbox-/])
  await (sandbox as unknown as { close: () => Promise<void> }).close()
  t.same(readdirSync(temporary), [])
})

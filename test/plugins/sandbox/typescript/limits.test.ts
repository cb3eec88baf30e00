import { readdirSync } from 'node:fs'
import t from 'tap'
import type { TestReport } from '../../../../agents/types.js'
import { tempFolder, write } from '../../../support/folders.js'
import { IS_LONG, longestBlock, openSandbox, outside, patience } from '../support.js'

type Cause = TestReport['cause']
const TIME: Cause[] = ['time', 'cpu']
const MEMORY: Cause[] = ['memory', 'load error']
const ANY: Cause[] = ['memory', 'time', 'cpu', 'exited', 'load error']
const WORKER = (source: string) => `new Worker("data:text/javascript,${source}", { type: "module" })`
const HELD = 'const all: unknown[] = []\n'
const BYTES = 'const bytes = new Uint8Array(65536).fill(120)\n'
const DOUBLING = 'let s = "x"\nfor (;;) { s = s.length > 1e7 ? "y" + all.length : s + s; all.push(s.split("").join("")) }'

// Code that never ends, or takes more and more of something. Without limits it still runs after a second, or has taken too much.
const BOMBS: [name: string, causes: Cause[], source: string][] = [
  ['an endless loop', TIME, 'for (;;) {}'],
  ['an endless loop of promises', ANY, 'const turn = (): Promise<void> => Promise.resolve().then(turn)\nawait turn()'],
  ['a promise that never settles', ['time'], 'await new Promise(() => {})\nsetInterval(() => {}, 1000)'],
  ['a heap that grows', ANY, `${HELD}for (;;) all.push({ a: new Array(1000).fill(all.length) })`],
  ['buffers outside of the heap', MEMORY, `${HELD}for (;;) all.push(new Uint8Array(16 * 1024 * 1024).fill(1))`],
  ['a worker that loops beside a module that waits', TIME, `${WORKER('for(;;){}')}\nawait new Promise(() => {})`],
  ['output without end', ['output'], 'for (;;) console.log("x".repeat(10000))'],
  ['output past the console', ['output'], `${BYTES}for (;;) Deno.stdout.writeSync(bytes)`]
]
const MORE_BOMBS: typeof BOMBS = [
  ['an endless loop that catches whatever stops it', TIME, 'for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }'],
  ['a timer that keeps the process', ['time'], 'setInterval(() => {}, 1000)\nawait new Promise(() => {})'],
  ['a thread that is put to sleep', ['time'], 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ['a catastrophic pattern', TIME, '/^(a+)+$/.test("a".repeat(50) + "b")'],
  ['a number that is too large to be computed', ANY, 'let n = 3n\nfor (;;) n = n ** 3n'],
  ['a generator without an end that is spread', ANY, 'console.log([...(function * () { for (;;) yield 1 })()].length)'],
  ['memory of WebAssembly', MEMORY, `${HELD}for (;;) {
  const memory = new WebAssembly.Memory({ initial: 256 })
  new Uint8Array(memory.buffer).fill(1)
  all.push(memory)
}`],
  ['texts that double', ANY, `${HELD}${DOUBLING}`],
  ['workers without end', ANY, `for (;;) { ${WORKER('setInterval(()=>{},1000)')}; await new Promise(r => setTimeout(r, 1)) }`],
  ['output on the other stream', ['output'], `${BYTES}for (;;) Deno.stderr.writeSync(bytes)`],
  ['output by node:process', ['output', 'time', 'memory', 'cpu'], `const { stdout } = await import("node:process")
for (;;) { stdout.write("x".repeat(10000)); await null }`]
]
const TRIED = [...BOMBS, ...(IS_LONG ? MORE_BOMBS : [])]

void t.test('code that takes too much of anything is ended within its limits, and the report names the limit', async t => {
  const sandbox = openSandbox(t, { processes: 4 })
  await sandbox.prove()
  await Promise.all(TRIED.map(async ([name, causes, source]) => {
    const limits = { wallMs: 1500, cpuMs: 1200, memoryMiB: 300, outputBytes: 200_000 }
    const files = { 'bomb.test.ts': `${source}\nexport {}\n` }
    const report = await sandbox.test({ language: 'typescript', files, tests: ['bomb.test.ts'] }, { ...patience(), limits })
    t.equal(report.outcome, 'failed', name)
    t.ok(causes.includes(report.cause), `${name}: ${report.cause}`)
    t.ok(report.output.length <= 210_000, `${name}: keeps little of what was printed`)
  }))
})

void t.test('the control: outside of the sandbox the same code goes on, or takes more than it may inside', async t => {
  const dir = tempFolder(t)
  write(dir, Object.fromEntries(TRIED.map(([,, source], index) => [`bomb${index}.ts`, `${source}\nexport {}\n`])))
  // The heap is bounded here, too, so that the test does not take the whole machine.
  const flags = ['-A', '--quiet', '--no-check', '--no-config', '--no-lock', '--v8-flags=--max-old-space-size=400']
  await Promise.all([0, 1, 2, 3].map(async part => {
    for (const [index, [name]] of TRIED.entries()) {
      if (index % 4 !== part) continue
      const run = await outside(['run', ...flags, `${dir}/bomb${index}.ts`], { ms: 1000 })
      const tookTooMuch = run.isTimeUp || run.code !== 0 || run.stdout.length >= 200_000
      t.ok(tookTooMuch, `${name}: ${JSON.stringify({ ...run, stdout: run.stdout.length })}`)
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

void t.test('a test that blocks ends those after it, and the report says which one was running', async t => {
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
  const options = { signal: controller.signal, limits: { wallMs: 600_000, cpuMs: 600_000 } }
  const run = sandbox.test({ language: 'typescript', files: { 'a.test.ts': 'for (;;) {}' }, tests: ['a.test.ts'] }, options)
  setTimeout(() => controller.abort(reason), 300)
  await t.rejects(run, reason)
  await t.rejects(sandbox.check({ language: 'typescript', files: { 'a.ts': '' } }, { signal: AbortSignal.abort(reason) }), reason)
})

void t.test('twenty jobs at once wait for their turns, and all of them end', async t => {
  const sandbox = openSandbox(t)
  const jobs = Array.from({ length: 20 }, async (_, index) => await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': `export const n = ${index}` }, calls: [{ expression: 'n' }] }, patience()))
  const values = (await Promise.all(jobs)).map(([outcome]) => outcome?.type === 'returned' && outcome.value.type === 'number' ? Number(outcome.value.value) : NaN)
  t.same(values, values.map((_, index) => index))
})

void t.test('the limits are for all files of tests together', async t => {
  const sandbox = openSandbox(t)
  const each = (count: number, source: string) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}.test.ts`, source]))
  const run = async (files: Record<string, string>, limits = {}) => await sandbox.test({ language: 'typescript', files, tests: Object.keys(files).filter(path => path.endsWith('.test.ts')) }, { ...patience(), limits })
  const slow = await run(each(100, 'it("waits", async () => { await new Promise(resolve => setTimeout(resolve, 100)) })\n'), { wallMs: 1500 })
  t.match(slow, { outcome: 'failed', cause: 'time' })
  t.match(await run(each(3, 'it("prints", () => { console.log("x".repeat(400_000)) })\n'), { outputBytes: 1_000_000 }), { outcome: 'failed', cause: 'output' })
  if (process.platform === 'linux') t.match(await run(each(9, 'it("works", () => { for (const end = performance.now() + 700; performance.now() < end;); })\n'), { cpuMs: 1000 }), { outcome: 'failed', cause: 'cpu' })
  t.match(await run(each(2, 'for (let n = 0; n < 3000; n++) it(`${n}`, () => {})\n')), { outcome: 'failed', message: 'there are more than 5000 tests' })
})

void t.test('the files are searched for imports once, however many tests fail', async t => {
  const sandbox = openSandbox(t)
  const files = { 'long.ts': `export const a = [${'"text", '.repeat(300_000)}]\n`, 'a.test.ts': 'for (let n = 0; n < 2000; n++) it(`${n}`, () => { throw new Error("Cannot find package \'nothing\'") })\n' }
  const blocked = await longestBlock(async () => {
    const { outcome, tests } = await sandbox.test({ language: 'typescript', files, tests: ['a.test.ts'] }, patience())
    t.match([outcome, tests.length], ['failed', 2000])
  })
  t.ok(blocked < 3000, `the event loop was blocked for ${Math.round(blocked)} ms`)
})

void t.test('invalid limits are refused before anything runs', async t => {
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

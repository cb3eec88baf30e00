import t from 'tap'
import type { Files } from '../../../../agents/types.js'
import { openSandbox, patience } from '../support.js'

t.setTimeout(180_000)
const sandbox = openSandbox(t)
const test = (files: Files) => sandbox.test({ language: 'typescript', files, tests: ['a.test.ts'] }, patience())
const HEAD = 'import { beforeAll, beforeEach, expect, it } from "vitest"\n'

void t.test('an error that only has the words of a missing package or an exit is the program\'s own', async t => {
  const thrown = {
    'Error: Could not find "alice"': 'throw new Error(\'Could not find "alice"\')',
    'Error: Cannot find package \'zod\'': 'throw new Error("Cannot find package \'zod\'")',
    'ExitCalled: x': 'throw Object.assign(new Error("x"), { name: "ExitCalled" })',
    'NotCapable: Requires net access to x': 'throw Object.assign(new Error("Requires net access to x"), { name: "NotCapable" })'
  }
  for (const [message, statement] of Object.entries(thrown)) {
    const [outcome] = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': `export const find = (): number => { ${statement} }\n` }, calls: [{ expression: 'find()' }] }, patience())
    t.match(outcome, { type: 'raised', name: message.split(': ')[0], message: message.split(': ')[1], frame: { file: 'a.ts', line: 1 } }, message)
    const [unloaded] = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': `${statement}\n` }, calls: [{ expression: '1' }] }, patience())
    t.match(unloaded, { type: 'not run', cause: 'load error', message, missing: [] }, message)
    const report = await test({ 'a.ts': `export const one = 1\n${statement}\n`, 'a.test.ts': `${HEAD}import { one } from "./a"\nit("is", () => { expect(one).toBe(1) })\n` })
    t.match(report, { outcome: 'failed', cause: 'load error', message, missing: [] }, message)
  }
})

void t.test('missing packages are reported, also for calls and for parts of libraries that are here', async t => {
  const [there, called, ended] = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': 'export const a = 1\n' }, calls: ['a', '(await import("zod")).z', 'process.exit(3)'].map(expression => ({ expression })) }, patience())
  t.match(there, { type: 'returned' })
  t.match(called, { type: 'not run', cause: 'not available', missing: ['zod'] })
  t.match(ended, { type: 'not run', cause: 'exited', message: 'the process was told to exit with code 3' })
  for (const [source, missing] of [['import "zod"', 'zod'], ['import "@scope/name/part"', '@scope/name'], ['require("zod")', 'zod'], ['import "https://deno.land/x.ts"', 'https://deno.land/x.ts'], ['import "npm:zod@3"', 'zod'], ['import "jsr:@std/path"', '@std/path'], ['import "vitest/config"', 'vitest/config']] as const) {
    t.match(await test({ 'a.test.ts': `${HEAD}${source}\nit("is", () => {})\n` }), { outcome: 'not run', cause: 'not available', missing: [missing] }, source)
  }
})

void t.test('tests and calls that need files, the network or other programs are not run, with that reason', async t => {
  const needs: [why: RegExp, body: string][] = [
    [/write files/, 'fs.mkdtempSync(os.tmpdir() + "/a-")'],
    [/write files/, 'await fs.promises.writeFile("/tmp/a", "x")'],
    [/files other/, 'fs.readFileSync("/etc/passwd")'],
    [/network/, 'await new Promise<void>(resolve => http.createServer().listen(0, "127.0.0.1", resolve))'],
    [/network/, 'await new Promise<void>(resolve => net.createServer().listen(0, resolve))'],
    [/network/, 'await fetch("http://127.0.0.1:8999")'],
    [/network/, 'Deno.serve({ port: 0 }, () => new Response())'],
    [/programs/, 'await new Promise((resolve, reject) => exec("ls", error => error ? reject(error) : resolve(1)))'],
    [/machine/, 'os.hostname()']
  ]
  const imports = `import { exec } from 'node:child_process'\nimport fs from 'node:fs'\nimport http from 'node:http'\nimport net from 'node:net'\nimport os from 'node:os'\n`
  for (const [why, body] of needs) {
    const report = await test({ 'a.ts': `${imports}export const f = async () => { ${body} }\n`, 'a.test.ts': `${HEAD}import { f } from './a'\nit('does', async () => { await f(); expect(1).toBe(1) })\nit('adds', () => { expect(1 + 1).toBe(2) })\n` })
    t.match(report, { outcome: 'not run', cause: 'not available', message: why, missing: [], tests: [{ outcome: 'not run', message: why }, { outcome: 'passed' }] }, body)
    const [outcome] = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': `${imports}export const f = async () => { ${body} }\n` }, calls: [{ expression: 'f()' }] }, patience())
    t.match(outcome, { type: 'not run', cause: 'not available', message: why, missing: [] }, body)
  }
})

void t.test('the same goes for hooks and for loading a file; a test that fails is more important', async t => {
  const write = 'fs.writeFileSync("/tmp/a", "x")'
  for (const body of [`beforeEach(() => { ${write} })`, `beforeAll(() => { ${write} })`]) {
    t.match(await test({ 'a.test.ts': `${HEAD}import fs from "fs"\n${body}\nit("a", () => {})\n` }), { outcome: 'not run', cause: 'not available', message: /write files/, tests: [{ outcome: 'not run' }] }, body)
  }
  t.match(await test({ 'a.test.ts': `${HEAD}import fs from "fs"\n${write}\nit("a", () => {})\n` }), { outcome: 'not run', cause: 'not available', message: /write files/ })
  t.match(await test({ 'a.test.ts': `${HEAD}import fs from "fs"\nit("a", () => { ${write} })\nit("b", () => { expect(1).toBe(2) })\n` }), { outcome: 'failed', cause: null })
  t.match(await sandbox.test({ language: 'typescript', files: { 'a.test.ts': `${HEAD}import fs from "fs"\nit("a", () => { ${write} })\n`, 'b.test.ts': `${HEAD}it("b", () => {})\n` }, tests: ['a.test.ts', 'b.test.ts'] }, patience()), { outcome: 'not run', cause: 'not available', message: /write files/ })
})

void t.test('environment variables are the job\'s own, and none is this machine\'s', async t => {
  process.env.SVC_TEST_VARIABLE = 'of this machine'
  t.teardown(() => { delete process.env.SVC_TEST_VARIABLE })
  const calls = ['[process.env.SVC_TEST_VARIABLE, process.env.PATH, process.env.DENO_DIR, process.env.NODE_ENV, Deno.env.get("DENO_DIR")]', '[Object.keys(process.env), Deno.env.toObject()]', '(process.env.A = "1", [process.env.A, "A" in process.env, Deno.env.get("A"), JSON.stringify(process.env)])', '(delete process.env.A, [process.env.A, "A" in process.env])']
  const outcomes = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': '' }, calls: calls.map(expression => ({ expression })) }, patience())
  const none = { type: 'undefined' }
  t.match(outcomes, [
    { value: { items: [none, none, none, none, none] } },
    { value: { items: [{ items: [] }, { entries: [] }] } },
    { value: { items: [{ value: '1' }, { value: true }, { value: '1' }, { value: '{"A":"1"}' }] } },
    { value: { items: [none, { value: false }] } }
  ])
  const { value } = outcomes[1] as { value: { items: { items?: unknown[], entries?: unknown[] }[] } }
  t.same(value.items.map(({ items, entries }) => (items ?? entries)?.length), [0, 0])
})

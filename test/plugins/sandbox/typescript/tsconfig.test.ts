import t from 'tap'
import type { Files } from '../../../../agents/types.js'
import { withoutAliases } from '../../../../plugins/sandbox/typescript/aliases.js'
import { configOf } from '../../../../plugins/sandbox/typescript/tsconfig.js'
import { cpuMs, openSandbox, patience } from '../support.js'

const CONFIG = `{
  // where the sources lie, /* as */ "they" say
  "compilerOptions": { "baseUrl": "./src", "paths": { "@/*": ["./*",], "#deep/*.js": ["deep/*.ts"], "config": ["./config.ts"], "~*": ["../../*"] }, },
}`
const FILES: Files = {
  'tsconfig.json': CONFIG,
  'src/util/index.ts': 'export * from "./math"\nexport { default as greet } from "@/util/greet"\n',
  'src/util/math.ts': 'export const sum = (...n: number[]): number => n.reduce((a, b) => a + b, 0)\n',
  'src/util/greet.ts': 'import { name } from "config"\nexport default function greet (): string { return `hi ${name}, not "@/util"` }\n',
  'src/config.ts': 'export const name = "x"\n',
  'src/deep/one.ts': 'export const one: number = 1\n',
  'test/a.test.ts': 'import { expect, it } from "vitest"\nimport { greet, sum } from "@/util"\nimport { sum as same } from \'../src/util/math\'\nimport { one } from "#deep/one.js"\nit("works", async () => { expect([sum(1, 2), one, greet(), (await import("@/config")).name]).toEqual([3, 1, "hi x, not \\"@/util\\"", "x"]); expect(sum).toBe(same) })\n'
}

void t.test('the paths of a tsconfig.json are followed, by tests, calls and the checker', async t => {
  const sandbox = openSandbox(t)
  const report = await sandbox.test({ language: 'typescript', files: FILES, tests: ['test/a.test.ts'] }, patience())
  t.match(report, { outcome: 'passed', cause: null }, JSON.stringify(report))
  const outcomes = await sandbox.evaluate({ language: 'typescript', files: FILES, calls: [{ file: 'src/util/greet.ts', expression: 'greet()' }] }, patience())
  t.match(outcomes, [{ type: 'returned', value: { value: 'hi x, not "@/util"' } }])
  const { diagnostics, missing } = await sandbox.check({ language: 'typescript', files: { ...FILES, 'src/wrong.ts': 'import { sum } from "@/util"\nexport const wrong: string = sum(1)\n' } }, patience())
  t.same(diagnostics.filter(({ source }) => source === 'types').map(({ file, line, code }) => [file, line, code]), [['src/wrong.ts', 2, 'TS2322']])
  t.same(missing, [])
})

void t.test('other names are missing as usual, and no alias leads out of the job', async t => {
  const sandbox = openSandbox(t)
  const report = await sandbox.test({ language: 'typescript', files: { ...FILES, 'src/util/math.ts': 'import "@/none"\nexport const sum = 1\n' }, tests: ['test/a.test.ts'] }, patience())
  t.match(report, { outcome: 'not run', missing: ['@/none'] })
  t.same(configOf(FILES).aliases, { '@/*': ['./src/*'], '#deep/*.js': ['./src/deep/*.ts'], config: ['./src/config.ts'] })
  for (const text of ['', '{', '[]', '{"compilerOptions": 1}', '{"compilerOptions": {"paths": {"a": "b", "c": [1]}}}']) t.same(configOf({ 'tsconfig.json': text }), { aliases: {}, hasOldDecorators: false }, text)
  const odd = { 'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./*"]}}}', 'its #1?.ts': '', 'a.ts': 'import "@/its #1?"\nimport \'@/a.js\'\nimport "vitest"\nimport "node:fs"\n// import "@/a"\n' }
  t.equal(withoutAliases(odd)['a.ts'], 'import "./its %231%3f.ts"\nimport \'./a.ts\'\nimport "vitest"\nimport "node:fs"\n// import "@/a"\n')
  t.end()
})

void t.test('any tsconfig.json is read in little time', async t => {
  for (const part of ['"', '/*', '//', ',', ', ', ',\n', '\\', '{"a":', '" ']) {
    for (const before of ['', '"', '{', '{"a": 1,']) {
      const took = await cpuMs(() => configOf({ 'tsconfig.json': before + part.repeat(1_000_000 / part.length) }))
      t.ok(took < 3000, JSON.stringify(before + part))
    }
  }
})

void t.test('decorators of the old kind are compiled as such where a tsconfig.json says so, and those of the language elsewhere', async t => {
  const sandbox = openSandbox(t)
  const files = {
    'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true } }',
    'svc.ts': `export const calls: string[] = []
export function Injectable (name: string) { return function (made: new (...args: never[]) => unknown) { calls.push(name + made.name) } }
export function Param (_target: object, key: string | symbol | undefined, index: number) { calls.push(String(key) + index) }
export function Log (_target: object, key: string, found: PropertyDescriptor) { const f = found.value; found.value = function (...args: unknown[]) { calls.push(key); return f.apply(this, args) } }
@Injectable('svc')
export class Service { @Log run (@Param n: number): number { return n * 2 } }
`,
    'svc.test.ts': 'import { expect, it } from "vitest"\nimport { Service, calls } from "./svc"\nit("runs", () => { expect(new Service().run(2)).toBe(4); expect(calls).toEqual(["run0", "svcService", "run"]) })\n'
  }
  const report = await sandbox.test({ language: 'typescript', files, tests: ['svc.test.ts'] }, patience())
  t.match(report, { outcome: 'passed', cause: null }, JSON.stringify(report))
  t.match(await sandbox.evaluate({ language: 'typescript', files, calls: [{ file: 'svc.ts', expression: 'new Service().run(3)' }] }, patience()), [{ type: 'returned', value: { value: '6' } }])
  t.same((await sandbox.check({ language: 'typescript', files }, patience())).diagnostics.filter(({ source }) => source === 'types'), [])
  const today = {
    'a.ts': 'export function twice (f: (n: number) => number, context: ClassMethodDecoratorContext) { return (n: number) => f(n) * 2 + (context.kind === "method" ? 1 : 0) }\nexport class A { @twice get (n: number): number { return n } }\n',
    'a.test.ts': 'import { expect, it } from "vitest"\nimport { A } from "./a"\nit("is twice", () => { expect(new A().get(2)).toBe(5) })\n'
  }
  t.match(await sandbox.test({ language: 'typescript', files: today, tests: ['a.test.ts'] }, patience()), { outcome: 'passed' })
})

import t from 'tap'
import { withoutAliases } from '../../../../plugins/sandbox/typescript/aliases.js'
import { withJsonTypes } from '../../../../plugins/sandbox/typescript/json-imports.js'
import { unavailableIn } from '../../../../plugins/sandbox/typescript/unavailable.js'
import { importsOf, serversNamed } from '../../../../plugins/sandbox/typescript/imports.js'
import { countDeclared, doubtsInFile } from '../../../../plugins/sandbox/typescript/gates/doubts.js'
import { cpuMs, openSandbox, patience } from '../support.js'

// Texts that a pattern may search again and again. The first of them once blocked the service for seven minutes.
const HOSTILE: [part: string, times: number][] = [
  ['import a ', 110_000], ['/*', 500_000], ['import from ', 90_000], ['import { ', 110_000], ['import }from ', 80_000], ['export {', 120_000], ['} ', 500_000],
  ['"', 500_001], ['\'', 500_001], ['`', 500_001], ['`\\', 500_000], ['\'\\', 500_000], ['import( ', 120_000], ['import \'', 120_000], ['import type ', 90_000], [' from', 200_000]
]

void t.test('the imports of any text are found in little time', async t => {
  for (const [part, times] of HOSTILE) {
    for (const before of ['', 'import ', 'import a']) {
      const text = before + part.repeat(times)
      const took = await cpuMs(() => importsOf(text))
      t.ok(took < 3000, `${JSON.stringify(before + part)}: ${Math.round(took)} ms`)
    }
  }
  for (const before of ['import', 'import type', 'import a', 'import(', 'require']) {
    t.ok(await cpuMs(() => importsOf(before + ' '.repeat(1_000_000))) < 3000, before)
  }
})

void t.test('the doubts of any text are found in little time, whether or not it is code', async t => {
  for (const part of [' ', '\n', '(', '[', '{', 'a.', '<', 'a<', '!', '`${', 'x => ', 'class A { ', 'a = ', '-', 'a?b:', 'it(', '\'', '"', '`', '/*', '//', '/', 'Array.prototype.a = 1\n', 'a(b)(c)', '[].x = ', 'const { a } = b\n', 'for (const x of [y, y, y]) for (const y of [x, x, x]) x.a = y\n']) {
    const text = part.repeat(Math.floor(60_000 / part.length))
    const took = await cpuMs(async () => {
      countDeclared('a.test.ts', text)
      await doubtsInFile('a.ts', text)
    })
    if (took >= 3000) t.fail(`${JSON.stringify(part)}: ${Math.round(took)} ms`)
  }
})

void t.test('any files are prepared for Deno in little time, and searched for what is missing', async t => {
  const paths = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${'*'.padStart(1 + at % 3, 'ab')}`, Array.from({ length: 50 }, (_, to) => `./t${to}/*`)]))
  const config = JSON.stringify({ compilerOptions: { paths: { ...paths, ...Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`${'a'.repeat(at)}*`, paths['*']])) } } })
  for (const source of [...HOSTILE.map(([part, times]) => part.repeat(times)), Array.from({ length: 60_000 }, (_, at) => `import 'aaa${at}/b.json';`).join('\n'), 'import \'x\'\n'.repeat(80_000)]) {
    for (const text of ['{}', config, `{${' '.repeat(500_000)}`, `{"a":1,${'/*'.repeat(300_000)}`, ',]'.repeat(300_000)]) {
      const files = { 'tsconfig.json': text, 'a.ts': source, 'b.json': '{}' }
      const took = await cpuMs(() => {
        const made = withJsonTypes(withoutAliases(files))
        serversNamed(made)
        const unavailable = unavailableIn(made)
        for (let at = 0; at < 5000; at++) unavailable({ kind: 'other', name: 'Error', message: `Could not find "zod${at}"`, stack: '' })
      })
      if (took >= 3000) t.fail(`${JSON.stringify(source.slice(0, 30))}, ${JSON.stringify(text.slice(0, 30))}: ${Math.round(took)} ms`)
    }
  }
})

void t.test('tests at the top level of a file are counted in its text', t => {
  t.equal(countDeclared('a.ts', 'it("a", () => {})\nif (x)\nit("b", () => {})\nmade()\ntest.skip("c");\n// it("d")\n`\nit("e")\n`\nDeno.test("f")\n'), 3)
  t.equal(countDeclared('a.ts', 'function test (name: string) {}\ntest("a")\nit("b")\n'), 1)
  t.end()
})

void t.test('imports of every form are found, and nothing in comments and texts', t => {
  const source = `import a from 'a'
import {b, c as d} from "b"
import 'side'
import type { X } from 'x'
export * from 'e'
export {z}from'z'
import*as ns from 'ns'
const r = require('r'), i = await import("dyn")
// import 'no'
/* import 'no' */
const s = "import 'no'", u = \`import 'no'\`
import{k}from'k'
import def, {
  named,
  from
} from 'both'
import { importer, exported } from 'words'
import"tight"
export const from = 'nothing'
`
  t.same(importsOf(source).map(({ specifier }) => specifier), ['a', 'b', 'side', 'x', 'e', 'z', 'ns', 'r', 'dyn', 'k', 'both', 'words', 'tight'])
  t.same(importsOf(source).filter(({ isType }) => isType).map(({ specifier }) => specifier), ['x'])
  t.end()
})

void t.test('a file of nothing but errors is checked within its time, and each tool reports a thousand at most', async t => {
  const sandbox = openSandbox(t)
  const report = await sandbox.check({ language: 'typescript', files: { 'a.ts': 'xx;\n'.repeat(20_000), 'b.ts': 'const n: number = ""\nconst m = 1\n  const o: string = m\n' } }, { ...patience(), limits: { wallMs: 5000 } })
  t.ok(report.diagnostics.length >= 1000 && report.diagnostics.length <= 2000, `${report.diagnostics.length} ${JSON.stringify(report.unchecked)}`)
  const small = await sandbox.check({ language: 'typescript', files: { 'b.ts': 'const n: number = ""\nconst m = 1\n  const o: string = m\nexport { n, o }\n' } }, patience())
  t.same(small.diagnostics.filter(({ source }) => source === 'types').map(({ line, column }) => [line, column]), [[1, 7], [3, 9]])
})

void t.test('no name of a file hides anything from the tools: no option, no pattern, no ignored folder', async t => {
  const sandbox = openSandbox(t)
  for (const name of ['--ignore=main.ts', '-A.ts', 'app/[id]/page.tsx', 'a{b,c}.ts', '!main.ts', 'node_modules/x.ts', '.hidden/x.ts', 'a#b.ts', 'a%20b.ts']) {
    const files = { 'main.ts': 'export const x = {a:1,a:2}', [name]: 'export const y = {b:1,b:2}' }
    const { diagnostics, unchecked } = await sandbox.check({ language: 'typescript', files }, patience())
    t.same(diagnostics.filter(({ code }) => code === 'no-dupe-keys').map(({ file }) => file).sort(), ['main.ts', name].sort(), name)
    t.same(unchecked, [], name)
    t.match((await sandbox.format({ language: 'typescript', files }, patience()))[name], /\{ b: 1, b: 2 \}/, name)
  }
})

void t.test('calls may not be longer than the service can parse without blocking', async t => {
  const sandbox = openSandbox(t)
  const calls = Array.from({ length: 60 }, () => ({ expression: `[${'0, '.repeat(8000)}]` }))
  await t.rejects(sandbox.evaluate({ language: 'typescript', files: { 'a.ts': '' }, calls }, patience()), { name: 'InvalidJob' })
})

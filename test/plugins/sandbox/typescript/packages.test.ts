import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { tempFolder, write } from '../../../support/folders.js'
import { openSandbox, patience } from '../support.js'

t.setTimeout(180_000)

void t.test('the packages of the user are there for the checker and for tests, and no other file is', async t => {
  const dir = write(tempFolder(t), {
    'secret.txt': 'not for you',
    'node_modules/modern/package.json': JSON.stringify({ name: 'modern', version: '1.0.0', type: 'module', exports: { '.': { types: './index.d.ts', default: './index.js' }, './deep': { types: './deep.d.ts', default: './deep.js' } } }),
    'node_modules/modern/index.js': 'export const double = n => n * 2\n',
    'node_modules/modern/index.d.ts': 'export declare const double: (n: number) => number\n',
    'node_modules/modern/deep.js': 'export default 7\n',
    'node_modules/modern/deep.d.ts': 'declare const seven: number\nexport default seven\n',
    'node_modules/classic/package.json': JSON.stringify({ name: 'classic', version: '1.0.0', main: 'main.js', dependencies: { modern: '*' } }),
    'node_modules/classic/main.js': 'const { basename } = require("path")\nmodule.exports = { name: () => basename("/a/classic") }\n',
    'node_modules/@types/classic/package.json': JSON.stringify({ name: '@types/classic', version: '1.0.0', types: 'index.d.ts' }),
    'node_modules/@types/classic/index.d.ts': 'export function name (): string\n'
  })
  const files = {
    'a.ts': 'import { double } from "modern"\nimport seven from "modern/deep"\nimport classic from "classic"\nexport const all = [double(2), seven, classic.name()]\n',
    'a.test.ts': 'import { expect, it } from "vitest"\nimport { all } from "./a"\nit("has them", () => { expect(all).toEqual([4, 7, "classic"]) })\n',
    'wrong.ts': 'import { double } from "modern"\nimport { x } from "left-pad"\nexport const wrong: string = double(2)\nconsole.log(x)\n'
  }
  for (const packages of [dir, join(dir, 'node_modules')]) {
    const sandbox = openSandbox(t, { packages })
    const report = await sandbox.test({ language: 'typescript', files, tests: ['a.test.ts'] }, patience())
    t.equal(report.outcome, 'passed', JSON.stringify(report))
    const { diagnostics, missing } = await sandbox.check({ language: 'typescript', files }, patience())
    t.same(diagnostics.map(({ file, line, code }) => [file, line, code]), [['wrong.ts', 3, 'TS2322']])
    t.same(missing, ['left-pad'])
    const [outcome] = await sandbox.evaluate({ language: 'typescript', files: { 'b.ts': `export const read = () => Deno.readTextFileSync(${JSON.stringify(join(dir, 'secret.txt'))})` }, calls: [{ expression: 'read()' }] }, patience())
    t.match(outcome, { type: 'not run', cause: 'not available', message: /files other than its own/ })
  }
})

void t.test('real packages, with all the paths that they export, are typed and run', async t => {
  const sandbox = openSandbox(t, { packages: fileURLToPath(new URL('../../../../node_modules', import.meta.url)) })
  const files = {
    'point.ts': 'import { Type, type Static } from "typebox"\nimport { Value } from "typebox/value"\nexport const Point = Type.Object({ x: Type.Number() })\nexport type Point = Static<typeof Point>\nexport const isPoint = (value: unknown): value is Point => Value.Check(Point, value)\n',
    'point.test.ts': 'import { expect, it } from "vitest"\nimport { isPoint } from "./point"\nit("checks", () => { expect([{ x: 1 }, { x: "1" }].map(isPoint)).toEqual([true, false]) })\n',
    'wrong.ts': 'import type { Point } from "./point"\nexport const wrong: Point = { x: "1" }\n'
  }
  const report = await sandbox.test({ language: 'typescript', files, tests: ['point.test.ts'] }, patience())
  t.equal(report.outcome, 'passed', JSON.stringify(report))
  const { diagnostics, missing } = await sandbox.check({ language: 'typescript', files }, patience())
  t.same(diagnostics.filter(({ severity }) => severity === 'error').map(({ file, line, code }) => [file, line, code]), [['wrong.ts', 2, 'TS2322']])
  t.same(missing, [])
})

void t.test('a folder without packages is refused with the reason', async t => {
  const sandbox = openSandbox(t, { packages: tempFolder(t) })
  await t.rejects(sandbox.check({ language: 'typescript', files: { 'a.ts': '' } }, patience()), { name: 'SandboxUnavailable', message: /no node_modules folder/ })
})

import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { answer } from '../../../agents/svc-code/answer.js'
import { mend } from '../../../agents/svc-code/mend.js'
import { readPlan } from '../../../agents/svc-code/plan.js'
import { type Cluster, posterior } from '../../../agents/svc-code/posterior.js'
import { SCAFFOLDS, projectKind, scaffoldOf } from '../../../agents/svc-code/scaffolds/index.js'
import { settingsOf } from '../../../agents/svc-code/settings.js'
import { print } from '../../../agents/svc-code/trial.js'
import { suiteOf } from '../../../agents/svc-code/suite.js'
import { writeWorkspace } from '../../../agents/svc-code/workspace.js'

const cluster = (drafts: number, passesExamples: boolean | null, results: Record<string, string> = {}, suspect = false): Cluster => ({ drafts, passesExamples, suspect, results: new Map(Object.entries(results)) })
const chance = (clusters: Cluster[], more: { failed?: number, votes?: Record<string, string>[], examples?: number } = {}) =>
  posterior(clusters, more.failed ?? 0, (more.votes ?? []).map(view => Object.entries(view).map(([call, wants]) => ({ call, wants }))), more.examples ?? 0)

void t.test('the posterior moves as evidence does', async t => {
  t.equal(chance([cluster(3, false)], { examples: 2 })[0], 0, 'what fails an example is not right, however often it comes')
  t.ok(chance([cluster(1, true)], { examples: 5 })[0]! > chance([cluster(1, true)], { examples: 1 })[0]!, 'more examples say more')
  t.ok(chance([cluster(2, null, { f: '1' })])[0]! > chance([cluster(1, null, { f: '1' })])[0]!, 'drafts that agree speak for each other')
  t.ok(chance([cluster(1, true)], { failed: 5, examples: 2 })[0]! < chance([cluster(1, true)], { examples: 2 })[0]!, 'a task at which most drafts fail is doubted')
  const agreed = { a: '1', b: '2', c: '3' }
  const alone = chance([cluster(1, null, agreed)])[0]!
  t.ok(chance([cluster(1, null, agreed)], { votes: [agreed] })[0]! > alone, 'votes for it')
  t.ok(chance([cluster(1, null, agreed)], { votes: [{ a: '9', b: '9', c: '9' }] })[0]! < alone, 'votes against it')
  t.ok(chance([cluster(1, null, agreed, true)])[0]! < alone, 'names that exist nowhere')
  const [left = 0, right = 0] = chance([cluster(1, null, { a: '1' }), cluster(1, null, { a: '2' })], { votes: [{ a: '2' }] })
  t.ok(right > left && left + right < 1)
  t.ok(chance([cluster(400, null), cluster(200, null)]).every(Number.isFinite))
})

void t.test('slips are mended without a model', async t => {
  t.match(mend('def f(xs: List[int]) -> Optional[int]:\n    return math.prod(xs)', { language: 'python' }), /from typing import List\nfrom typing import Optional\nimport math/)
  t.notMatch(mend('import math\n\ndef f(x):\n    return math.sqrt(x)', { language: 'python' }), /import math[\s\S]*import math/)
  t.notMatch(mend('def f(re):\n    return re.x', { language: 'python' }), /import re/)
  t.match(mend('def solve(x):\n    return solve(x - 1)', { language: 'python', entry: 'f' }), /def f\(x\):\n {4}return f\(x - 1\)/)
  t.match(mend('function f(x: number) { return path.join("a") }', { language: 'typescript', entry: 'f' }), /import \* as path from 'node:path'[\s\S]*export function f/)
  t.match(mend('def f(x):\n    return helper(x)', { language: 'python', entry: 'f', prelude: 'def helper(x):\n    return x' }), /def helper[\s\S]*def f/)
})

void t.test('a plan is read, however it is dressed up', async t => {
  t.strictSame(readPlan('Here is the plan:\n1. `app/a.py` - first - f() -> int\n- **app/b.py**: second\n* tests/test_a.py - tests\nsetup.py - packaging\n../x.py - no', 'python').map(({ path }) => path), ['app/a.py', 'app/b.py'])
  t.match(readPlan('src/x.ts - the x - export function x (): void', 'typescript')[0], { purpose: 'the x', exports: 'export function x (): void' })
})

void t.test('a scaffold parses, names what it holds, and touches nothing that is there', async t => {
  for (const [kind, { language }] of Object.entries(SCAFFOLDS)) {
    const { files, testCommand } = scaffoldOf(kind as keyof typeof SCAFFOLDS, { name: 'My Notes', summary: 'Keeps "notes".', files: [] })
    t.ok(files['README.md']?.includes(testCommand), kind)
    for (const [path, text] of Object.entries(files)) {
      if (path.endsWith('.json')) t.doesNotThrow(() => { JSON.parse(text) }, `${kind} ${path}`)
      if (/\.tsx?$/.test(path)) t.strictSame(ts.transpileModule(text, { reportDiagnostics: true, fileName: path, compilerOptions: { jsx: ts.JsxEmit.ReactJSX, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } }).diagnostics, [], `${kind} ${path}`)
    }
    t.ok(Object.keys(files).some(path => language === 'python' ? path === 'pyproject.toml' : path === 'package.json'))
    const again = scaffoldOf(kind as keyof typeof SCAFFOLDS, { name: 'My Notes', summary: '', files: Object.keys(files) })
    t.strictSame(again.files, {}, kind)
  }
  for (const [task, language, kind] of [['a FastAPI service', 'python', 'fastapi'], ['a Django blog', 'python', 'django'], ['a command line tool', 'python', 'python-cli'], ['a package', 'python', 'python-library'], ['an Express app', 'typescript', 'express'], ['a Next.js site', 'typescript', 'nextjs'], ['a library', 'typescript', 'typescript-library'], ['a dashboard', 'typescript', 'react']] as const) t.equal(projectKind(task, language), kind, task)
})

void t.test('the reply holds each file once, in a fence that its text cannot close', async t => {
  const text = answer({ approach: 'So.', files: { 'README.md': '```sh\nls\n```' }, verification: ['unverified: no.'] })
  t.match(text, /^So\.\n\n### README\.md\n````markdown\n```sh\nls\n```\n````\n\n### Verification\nunverified: no\.\n$/)
})

void t.test('a test file says what was seen', async t => {
  const cases = [{ expression: 'f(1)', expected: { type: 'value' as const, source: '2' } }, { expression: 'f(0)', expected: { type: 'raises' as const, name: 'ValueError' } }, { expression: 'f(2)', expected: { type: 'true' as const } }, { expression: 'f(3)', expected: { type: 'value' as const, source: '0.1' }, tolerance: 0.01, setup: 'x = 1' }]
  t.match(suiteOf('python', 'app/f.py', ['f'], [{ title: 'all', cases }])?.source, /import pytest\n\nfrom app\.f import f\n[\s\S]*assert f\(1\) == 2\n {4}with pytest\.raises\(ValueError\):\n {8}f\(0\)\n {4}assert f\(2\)\n {4}x = 1\n {4}assert f\(3\) == pytest\.approx\(0\.1, abs=0\.01\)/)
  t.match(suiteOf('typescript', 'src/f.ts', ['f'], [{ title: 'all', cases }]), { path: 'src/f.test.ts', source: /assert\.throws\(\(\) => f\(0\)\)[\s\S]*assert\.ok\(f\(2\)\)/ })
  t.equal(suiteOf('python', 'f.py', ['f'], [{ title: 'none', cases: [] }]), null)
})

void t.test('values print alike where they are alike', async t => {
  t.equal(print({ type: 'float', value: '0.30000000000000004' }), print({ type: 'float', value: '0.3' }))
  t.equal(print({ type: 'set', items: [{ type: 'int', value: '2' }, { type: 'int', value: '1' }] }), '{1,2}')
  t.not(print({ type: 'tuple', items: [] }), print({ type: 'list', items: [] }))
})

void t.test('settings that make no sense are refused', async t => {
  t.match(settingsOf({ max_model_calls: 3 }), { budget: { calls: 3 } })
  t.throws(() => settingsOf({ max_model_calls: 0 }), /max_model_calls must be a whole number above 0/)
  t.throws(() => settingsOf({ workspace: 1 }), /workspace must be a path/)
})

void t.test('files of a run go below its folder, whole or not at all', async t => {
  const root = await mkdtemp(join(tmpdir(), 'svc-ws-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  const bad = ['../x', '/etc/x', 'a/../../x', 'C:\\x', 'a\u0000b', 'con', 'nul.txt', 'a./b', '.git/config', 'a//b', '', '~/x', 'x'.repeat(300), 'A.PY', 'a.py/b']
  const { written, refused } = await writeWorkspace(root, 'chatcmpl-1', { 'a.py': 'a', 'b/c.py': 'c', ...Object.fromEntries(bad.map(path => [path, 'x'])) })
  t.strictSame(written, ['a.py', 'b/c.py'])
  t.strictSame(refused.map(({ path }) => path).sort(), bad.map(path => path.slice(0, 200)).sort())
  t.ok(refused.every(({ reason }) => reason !== ''))
  t.strictSame(await readdir(root), ['chatcmpl-1'])
  t.equal(await readFile(join(root, 'chatcmpl-1', 'b', 'c.py'), 'utf8'), 'c')
  await t.rejects(writeWorkspace(root, '../out', { 'a.py': 'a' }), /no folder name/)
  await t.rejects(writeWorkspace(join(root, 'chatcmpl-1', 'a.py'), 'chatcmpl-2', { 'a.py': 'a' }), /the workspace cannot be used/)
  const outside = await mkdtemp(join(tmpdir(), 'svc-out-'))
  t.teardown(() => rm(outside, { recursive: true, force: true }))
  await symlink(outside, join(root, 'chatcmpl-3'))
  await writeWorkspace(root, 'chatcmpl-3', { 'a.py': 'a' }).catch(() => undefined)
  t.strictSame(await readdir(outside), [], 'a link that lies in the way is not followed')
  await mkdir(join(root, '.svc-999999999-old'))
  await writeFile(join(root, '.svc-999999999-old', 'x'), '')
  await writeWorkspace(root, 'chatcmpl-4', { 'a.py': 'a' })
  t.notOk((await readdir(root)).includes('.svc-999999999-old'), 'what a dead service left is swept')
  const many = await writeWorkspace(root, 'chatcmpl-5', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}.py`, ''])))
  t.equal(many.written.length, 200)
})

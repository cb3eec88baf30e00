import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { answer } from '../../../agents/svc-code/answer.js'
import { linked } from '../../../agents/svc-code/linked.js'
import { mend } from '../../../agents/svc-code/mend.js'
import { readPlan } from '../../../agents/svc-code/plan.js'
import { type Cluster, posterior } from '../../../agents/svc-code/posterior.js'
import { readAsset } from '../../../agents/svc-code/replies.js'
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
  const paths = (text: string, language: 'python' | 'typescript' = 'python') => readPlan(text, language).files.map(({ path }) => path)
  t.strictSame(paths('Here is the plan:\n1. `app/a.py` - first - f() -> int\n- **app/b.py**: second\n* tests/test_a.py - tests\nsetup.py - packaging\n./app/c.py - third'), ['app/a.py', 'app/b.py', 'app/c.py'])
  t.match(readPlan('src/x.ts - the x - export function x (): void', 'typescript').files[0], { purpose: 'the x', exports: 'export function x (): void' })
  t.strictSame(paths('app/[id]/page.tsx - a page\nsrc/App.vue - the app\nsrc/app.css - styles\nvite.config.ts - config\ntest/a.test.ts - test', 'typescript'), ['app/[id]/page.tsx', 'src/App.vue', 'src/app.css'])
  t.strictSame(paths('notes/pyproject.toml - manifest\nnotes/src/notes/a.py - a\nnotes/src/notes/b.py - b'), ['notes/a.py', 'notes/b.py'], 'the folder of the project itself is no part of a path')
  t.strictSame(paths('notes/README.md\nnotes/src/a.ts - a', 'typescript'), ['src/a.ts'])
  t.strictSame(paths('shop/a.py - a\nshop/b.py - b'), ['shop/a.py', 'shop/b.py'])
  for (const garbage of ['', 'I cannot do that.', 'tests/test_a.py - tests only', '_'.repeat(5000), '{"files": []}']) t.strictSame(readPlan(garbage, 'python'), { files: [], left: [] })
})

void t.test('what a plan names and cannot be built is told', async t => {
  const { files, left } = readPlan(['ok.py - fine', '../x.py - out', '/etc/y.py - root', 'C:\\z.py - drive', '~/home.py - home', 'con.py - device', 'a/nul.py - device', 'OK.py - the same where case is not told apart', 'ok.py - again', '__proto__.py - no'].join('\n'), 'python')
  t.strictSame(files.map(({ path }) => path), ['ok.py'])
  t.strictSame(left, ['../x.py', '/etc/y.py', 'C:\\z.py', '~/home.py', 'con.py', 'a/nul.py', 'OK.py', '__proto__.py'])
  const many = readPlan(Array.from({ length: 100 }, (_, index) => `m${index}.py - one of many`).join('\n'), 'python')
  t.equal(many.files.length, 16)
  t.equal(many.left.length, 84)
})

void t.test('imports of the files of a project get the extension that Node wants', async t => {
  const files = ['src/a.ts', 'src/lib/b.ts', 'src/lib/index.ts']
  t.equal(linked("import { b } from './lib/b'\nimport x from './lib'\nexport * from '../src/lib/b.ts'\nconst c = await import('./lib/b.js')\nimport './other'\nimport z from 'zod'", 'src/a.ts', files),
    "import { b } from './lib/b.js'\nimport x from './lib/index.js'\nexport * from './lib/b.js'\nconst c = await import('./lib/b.js')\nimport './other'\nimport z from 'zod'")
  t.equal(linked("import { a } from '../a'", 'src/lib/b.ts', files), "import { a } from '../a.js'")
})

void t.test('a file that is no program is taken as it stands', async t => {
  const said = (text: string, finish: 'stop' | 'length' = 'stop') => ({ text, finish, loops: false })
  t.match(readAsset(said('Here:\n### src/app.css\n```css\nh1 { color: red }\n```\n### other.css\n```css\nh1 { color: red; margin: 0; padding: 0 }\n```'), 'src/app.css'), { type: 'code', source: 'h1 { color: red }' })
  t.match(readAsset(said('```css\nh1 {', 'length'), 'a.css'), { type: 'truncated' })
  t.match(readAsset(said(''), 'a.css'), { type: 'empty' })
  t.match(readAsset(said('No.'), 'a.css'), { type: 'no code' })
  t.match(readAsset(said('<think>Hm, let me'), 'a.css'), { type: 'think-only' })
  t.match(readAsset({ ...said('```css\nh1 {}\n```'), loops: true }, 'a.css'), { type: 'loop' })
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

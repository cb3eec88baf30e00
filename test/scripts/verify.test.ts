import t from 'tap'
import { commandLine } from '../support/cli.js'
import { tempFolder, write } from '../support/folders.js'

const GOOD = { 'm.py': 'def add(a: int, b: int) -> int:\n    return a + b\n', 'test_m.py': 'from m import add\n\n\ndef test_add() -> None:\n    assert add(1, 2) == 3\n' }

void t.test('a folder whose tests pass is verified, and nothing in it is changed', async t => {
  const { run } = commandLine(t)
  const { code, out } = await run(['verify', write(tempFolder(t), GOOD)])
  t.equal(code, 0, out)
  t.match(out, /Python\n {2}format {2}ok\n {2}check {3}ok\n {2}tests {3}passed: 1 passed, 0 failed[\s\S]*Passed\./)
})

void t.test('what is wrong is told with its place, and fails', async t => {
  const { run } = commandLine(t)
  const folder = write(tempFolder(t), { 't.ts': 'export const twice = (n: number): string => n * 2\n', 't.test.ts': "import test from 'node:test'\nimport assert from 'node:assert'\nimport { twice } from './t.ts'\ntest('twice', () => assert.equal(twice(2), 5))\n" })
  const { code, out } = await run(['verify', folder, '--json'])
  t.equal(code, 1)
  t.match(JSON.parse(out), {
    passed: false,
    projects: [{ language: 'typescript', unformatted: ['t.test.ts', 't.ts'], check: { diagnostics: [{ file: 't.ts', line: 1, severity: 'error' }] }, test: { outcome: 'failed', tests: [{ name: 'twice', outcome: 'failed' }] } }]
  })
})

void t.test('no tests is no pass, and what is no folder of sources is refused in words', async t => {
  const { run } = commandLine(t)
  const untested = await run(['verify', write(tempFolder(t), { 'm.py': GOOD['m.py'] })])
  t.equal(untested.code, 1)
  t.match(untested.out, /there are no tests, so nothing was run/)
  t.match(await run(['verify', write(tempFolder(t), { 'notes.txt': 'x' })]), { code: 1, err: /holds no Python or TypeScript/ })
  t.match(await run(['verify', '/no/such/folder']), { code: 1, err: /is no folder/ })
})

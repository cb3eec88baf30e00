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
  const { here } = commandLine(t)
  const folder = write(tempFolder(t), { 't.ts': 'export const twice = (n: number): string => n * 2\n', 't.test.ts': "import test from 'node:test'\nimport assert from 'node:assert'\nimport { twice } from './t.ts'\ntest('twice', () => assert.equal(twice(2), 5))\n" })
  const { code, out } = await here(['verify', folder, '--json'])
  t.equal(code, 1)
  t.match(JSON.parse(out), {
    passed: false,
    projects: [{ language: 'typescript', unformatted: ['t.test.ts', 't.ts'], check: { diagnostics: [{ file: 't.ts', line: 1, severity: 'error' }] }, test: { outcome: 'failed', tests: [{ name: 'twice', outcome: 'failed' }] } }]
  })
})

void t.test('no tests is no pass, and what is no folder of sources is refused in words', async t => {
  const { here } = commandLine(t)
  const untested = await here(['verify', write(tempFolder(t), { 'm.py': GOOD['m.py'] })])
  t.equal(untested.code, 1)
  t.match(untested.out, /there are no tests, so nothing was run/)
  t.match(await here(['verify', write(tempFolder(t), { 'notes.txt': 'x' })]), { code: 1, err: /holds no Python or TypeScript/ })
  t.match(await here(['verify', '/no/such/folder']), { code: 1, err: /is no folder/ })
})

const LOOPS = {
  'l.py': 'def add(a: int, b: int) -> int:\n    return a + b\n',
  'test_l.py': 'from l import add\n\n\ndef test_fine() -> None:\n    assert add(1, 2) == 3\n\n\ndef test_hangs() -> None:\n    while True:\n        pass\n\n\ndef test_after() -> None:\n    assert add(1, 1) == 2\n',
  'l.test.ts': "import test from 'node:test';\nimport assert from 'node:assert';\ntest('is fine', () => assert.equal(1 + 1, 2));\ntest('goes round', () => {\n  for (;;);\n});\ntest('comes after', () => {});\n",
  'z.test.ts': "import test from 'node:test';\nimport assert from 'node:assert';\ntest('of another file', () => assert.equal(1, 1));\n"
}

void t.test('a test that does not end is told by its name after ten seconds, and the files after it are run', { timeout: 240_000 }, async t => {
  const { here } = commandLine(t)
  const { code, out, err } = await here(['verify', write(tempFolder(t), LOOPS), '--timeout', '120', '--json'])
  t.equal(code, 1, err)
  interface Result { name: string, outcome: string, message: string | null }
  const { projects } = JSON.parse(out) as { projects: Array<{ language: string, test: { cause: string, tests: Result[] } }> }
  const told = (language: string) => projects.find(project => project.language === language)?.test
  t.equal(told('python')?.cause, 'time')
  t.match(told('python')?.tests, [{ name: 'test_fine', outcome: 'passed' }, { name: 'test_hangs', outcome: 'failed', message: /10 s/ }, { name: 'test_after', outcome: 'passed' }])
  t.equal(told('typescript')?.cause, 'time')
  t.match(told('typescript')?.tests, [{ name: 'is fine', outcome: 'passed' }, { name: 'goes round', outcome: 'failed', message: 'it did not end within 10 s' }, { name: 'comes after', outcome: 'not run', message: 'it was not reached' }, { name: 'of another file', outcome: 'passed' }])
})

void t.test('all of it has a time, too: what was under way is told by its name', { timeout: 240_000 }, async t => {
  const { here } = commandLine(t)
  const folder = write(tempFolder(t), { 'l.test.ts': LOOPS['l.test.ts'] })
  const { code, out, err } = await here(['verify', folder, '--timeout', '8'])
  t.equal(code, 1)
  t.match(out + err, /failed: l\.test\.ts goes round: it (?:ran out of time|did not end within)|The time was up before the tests were run: 8 s are not enough\. Give more with --timeout/)
  t.match(await here(['verify', folder, '--timeout', '0.001']), { code: 1, err: /The time was up before the tests were run: 0\.001 s are not enough. Give more with --timeout/ })
  t.match(await here(['verify', folder, '--timeout', '0']), { code: 1, err: /--timeout must be a number of seconds, 600 at most/ })
})

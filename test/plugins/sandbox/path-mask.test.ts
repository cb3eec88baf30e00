import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import type { CheckReport, Language, Outcome } from '../../../agents/types.js'
import { PathMask } from '../../../plugins/sandbox/path-mask.js'
import { python } from '../../support/python.js'
import { patience } from './support.js'

const ROOT = process.cwd()
const PYRIGHT = dirname(createRequire(import.meta.url).resolve('pyright/package.json'))
const MACHINE = [ROOT, PYRIGHT, 'node_modules', 'svc-sandbox-', join(homedir(), '.cache')]

const pathsIn = (report: unknown) => MACHINE.filter(path => JSON.stringify(report).includes(path))

const diagnosed = (message: string): CheckReport => ({ diagnostics: [{ file: 'a.py', line: 1, column: 1, code: 'x', message, severity: 'error', source: 'types' }], missing: [], unchecked: [{ source: 'lint', reason: message }] })
const returned = (value: string): Outcome[] => [{ type: 'returned', value: { type: 'list', items: [{ type: 'str', value }] }, output: value }]

void t.test('a text that makes a checker fail shows neither its folder nor its stack', async t => {
  const { sandbox } = python(t)
  const texts: [Language, string, (open: string, close: string) => string][] = [
    ['python', 'a.py', (open, close) => `x = ${open}1${close}\n`],
    ['typescript', 'a.ts', (open, close) => `export const x = ${open}1${close}\n`]
  ]
  for (const [language, path, text] of texts) {
    for (const [open, close] of [['(', ')'], ['[', ']'], ['-', '']] as const) {
      const report = await sandbox.check({ language, files: { [path]: text(open.repeat(50_000), close.repeat(50_000)) } }, patience())
      t.same(pathsIn(report), [], `${language} ${open}`)
      for (const { message } of report.diagnostics) t.notMatch(message, /^[ \t]+at |\.ts:\d+/m)
      for (const { reason } of report.unchecked) t.notMatch(reason, /^[ \t]+at /m)
    }
  }
})

void t.test('code that prints its stack, its folder or its arguments shows no path of the machine', async t => {
  const { sandbox } = python(t)
  const expressions = [
    'new Error("x").stack', 'process.cwd()', 'Deno.cwd()', 'process.argv', 'Deno.mainModule', 'place', '({ deep: [new Map([[place, new Set([place])]])] })', 'new Error(place)',
    '(() => { try { require("./nowhere") } catch (error) { return error.stack } })()', '(() => { throw new Error(new Error("inner").stack) })()',
    '(() => { class Odd extends Error { name = place }; throw new Odd("x") })()', '(console.log(place), console.error(new Error("x").stack), 1)', 'Symbol(place)'
  ]
  const outcomes = await sandbox.evaluate({ language: 'typescript', files: { 'src/a.ts': 'export const place = import.meta.url\n' }, calls: expressions.map(expression => ({ expression, file: 'src/a.ts' })) }, patience())
  for (const [index, outcome] of outcomes.entries()) t.same(pathsIn(outcome), [], `${expressions[index]}: ${JSON.stringify(outcome).slice(0, 300)}`)
  t.match(outcomes[5], { value: { value: 'file:///job/src/a.ts' } }, 'a path of the job is told as one in a folder of that name')
  const report = await sandbox.test({
    language: 'typescript',
    files: { 'src/a.test.ts': 'Deno.test(import.meta.url, () => { console.log(new Error("x").stack, import.meta.url); throw new Error(new Error("x").stack + import.meta.dirname) })\n' },
    tests: ['src/a.test.ts']
  }, patience())
  t.match(report, { outcome: 'failed', tests: [{ outcome: 'failed', frame: { file: 'src/a.test.ts', line: 1 } }] })
  t.same(pathsIn(report), [])
})

void t.test('the stack that code can read, even letter by letter, names no folder of the installation', async t => {
  const { sandbox } = python(t)
  const calls = [{ expression: '[...new Error("x").stack].map(letter => letter.codePointAt(0))' }]
  const [outcome] = await sandbox.evaluate({ language: 'typescript', files: { 'a.ts': 'export {}\n' }, calls }, patience())
  if (outcome?.type !== 'returned' || outcome.value.type !== 'array') return t.fail(JSON.stringify(outcome))
  const stack = String.fromCodePoint(...outcome.value.items.map(item => Number('value' in item ? item.value : 0)))
  t.match(stack, /Error: x\n +at /)
  t.notOk(stack.includes(ROOT) || stack.includes('node_modules'), stack)
})

void t.test('paths that are a program\'s own text stay as they are', async t => {
  const { sandbox } = python(t)
  const honest = ['/etc/passwd', '/usr/bin/env', '/', '/tmp/report.txt', '/home/ann/notes.md', 'C:\\Users\\ann', 'file:///etc/hosts', `${homedir()}/notes.md`, `${ROOT}/data.csv`, '/job/a', '/node_modules/x', 'https://a.example/node_modules/x']
  for (const [language, path] of [['typescript', 'a.ts'], ['python', 'a.py']] as const) {
    const outcomes = await sandbox.evaluate({ language, files: { [path]: '' }, calls: honest.map(text => ({ expression: JSON.stringify(text) })) }, patience())
    t.same(outcomes.map(outcome => outcome.type === 'returned' && 'value' in outcome.value && outcome.value.value), honest, language)
  }
  const { diagnostics } = await sandbox.check({ language: 'typescript', files: { 'a.ts': 'import "/etc/passwd.ts"\nexport const a: "/usr/bin" = "/tmp/x"\n' } }, patience())
  t.match(diagnostics.map(({ message }) => message).join('\n'), /'\/etc\/passwd\.ts'[^]*'"\/tmp\/x"' is not assignable to type '"\/usr\/bin"'/)
})

void t.test('a path is masked up to its end in a sentence, and a file of the installation is shown by its name alone', async t => {
  const job = join(tmpdir(), 'svc-sandbox-AbCdEf')
  const mask = new PathMask(job, '/opt/lent folder/node_modules')
  const cases: [string, string][] = [
    [`at f (${PYRIGHT}/dist/a.js:3:5)`, 'at f (/svc/a.js:3:5)'],
    [`in file://${PYRIGHT}/dist/a.js, and '${PYRIGHT}'`, 'in file:///svc/a.js, and \'/svc/pyright\''],
    [`${job}/worker-0123456789ab/src/a b.ts:1`, '/job/src/a b.ts:1'],
    [`${job}/types-0123456789ab/0123456789ab/src/a.py`, '/job/src/a.py'],
    [`${job}/files-0123456789ab`, '/job'], [`${job}/runner/main.js:1`, '/svc/main.js:1'], [job, '/svc'],
    ['/opt/lent folder/node_modules/zod/index.js', '/svc/index.js'], ['file:///opt/lent%20folder/node_modules/zod/index.js', 'file:///svc/index.js'],
    [`${job}2/a.ts`, `${job}2/a.ts`], [`${ROOT}2`, `${ROOT}2`], ['', ''], ['nothing of that kind', 'nothing of that kind']
  ]
  for (const [text, shown] of cases) {
    const told = await mask.maskTools(diagnosed(text))
    t.equal(told.diagnostics[0]?.message, shown)
    t.equal(told.unchecked[0]?.reason, shown)
    t.same(await mask.maskCode(returned(text)), returned(shown))
  }
  const endless = await mask.maskCode(returned(`${job}${'/'.repeat(1024 * 1024)}`))
  t.notOk(JSON.stringify(endless).includes(job), 'nor is it led on without end')
  const { diagnostics } = await mask.maskTools(diagnosed(`it failed: no such file ${ROOT}/app.ts\n    at ${ROOT}/app.ts:1:1\nsee there`))
  t.equal(diagnostics[0]?.message, ROOT.split('/').length > 2 ? 'it failed: no such file /svc/app.ts\nsee there' : `it failed: no such file ${ROOT}/app.ts\nsee there`)
  const error = new Error(`ENOENT: no such file or directory, mkdir '${job}/worker-0123456789ab'`)
  mask.maskError(error)
  t.equal(error.message, 'ENOENT: no such file or directory, mkdir \'/job\'')
})

void t.test('an aborted operation is rejected with the caller\'s own reason', async t => {
  const { sandbox } = python(t)
  const job = { language: 'typescript' as const, files: { 'a.ts': '' } }
  for (const reason of [Object.freeze(new Error(`given up in ${ROOT}/node_modules`)), AbortSignal.abort().reason, 'a text', undefined] as unknown[]) {
    const controller = new AbortController()
    const checking = sandbox.check(job, { signal: controller.signal })
    controller.abort(reason)
    t.equal(await checking.catch((error: unknown) => error), controller.signal.reason)
  }
})

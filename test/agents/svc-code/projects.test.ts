import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type Call, say } from '../../support/backend.js'
import { until } from '../../support/service.js'
import { type Script, type Talk, fence, lastOf, startTalk, stepOf, whole } from '../../support/talk.js'
import { partsOf } from '../../../agents/svc-code/reply/fences.js'

// A new project: a plan, a call for each file, tests of each module; or whatever else the model makes of it.

const started = startTalk(t)
const fileOf = (call: Call) => /^File: (\S+)$/m.exec(lastOf(call))?.[1] ?? ''

interface Lines {
  plan: string
  files: Record<string, string>
  tests?: Record<string, string>
  repairs?: Record<string, string>
  answer?: string
}

/** Says what belongs to the file that a call is about. */
function play ({ plan, files, tests = {}, repairs = {}, answer = '' }: Lines): Script {
  return call => {
    const path = fileOf(call)
    return say({ plan, write: files[path], tests: tests[path], repair: repairs[path], answer }[stepOf(call)] ?? '')(call)
  }
}

async function build (talk: Talk, script: Script, said: Parameters<Talk['talk']>[1], more?: object) {
  const heard = await talk.talk(script, said, more)
  return { ...heard, paths: Array.from(heard.text.matchAll(/^### (\S+)$/gm), ([, path = '']) => path).filter(path => path !== 'Verification') }
}

const PRICES = fence('PRICES = {"tea": 3, "bread": 2}\n\n\ndef price(name: str) -> int:\n    return PRICES[name]')
const CART = fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return sum(price(name) for name in names)')
const SHOP: Lines = {
  plan: 'shop/prices.py - prices of goods - price(name: str) -> int\nshop/cart.py - what is bought - total(names: list[str]) -> int',
  files: { 'shop/prices.py': PRICES, 'shop/cart.py': CART },
  tests: { 'shop/prices.py': fence('from shop.prices import price\nassert price("tea") == 3'), 'shop/cart.py': fence('from shop.cart import total\nassert total(["tea", "bread"]) == 5\nassert total([]) == 0') }
}
const WRONG_CART = fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return max([price(name) for name in names])')
const ASKED = 'Create a small Python package `shop` with prices and a cart.'

void t.test('a project is planned, written, tested module by module, mended, and claimed as tested at most', { timeout: 240_000 }, async t => {
  const { text, paths, claim, calls, reply } = await build(await started, play({ ...SHOP, files: { ...SHOP.files, 'shop/cart.py': WRONG_CART }, repairs: { 'shop/cart.py': CART } }), ASKED)
  t.equal(claim, 'tested', text)
  t.match(text, /### shop\/cart\.py\n```python\n[^]*sum\(price/)
  t.match(text, /### shop\/prices\.py\n```python\nPRICES = \{"tea": 3, "bread": 2\}/, 'every top-level line is delivered')
  for (const path of ['shop/prices.py', 'tests/test_prices.py', 'tests/test_cart.py', 'pyproject.toml', 'README.md', 'shop/__init__.py']) t.ok(paths.includes(path), path)
  t.equal(new Set(paths).size, paths.length, 'each file once')
  const write = calls.filter(call => stepOf(call) === 'write')
  t.strictSame(write.map(fileOf), ['shop/prices.py', 'shop/cart.py'])
  for (const call of write) t.ok(whole(call).includes(ASKED))
  t.notMatch(whole(write[1]), /"bread": 2/, 'of other files only the signatures are in a call')
  for (const call of calls) t.equal(call.headers['x-svc-run'], reply.id)
})

void t.test('a project that the model writes at once is a draft like any other', { timeout: 240_000 }, async t => {
  const { text, steps, paths } = await build(await started, play({ ...SHOP, plan: `Here it is.\n\nshop/prices.py\n${PRICES}\n\nshop/cart.py\n${CART}\n` }), ASKED)
  t.equal(steps[0], 'plan')
  t.notOk(steps.includes('answer'))
  t.ok(text.startsWith('Here it is.'), text)
  t.strictSame(paths.slice(0, 2), ['shop/prices.py', 'shop/cart.py'])
})

void t.test('prose instead of a plan goes on as an answer, and is never an error', { timeout: 240_000 }, async t => {
  const { text, steps } = await build(await started, play({ ...SHOP, plan: 'Which database would you like?', answer: 'Which database would you like?' }), ASKED)
  t.equal(text, 'Which database would you like?')
  t.strictSame(steps, ['plan', 'answer'])
  const empty = await build(await started, play({ ...SHOP, plan: '', answer: 'Tell me more.' }), ASKED)
  t.equal(empty.text, 'Tell me more.')
})

void t.test('files that need a missing framework are not claimed to work, and the others are run', { timeout: 240_000 }, async t => {
  const { text, paths } = await build(await started, play({
    plan: 'app/totals.py - sums - total(values: list[int]) -> int\napp/main.py - the service - app\napp/static/app.css - styles',
    files: { 'app/totals.py': fence('def total(values: list[int]) -> int:\n    return sum(values)'), 'app/main.py': fence('import sqlalchemy\nfrom fastapi import FastAPI\n\nfrom app.totals import total\n\napp = FastAPI()\n\n\n@app.get("/total")\ndef read() -> int:\n    return total([1, 2]) + len(sqlalchemy.__name__)'), 'app/static/app.css': fence('h1 { color: red }', 'css') },
    tests: { 'app/totals.py': fence('from app.totals import total\nassert total([1, 2]) == 3') }
  }), 'Create a FastAPI project with the endpoints /total and /average.')
  t.match(text, /Not run here, and so no part of this: `app\/main\.py`, `app\/static\/app\.css`\./)
  t.match(text, /@app\.get\("\/total"\)/)
  t.match(text, /You asked for `\/average`; it is not in it\./)
  t.notMatch(text, /`\/total`; it is not/)
  t.match(text, /uvicorn app\.main:app/)
  t.match(text, /^ {4}"sqlalchemy",$/m, 'what the code imports is installed with it')
  t.ok(paths.includes('app/static/app.css'))
})

void t.test('a repair that does not help is not used, and not reported as one', { timeout: 240_000 }, async t => {
  const wrong = fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return len(names)')
  const { text, claim, steps } = await build(await started, play({ ...SHOP, files: { ...SHOP.files, 'shop/cart.py': wrong }, repairs: { 'shop/cart.py': wrong } }), ASKED)
  t.equal(claim, 'unverified')
  t.match(text, /`shop\/cart\.py`: 1 of 2 tests pass; one wants/)
  t.equal(steps.filter(step => step === 'repair').length, 1)
})

void t.test('plans that lead elsewhere are cut to what may be a file of the project', { timeout: 240_000 }, async t => {
  const wild = await build(await started, play({ plan: '../x.py - out\n/etc/x.py - root\ncon.py - device\nOk.py - fine - f() -> int\nok.py - twin\nok2.py - more',
    files: { 'Ok.py': fence('def f() -> int:\n    return 1'), 'ok2.py': '### ok2.py\n```python\ndef g() -> int:\n    return 2\n```\n### ok3.py\n```python\ndef h() -> int:\n    return 3\n```' } }), ASKED)
  t.strictSame(wild.paths.filter(path => path.endsWith('.py') && !path.includes('/')), ['Ok.py', 'ok2.py'])
  t.equal(wild.claim, 'unverified')
  for (const path of ['../x.py', '/etc/x.py', 'con.py', 'ok.py']) t.ok(wild.text.includes(`- \`${path}\`: not built.`), path)
})

void t.test('a backend that fails at a step, and a budget that ends, lose nothing and claim nothing', { timeout: 300_000 }, async t => {
  const fails = (at: (call: Call) => boolean) => (call: Call) => {
    if (!at(call)) return play(SHOP)(call)
    call.response.writeHead(400, { 'content-type': 'application/json' })
    return call.response.end('{"error":{"message":"out of order"}}')
  }
  await t.rejects(build(await started, fails(() => true), ASKED), /Agent processing failed: .*out of order/)
  const second = await build(await started, fails(call => stepOf(call) === 'write' && fileOf(call) === 'shop/cart.py'), ASKED)
  t.equal(second.claim, 'unverified')
  t.match(second.text, /### shop\/prices\.py[^]*`shop\/cart\.py`: missing: [^]*The work ended early, since the language model failed: .*out of order/)
  const tests = await build(await started, fails(call => stepOf(call) === 'tests'), ASKED)
  t.equal(tests.claim, 'unverified')
  t.match(tests.text, /### shop\/cart\.py/)
  const spent = await build(await startTalk(t, { agentOptions: { max_model_tokens: 40 } }), play(SHOP), ASKED)
  t.equal(spent.claim, 'unverified')
  t.match(spent.text, /The effort allowed for one answer is used up, so nothing more was tried/)
})

void t.test('a client that goes away at any step of a project leaves nothing running', { timeout: 240_000 }, async t => {
  const { backend, play: playNext, service: { app, post } } = await started
  for (const at of ['plan', 'write', 'tests', 'repair']) {
    const before = backend.calls.length
    const script = play({ ...SHOP, files: { ...SHOP.files, 'shop/cart.py': WRONG_CART } })
    playNext(call => stepOf(call) === at ? undefined : script(call))
    const leave = new AbortController()
    const reply = post({ model: 'svc-code', stream: true, messages: [{ role: 'user', content: ASKED }] }, {}, leave.signal).then(response => response.text()).catch(() => 'left')
    const reached = () => backend.calls.slice(before).find(call => stepOf(call) === at)
    await until(() => reached() !== undefined, 60_000)
    leave.abort()
    await reply
    await until(() => app.runs.load.runs === 0 && reached()?.gone() === true, 20_000)
    t.equal(backend.calls.at(-1), reached(), `${at}: nothing is asked after it`)
  }
})

void t.test('the workspace holds the files of the reply, and nothing else', { timeout: 240_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-workspace-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const { text, paths, reply: { id } } = await build(await startTalk(t, { agentOptions: { workspace: folder } }), play(SHOP), ASKED)
  t.strictSame(await readdir(folder), [id])
  const there = (await readdir(join(folder, id), { recursive: true, withFileTypes: true })).filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name).slice(join(folder, id).length + 1).replaceAll('\\', '/'))
  t.strictSame(there.sort(), paths.toSorted())
  for (const each of partsOf(text)) if (each.type === 'fence' && each.path !== undefined) t.equal((await readFile(join(folder, id, each.path), 'utf8')).trimEnd(), each.source.trimEnd(), each.path)
})

import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type Call, say, startBackend } from '../../support/backend.js'
import { startService, until } from '../../support/service.js'
import { blocksOf } from '../../../agents/svc-code/replies/blocks.js'

const fence = (code: string, tag = 'python') => `\`\`\`${tag}\n${code}\n\`\`\``
const step = (call: Call) => String(call.headers['x-svc-step'])
const last = (call: Call) => String(call.body.messages.at(-1).content)
const fileOf = (call: Call) => /^File: (\S+)$/m.exec(last(call))?.[1] ?? ''

interface Script { plan: string | string[], files: Record<string, string>, tests?: Record<string, string>, repairs?: Record<string, string> }

/** Says what belongs to the file that a call is about. */
function play ({ plan, files, tests = {}, repairs = {} }: Script): (call: Call) => unknown {
  let plans = 0
  return call => {
    const path = fileOf(call)
    const said = { plan: typeof plan === 'string' ? plan : plan[Math.min(plans++, plan.length - 1)], write: files[path], tests: tests[path], repair: repairs[path], answer: '' }[step(call)] ?? ''
    return say(said)(call)
  }
}

let answer: (call: Call) => unknown = () => undefined
const shared = startBackend(t, call => answer(call)).then(async backend => ({ backend, service: await startService(t, { backendUrl: backend.url }) }))

type Messages = { role: 'user' | 'assistant', content: string }[]

async function converse (script: (call: Call) => unknown, content: string | Messages, to = shared) {
  const { backend, service } = await to
  answer = script
  const before = backend.calls.length
  const reply = await service.client.chat.completions.create({ model: 'svc-code', messages: typeof content === 'string' ? [{ role: 'user', content }] : content }, { timeout: 240_000 })
  const text = reply.choices[0]?.message.content ?? ''
  const paths = Array.from(text.matchAll(/^### (\S+\.\w+|\.gitignore|\S+)$/gm), ([, path = '']) => path).filter(path => path !== 'Verification')
  return { text, paths, calls: backend.calls.slice(before), id: reply.id, claim: /### Verification\n(\w+)/.exec(text)?.[1] }
}

const PRICES = fence('PRICES = {"tea": 3, "bread": 2}\n\n\ndef price(name: str) -> int:\n    return PRICES[name]')
const CART = fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return sum(price(name) for name in names)')
const SHOP: Script = {
  plan: 'shop/prices.py - prices of goods - price(name: str) -> int\nshop/cart.py - what is bought - total(names: list[str]) -> int',
  files: { 'shop/prices.py': PRICES, 'shop/cart.py': CART },
  tests: { 'shop/prices.py': fence('assert price("tea") == 3'), 'shop/cart.py': fence('assert total(["tea", "bread"]) == 5\nassert total([]) == 0') }
}
const ASKED = 'Create a small Python package `shop` with prices and a cart.'

void t.test('a follow-up changes the files that it concerns, keeps the others, and shows each once', { timeout: 240_000 }, async t => {
  const first = await converse(play(SHOP), ASKED)
  t.equal(first.claim, 'verified')
  const changed = fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return sum(price(name) for name in names)\n\n\ndef cheapest(names: list[str]) -> str:\n    return min(names, key=price)')
  const { text, paths, calls, claim } = await converse(play({ plan: 'shop/cart.py - what is bought - total(names: list[str]) -> int; cheapest(names: list[str]) -> str', files: { 'shop/cart.py': changed }, tests: { 'shop/cart.py': fence('assert cheapest(["tea", "bread"]) == "bread"') } }),
    [{ role: 'user', content: ASKED }, { role: 'assistant', content: first.text }, { role: 'user', content: 'Now add a function that finds the cheapest.' }])
  t.equal(claim, 'verified')
  t.match(text, /def cheapest[\s\S]*def price|def price[\s\S]*def cheapest/)
  t.equal(new Set(paths).size, paths.length, 'each file once')
  for (const path of ['shop/prices.py', 'shop/cart.py', 'tests/test_prices.py', 'tests/test_cart.py', 'tests/test_cart_2.py', 'pyproject.toml', 'README.md']) t.ok(paths.includes(path), path)
  t.match(text, /Unchanged, and load: `shop\/prices\.py`/)
  t.match(text, /3 tests passed/)
  const write = calls.filter(call => step(call) === 'write')
  t.strictSame(write.map(fileOf), ['shop/cart.py'])
  t.match(last(write[0]!), /as it is now[\s\S]*def total/)
  const broken = await converse(play({ plan: 'shop/prices.py - prices - price(name: str) -> int', files: { 'shop/prices.py': fence('def price(name: str) -> int:\n    return 7') } }), [{ role: 'user', content: ASKED }, { role: 'assistant', content: first.text }, { role: 'user', content: 'Now make it simpler.' }])
  t.equal(broken.claim, 'unverified', 'tests of before that fail are told')
  t.match(broken.text, /`tests\/test_cart\.py`: fails: /)
})

void t.test('a framework that is not here leaves its files unclaimed, and the rest is run', { timeout: 240_000 }, async t => {
  const { text, claim, paths } = await converse(play({
    plan: 'app/totals.py - sums - total(values: list[int]) -> int\napp/main.py - the service - app\napp/near.py - the neighbour - ping() -> None\napp/static/app.css - styles',
    files: { 'app/totals.py': fence('def total(values: list[int]) -> int:\n    return sum(values)'), 'app/near.py': fence('import socket\n\nnear = socket.create_connection(("127.0.0.1", 9))\n\n\ndef ping() -> None:\n    near.send(b"ping")'), 'app/main.py': fence('import sqlalchemy\nfrom fastapi import FastAPI\n\nfrom app.totals import total\n\napp = FastAPI()\n\n\n@app.get("/total")\ndef read() -> int:\n    return total([1, 2]) + len(sqlalchemy.__name__)'), 'app/static/app.css': fence('h1 { color: red }', 'css') },
    tests: { 'app/totals.py': fence('assert total([1, 2]) == 3') }
  }), 'Create a FastAPI service with two endpoints.')
  t.equal(claim, 'verified')
  t.match(text, /^verified: .*Not run here, and so not claimed: `app\/main\.py`, `app\/near\.py`, `app\/static\/app\.css`, `tests\/test_service\.py`\.$/m)
  t.match(text, /`app\/main\.py`: not run: \S+.* not available here\. Checked only\./)
  t.match(text, /`app\/near\.py`: not run: it needs network connections, which are not here\. Checked only\./)
  t.match(text, /`app\/totals\.py`: 1 of 1 test pass\./)
  t.match(text, /`tests\/test_service\.py`: not run: .*not available here/)
  t.match(text, /`app\/static\/app\.css`: written; there is nothing here that could run it/)
  t.match(text, /uvicorn app\.main:app/)
  t.match(text, /^ {4}"sqlalchemy",$/m, 'what the code imports is installed with it')
  t.ok(paths.includes('app/static/app.css'))
})

void t.test('both sides are built in folders of their own, under one claim', { timeout: 240_000 }, async t => {
  const { text, claim, paths, calls } = await converse(call => /Language: TypeScript/.test(last(call))
    ? play({ plan: 'src/sum.ts - sums - export function sum(values: number[]): number', files: { 'src/sum.ts': fence('export function sum(values: number[]): number {\n  return values.reduce((all, value) => all + value, 0);\n}', 'ts') }, tests: { 'src/sum.ts': fence('assert.deepStrictEqual(sum([1, 2]), 3);', 'ts') } })(call)
    : play({ plan: 'app/totals.py - sums - total(values: list[int]) -> int', files: { 'app/totals.py': fence('def total(values: list[int]) -> int:\n    return sum(values)') }, tests: { 'app/totals.py': fence('assert total([1, 2]) == 4') }, repairs: { 'app/totals.py': 'No.' } })(call),
  'Scaffold a full-stack app: React frontend and FastAPI backend for sums.')
  t.equal(text.match(/^(?:verified|unverified|tested): /gm)?.length, 1, 'one claim')
  t.equal(claim, 'unverified')
  for (const path of ['README.md', 'frontend/src/sum.ts', 'frontend/test/sum.test.ts', 'frontend/package.json', 'frontend/src/App.tsx', 'backend/app/totals.py', 'backend/app/main.py', 'backend/pyproject.toml']) t.ok(paths.includes(path), path)
  t.match(text, /`frontend\/src\/sum\.ts`: 1 of 1 test pass/)
  t.match(text, /`backend\/app\/totals\.py`: 0 of 1 test pass\. One wants `total\(\[1, 2\]\)` to give `4`/)
  t.match(text, /from 'vitest'/, 'the tests are those that the scaffold runs')
  t.match(text, /Made from a template.*`backend\/app\/main\.py`/)
  t.ok(calls.length <= 9)
})

void t.test('what one side came to is not lost where the other fails', { timeout: 240_000 }, async t => {
  const { text, claim } = await converse(call => /Language: TypeScript/.test(last(call))
    ? play({ plan: 'src/sum.ts - sums - sum', files: { 'src/sum.ts': fence('export const sum = (values: number[]) => values.length;', 'ts') } })(call)
    : (call.response.writeHead(400, { 'content-type': 'application/json' }), call.response.end('{"error":{"message":"no such thing"}}')),
  'Scaffold a full-stack app: React frontend and FastAPI backend for sums.')
  t.equal(claim, 'unverified')
  t.match(text, /The Python side was not built: the language model failed: .*no such thing/)
  t.match(text, /### frontend\/src\/sum\.ts/)
})

void t.test('a plan that is none is asked for again, and then one file is the program', { timeout: 240_000 }, async t => {
  const again = await converse(play({ ...SHOP, plan: ['I would rather not.', String(SHOP.plan)] }), ASKED)
  t.equal(again.claim, 'verified')
  const { text, paths, claim } = await converse(play({ plan: 'tests/test_a.py - only tests', files: { 'main.py': fence('def f() -> int:\n    return 1') } }), ASKED)
  t.ok(paths.includes('main.py'))
  t.equal(claim, 'unverified', 'nothing was tested')
  t.match(text, /no test could be run/)
  const wild = await converse(play({ plan: '../x.py - out\n/etc/x.py - root\ncon.py - device\nOk.py - fine - f() -> int\nok.py - twin\nok2.py - more', files: { 'Ok.py': fence('def f() -> int:\n    return 1'), 'ok2.py': '### ok2.py\n```python\ndef g() -> int:\n    return 2\n```\n### ok3.py\n```python\ndef h() -> int:\n    return 3\n```' } }), ASKED)
  t.strictSame(wild.paths.filter(path => path.endsWith('.py') && !path.includes('/')), ['Ok.py', 'ok2.py'])
  t.notMatch(wild.text, /def h/)
  for (const path of ['../x.py', '/etc/x.py', 'con.py', 'ok.py']) t.ok(wild.text.includes(`- \`${path}\`: planned, and not built`), path)
})

void t.test('a backend that fails at a step, and a budget that ends, lose nothing and claim nothing', { timeout: 300_000 }, async t => {
  const fails = (at: (call: Call) => boolean) => (call: Call) => {
    if (!at(call)) return play(SHOP)(call)
    call.response.writeHead(400, { 'content-type': 'application/json' })
    call.response.end('{"error":{"message":"out of order"}}')
  }
  await t.rejects(converse(fails(() => true), ASKED), /Agent processing failed: .*out of order/)
  await t.rejects(converse(fails(call => step(call) === 'write'), ASKED), /out of order/, 'nothing was written')
  const second = await converse(fails(call => step(call) === 'write' && fileOf(call) === 'shop/cart.py'), ASKED)
  t.equal(second.claim, 'unverified')
  t.match(second.text, /`shop\/prices\.py`: loads; no test calls it by itself[\s\S]*`shop\/cart\.py`: missing: it was not written any more[\s\S]*The work ended early: the language model failed: .*out of order/)
  const tests = await converse(fails(call => step(call) === 'tests'), ASKED)
  t.equal(tests.claim, 'unverified')
  t.match(tests.text, /### shop\/cart\.py[\s\S]*`shop\/cart\.py`: loads; no test/)
  const own = startBackend(t, call => answer(call)).then(async backend => ({ backend, service: await startService(t, { backendUrl: backend.url, agentOptions: { max_model_tokens: 40 } }) }))
  const spent = await converse(play(SHOP), ASKED, own)
  t.equal(spent.claim, 'unverified')
  t.match(spent.text, /The work ended early: the budget of 40 tokens is used/)
})

void t.test('a repair that helps nothing is not taken, and not told as one', { timeout: 240_000 }, async t => {
  const wrong = fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return len(names)')
  const { text, claim, calls } = await converse(play({ ...SHOP, files: { ...SHOP.files, 'shop/cart.py': wrong }, repairs: { 'shop/cart.py': wrong } }), ASKED)
  t.equal(claim, 'unverified')
  t.match(text, /`shop\/cart\.py`: 1 of 2 tests pass\. One wants/)
  t.equal(calls.filter(call => step(call) === 'repair').length, 1)
})

void t.test('a client that goes away at any step of a project leaves nothing running', { timeout: 240_000 }, async t => {
  const { backend, service: { app, post } } = await shared
  for (const at of ['plan', 'write', 'tests', 'repair']) {
    const before = backend.calls.length
    const script = play({ ...SHOP, files: { ...SHOP.files, 'shop/prices.py': fence('def price(name: str) -> int:\n    return 1') } })
    answer = call => step(call) === at ? undefined : script(call)
    const leave = new AbortController()
    const reply = post({ model: 'svc-code', stream: true, messages: [{ role: 'user', content: ASKED }] }, {}, leave.signal).then(response => response.text()).catch(() => 'left')
    const reached = () => backend.calls.slice(before).find(call => step(call) === at)
    await until(() => reached() !== undefined, 60_000)
    leave.abort()
    await reply
    await until(() => app.runs.load.runs === 0 && reached()?.gone() === true, 5000)
    t.equal(backend.calls.at(-1), reached(), `${at}: nothing is asked after it`)
  }
})

void t.test('the workspace holds the files of the reply, and nothing else', { timeout: 240_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-workspace-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const own = startBackend(t, call => answer(call)).then(async backend => ({ backend, service: await startService(t, { backendUrl: backend.url, agentOptions: { workspace: folder } }) }))
  const { text, paths, id } = await converse(play(SHOP), ASKED, own)
  t.strictSame(await readdir(folder), [id])
  const there = (await readdir(join(folder, id), { recursive: true, withFileTypes: true })).filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name).slice(join(folder, id).length + 1).replaceAll('\\', '/'))
  t.strictSame(there.sort(), paths.toSorted())
  for (const { path, source } of blocksOf(text)) if (path !== undefined) t.equal((await readFile(join(folder, id, path), 'utf8')).trimEnd(), source.trimEnd(), path)
})

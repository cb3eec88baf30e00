import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type Call, Page, say, startBackend } from '../../support/backend.js'
import { startService, until } from '../../support/service.js'

type Replies = Partial<Record<'write' | 'repair' | 'tests' | 'plan' | 'answer', string[]>>

const fence = (code: string, tag = 'python') => `\`\`\`${tag}\n${code}\n\`\`\``
const step = (call: Call) => String(call.headers['x-svc-step'])

/** Says the next line of a step's part; the last one again and again. */
function play (replies: Replies): (call: Call) => unknown {
  const turns: Record<string, number> = {}
  return call => {
    const lines = replies[step(call) as keyof Replies] ?? []
    const turn = turns[step(call)] = (turns[step(call)] ?? -1) + 1
    return say(lines[Math.min(turn, lines.length - 1)] ?? '')(call)
  }
}

let answer: (call: Call) => unknown = () => undefined
// One service for all tests that need no options of their own: its sandbox proves itself once.
const shared = startBackend(t, call => answer(call)).then(async backend => ({ backend, service: await startService(t, { backendUrl: backend.url }) }))

async function converse (t: Test, script: (call: Call) => unknown, content: string, more: object = {}, options?: object) {
  const { backend, service } = options ? await own(t, script, options) : await shared
  answer = script
  const before = backend.calls.length
  const reply = await service.client.chat.completions.create({ model: 'svc-code', messages: [{ role: 'user', content }], ...more }, { timeout: 120_000 })
  return { calls: backend.calls.slice(before), reply, text: reply.choices[0]?.message.content ?? '' }
}

async function own (t: Test, script: (call: Call) => unknown, options: object) {
  const backend = await startBackend(t, script)
  return { backend, service: await startService(t, { backendUrl: backend.url, ...options }) }
}

type Test = Parameters<typeof startBackend>[0]

const RIGHT = 'def clamp(x: int, low: int, high: int) -> int:\n    """x within low and high."""\n    return max(low, min(x, high))'
const WRONG = 'def clamp(x: int, low: int, high: int) -> int:\n    return min(x, high)'
const ASKED = 'Write a Python function `clamp(x, low, high)` that limits x to a range.\n\nExamples:\nclamp(5, 0, 3) == 3\nclamp(-1, 0, 3) == 0\nclamp(2, 0, 3) == 2'
const TESTS = fence('assert clamp(9, 1, 4) == 4\nassert clamp(0, 1, 4) == 1\nassert clamp(2, 1, 4) == 2\nassert clamp(1, 1, 1) == 1\nassert clamp(-5, -3, 3) == -3\nassert clamp(7, -3, 3) == 3')

void t.test('a wrong draft is not answered with: another is written, and the examples are shown to pass', { timeout: 120_000 }, async t => {
  const { calls, text, reply } = await converse(t, play({ write: [fence(WRONG), `Take the larger of two numbers first.\n\n${fence(RIGHT)}`], tests: [TESTS] }), ASKED)
  t.match(text, /### clamp\.py\n```python\n[\s\S]*max\(low, min\(x, high\)\)/)
  t.match(text, /### test_clamp\.py\n```python\n/)
  t.match(text, /### Verification\nverified: .*your 3 examples pass/)
  t.match(text, /^Take the larger of two numbers first\./)
  t.notMatch(text, /return min\(x, high\)/, 'the draft that failed is no part of the reply')
  t.ok(calls.length <= 8)
  for (const call of calls) {
    t.equal(call.headers['x-svc-run'], reply.id)
    t.match(call.body.messages.at(-1).content, /clamp\(x, low, high\)[\s\S]*^Language: Python$/m)
  }
  t.equal(reply.usage?.prompt_tokens, 10 * calls.length, 'the usage is the sum over all calls')
  t.equal(reply.usage?.completion_tokens, 5 * calls.length)
})

void t.test('examples that never pass are told, with what was given instead, and nothing is claimed', { timeout: 120_000 }, async t => {
  const { calls, text } = await converse(t, play({ write: [fence(WRONG)], repair: [fence(WRONG)], tests: [TESTS] }), ASKED, {}, { agentOptions: { max_model_calls: 4 } })
  t.match(text, /### Verification\nunverified: /)
  t.match(text, /`clamp\(-1, 0, 3\)` should give `0`, but gives `-1`/)
  t.equal(calls.length, 4)
  t.equal(calls.filter(call => step(call) === 'repair').length, 1, 'the same program is never repaired twice')
})

void t.test('without examples, agreement of drafts and blind tests makes it tested', { timeout: 120_000 }, async t => {
  const { text, calls } = await converse(t, play({ write: [fence(RIGHT)], tests: [TESTS] }), 'Write a Python function `clamp(x, low, high)` that limits x to a range.')
  t.match(text, /### Verification\ntested: /)
  const blind = calls.find(call => step(call) === 'tests')
  t.notMatch(JSON.stringify(blind?.body.messages), /max\(low/, 'the tests are written without sight of the program')
})

void t.test('TypeScript is built and run as well', { timeout: 120_000 }, async t => {
  const right = 'export function double(values: number[]): number[] {\n  return values.map((value) => value * 2);\n}'
  const { text } = await converse(t, play({ write: [fence('export function double(values: number[]): number[] { return valeus }', 'ts'), fence(right, 'ts')], repair: [fence(right, 'ts')], tests: [fence('assert.deepStrictEqual(double([]), []);\nassert.deepStrictEqual(double([1, 2]), [2, 4]);', 'ts')] }),
    'Write a TypeScript function `double(values: number[]): number[]` and export it.\n\n- double([1]) returns [2]\n- double([]) returns []')
  t.match(text, /### double\.ts\n```typescript\n[\s\S]*value \* 2/)
  t.match(text, /### double\.test\.ts\n/)
  t.match(text, /### Verification\nverified: /)
})

void t.test('replies without a program are asked for again', { timeout: 120_000 }, async t => {
  const { text } = await converse(t, play({ write: ['', '<think>\nHm, let me', fence('def clamp(x, low, high):\n    # TODO\n    pass'), fence(RIGHT)], tests: [TESTS] }), ASKED)
  t.match(text, /### Verification\nverified: /)
  t.match(text, /3 replies of the model held no whole program/)
})

void t.test('given code is mended, and what failed before passes', { timeout: 120_000 }, async t => {
  const { text, calls } = await converse(t, play({ repair: [fence(RIGHT)], tests: [TESTS] }), `This is wrong, clamp(-1, 0, 3) should return 0. Fix it:\n${fence(WRONG)}`)
  t.equal(step(calls[0]!), 'repair')
  t.match(text, /max\(low, min\(x, high\)\)/)
  t.match(text, /### Verification\nverified: /)
})

void t.test('tests for given code are run against it, and those that fail are told', { timeout: 120_000 }, async t => {
  const suite = fence('from clamp import clamp\n\n\ndef test_high():\n    assert clamp(9, 0, 3) == 3\n\n\ndef test_low():\n    assert clamp(-9, 0, 3) == 0')
  const { text } = await converse(t, play({ tests: [suite] }), `Write tests for this:\n${fence(RIGHT)}`)
  t.match(text, /### test_clamp\.py\n/)
  t.match(text, /### Verification\ntested: .*2 tests passed/)
  const broken = await converse(t, play({ tests: [suite] }), `Write tests for this:\n${fence(WRONG)}`)
  t.match(broken.text, /### Verification\nunverified: 1 test passed against your code, 1 did not[\s\S]*test_low/)
})

void t.test('formatting asks no model', { timeout: 120_000 }, async t => {
  const { text, calls } = await converse(t, play({}), `Format this code:\n${fence('import os\ndef f( a,b ):\n  return a+b')}`)
  t.match(text, /def f\(a, b\):\n {4}return a \+ b/)
  t.match(text, /### Verification\nunverified: the code was formatted and checked, not run/)
  t.equal(calls.length, 0)
})

void t.test('a plan and a question are one call, another language is told plainly', async t => {
  const plan = await converse(t, play({ plan: ['The plan.'] }), 'Plan the architecture of a URL shortener. No code yet.')
  t.equal(plan.text, 'The plan.')
  t.strictSame(plan.calls.map(step), ['plan'])
  const chat = await converse(t, play({ answer: ['Because.'] }), 'Why is the sky blue?')
  t.equal(chat.text, 'Because.')
  const rust = await converse(t, play({}), 'Write a function in Rust that reverses a string.')
  t.match(rust.text, /Python and TypeScript; Rust is not/)
  t.equal(rust.calls.length, 0)
})

const PROJECT: Replies = {
  plan: ['shop/prices.py - prices of goods - price(name: str) -> int\nshop/cart.py - what is bought - total(names: list[str]) -> int'],
  write: [fence('PRICES = {"tea": 3, "bread": 2}\n\n\ndef price(name: str) -> int:\n    return PRICES[name]'), fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return max([price(name) for name in names])')],
  tests: [fence('from shop.prices import price\nassert price("tea") == 3'), fence('from shop.cart import total\nassert total(["tea", "bread"]) == 5\nassert total([]) == 0')],
  repair: [fence('from shop.prices import price\n\n\ndef total(names: list[str]) -> int:\n    return sum(price(name) for name in names)')]
}

void t.test('a project is planned, written, tested file by file, mended, and written to the workspace', { timeout: 120_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-workspace-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const { text, calls, reply } = await converse(t, play(PROJECT), 'Create a small Python package `shop` with prices and a cart. With tests.', {}, { agentOptions: { workspace: folder } })
  t.match(text, /### shop\/cart\.py\n```python\n[\s\S]*sum\(price/)
  for (const path of ['shop/prices.py', 'tests/test_prices.py', 'tests/test_cart.py', 'pyproject.toml', 'README.md', 'shop/__init__.py']) t.ok(text.includes(`### ${path}\n`), path)
  t.match(text, /### Verification\nverified: [\s\S]*`shop\/cart\.py`: 2 of 2 tests pass, after one repair/)
  for (const call of calls.filter(call => step(call) === 'write')) t.match(call.body.messages.at(-1).content, /^File: shop\/\w+\.py$/m)
  t.strictSame(await readdir(folder), [reply.id])
  t.match(await readFile(join(folder, reply.id, 'shop', 'cart.py'), 'utf8'), /sum\(price/)
})

void t.test('max_tokens bounds the reply, and hidden tokens are told apart', { timeout: 120_000 }, async t => {
  const { reply } = await converse(t, play({ write: [fence(RIGHT)], tests: [TESTS] }), ASKED, { max_tokens: 40 })
  t.equal(reply.choices[0]?.finish_reason, 'length')
  const { completion_tokens: all = 0, completion_tokens_details: details } = reply.usage ?? {}
  t.ok(all - (details?.reasoning_tokens ?? 0) <= 40)
})

void t.test('a backend that fails is an error where nothing is there, and told where something is', { timeout: 120_000 }, async t => {
  const broken = ({ response }: Call) => { response.writeHead(500, { 'content-type': 'application/json' }); response.end('{"error":{"message":"out of memory"}}') }
  await t.rejects(converse(t, broken, ASKED), /Agent processing failed: .*out of memory/)
  const { text } = await converse(t, call => step(call) === 'write' ? say(fence(RIGHT))(call) : broken(call), 'Write a Python function `clamp(x, low, high)` that limits x to a range.')
  t.match(text, /### Verification\nunverified: [\s\S]*The search ended early: the language model failed/)
})

void t.test('a client that goes away at any step leaves nothing running', { timeout: 120_000 }, async t => {
  for (const last of ['write', 'tests', 'repair', 'plan']) {
    const script = play(last === 'plan' ? PROJECT : { write: [fence(last === 'repair' ? 'def clamp(x, low, high):\n    return undefined_name' : RIGHT)], tests: [TESTS] })
    const { backend, service: { app, post } } = await shared
    const before = backend.calls.length
    answer = call => step(call) === last ? undefined : script(call)
    const leave = new AbortController()
    const content = last === 'plan' ? 'Create a small Python package `shop` with a cart. With tests.' : last === 'tests' ? ASKED.split('\n', 1)[0] : ASKED
    const reply = post({ model: 'svc-code', stream: true, messages: [{ role: 'user', content }] }, {}, leave.signal).then(response => response.text()).catch(() => 'left')
    const reached = () => backend.calls.slice(before).find(call => step(call) === last)
    await until(() => reached() !== undefined, 60_000)
    leave.abort()
    await reply
    const since = performance.now()
    await until(() => app.runs.load.runs === 0 && reached()?.gone() === true, 5000)
    t.ok(performance.now() - since < 2000, `${last}: ${Math.round(performance.now() - since)} ms`)
  }
})

void t.test('progress goes out while it works, and never into the reply', { timeout: 120_000 }, async t => {
  const slow = play({ write: [fence(WRONG), fence(RIGHT)], tests: [TESTS] })
  const { service: { post } } = await shared
  answer = async call => {
    await new Promise(resolve => setTimeout(resolve, 700))
    return slow(call)
  }
  const body = await (await post({ model: 'svc-code', stream: true, messages: [{ role: 'user', content: ASKED }] })).text()
  const deltas = body.split('\n\n').filter(event => event.startsWith('data: {')).map(event => (JSON.parse(event.slice(6)) as { choices: { delta: { content?: string, reasoning_content?: string } }[] }).choices[0]?.delta)
  const progress = deltas.map(delta => delta?.reasoning_content ?? '').join('')
  t.match(progress, /Writing a first draft[\s\S]*of 3 examples pass/)
  t.notMatch(deltas.map(delta => delta?.content ?? '').join(''), /Writing a first draft/)
})

void t.test('a page that is no completion is an error that names the backend', async t => {
  const backend = await startBackend(t, ({ response }) => { response.writeHead(404); response.end('<html>') }, { '/v1/models': new Page(404, {}) })
  const { client } = await startService(t, { backendUrl: backend.url })
  await t.rejects(client.chat.completions.create({ model: 'svc-code', messages: [{ role: 'user', content: ASKED }] }), /127\.0\.0\.1/)
})

import t from 'tap'
import { type Call, Page, say, startBackend } from '../../support/backend.js'
import { startService, until } from '../../support/service.js'
import { fence, part, startTalk, stepOf, whole } from '../../support/talk.js'

// Functions: the first reply is the first draft, and its faults decide which further calls are made.

const started = startTalk(t)

const RIGHT = 'def clamp(x: int, low: int, high: int) -> int:\n    """x within low and high."""\n    return max(low, min(x, high))'
const WRONG = 'def clamp(x: int, low: int, high: int) -> int:\n    return min(x, high)'
const ASKED = 'Write a Python function `clamp(x, low, high)` that limits x to a range.\n\nExamples:\nclamp(5, 0, 3) == 3\nclamp(-1, 0, 3) == 0\nclamp(2, 0, 3) == 2'
const TESTS = fence('assert clamp(9, 1, 4) == 4\nassert clamp(0, 1, 4) == 1\nassert clamp(2, 1, 4) == 2\nassert clamp(1, 1, 1) == 1\nassert clamp(-5, -3, 3) == -3\nassert clamp(7, -3, 3) == 3')

void t.test('a right first draft is verified, and delivered unchanged between its own words', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { text, steps, claim, reply } = await talk(part({ answer: [`Take the larger of two.\n\n${fence(RIGHT)}\n\nIt works for negative numbers, too.`], write: [fence(RIGHT)], tests: [TESTS] }), ASKED)
  t.match(text, /^Take the larger of two\.\n\n### clamp\.py\n```python\ndef clamp[^]*max\(low, min\(x, high\)\)\n```\n\nIt works for negative numbers, too\.\n\n### test_clamp\.py\n```python\n[^]*from clamp import clamp[^]*### Verification\nverified: it was run here, and your 3 examples pass\.\n/)
  t.equal(claim, 'verified')
  t.equal(steps[0], 'answer')
  t.ok(steps.length <= 4, steps.join())
  t.equal(reply.usage?.prompt_tokens, 10 * steps.length, 'the usage is the sum over all calls')
  t.equal(reply.usage?.completion_tokens, 5 * steps.length)
})

void t.test('a wrong first draft is replaced by one that passes the examples; text that was sent stays', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { calls, text, steps, claim, reply } = await talk(part({ answer: [`Only the upper bound matters.\n\n${fence(WRONG)}\n\nGood luck!`], write: [`Take the larger of two numbers first.\n\n${fence(RIGHT)}\n\nBoth bounds count.`], tests: [TESTS] }), ASKED)
  t.match(text, /^Only the upper bound matters\.\n\n### clamp\.py\n```python\n[^]*max\(low, min\(x, high\)\)\n```\n\nBoth bounds count\./)
  t.notMatch(text, /return min\(x, high\)|Good luck|Take the larger/, 'what was held of the first draft is no part of the reply')
  t.equal(claim, 'verified')
  t.equal(steps[0], 'answer')
  t.ok(steps.length <= 8)
  for (const call of calls) t.equal(call.headers['x-svc-run'], reply.id)
  for (const call of calls.slice(1)) t.match(whole(call), /clamp\(x, low, high\)[^]*^Language: Python$/m)
})

void t.test('a reply that is streamed is the one that is not, and the search is shown as progress', { timeout: 120_000 }, async t => {
  const { talk, stream } = await started
  const script = () => part({ answer: [`First words.\n\n${fence(WRONG)}`], write: [fence(RIGHT)], tests: [TESTS] })
  const { pieces, progress } = await stream(script(), ASKED)
  t.equal(pieces.join(''), (await talk(script(), ASKED)).text)
  t.match(progress, /return min\(x, high\)[^]*1 of 3 examples pass|2 of 3 examples pass/)
})

void t.test('examples that never pass are reported with the wrong results, and nothing is claimed', { timeout: 120_000 }, async t => {
  const { talk } = await startTalk(t, { agentOptions: { max_model_calls: 4 } })
  const script = part({ answer: [fence(WRONG)], write: [fence(WRONG)], repair: [fence(WRONG)], tests: [TESTS] })
  const { text, steps, claim } = await talk(script, ASKED)
  t.equal(claim, 'unverified')
  t.match(text, /2 of your 3 examples pass[^]*`clamp\(-1, 0, 3\)` should give `0`, but gives `-1`/)
  t.match(text, /return min\(x, high\)/, 'the first reply goes out all the same')
  t.equal(steps.length, 4)
  t.equal(steps.filter(step => step === 'repair').length, 1, 'the same program is never repaired twice')
})

void t.test('without examples, agreement of drafts and blind tests makes it tested', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { text, calls, claim } = await talk(part({ answer: [fence(RIGHT)], write: [fence(RIGHT)], tests: [TESTS] }), 'Write a Python function `clamp(x, low, high)` that limits x to a range.')
  t.equal(claim, 'tested')
  t.match(text, /### test_clamp\.py\n```python\nfrom clamp import clamp\n/)
  const blind = calls.find(call => stepOf(call) === 'tests')
  t.notMatch(JSON.stringify(blind?.body.messages), /max\(low/, 'the tests are written without sight of the program')
})

void t.test('TypeScript is examined, mended and run as well', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const right = 'export function double(values: number[]): number[] {\n  return values.map((value) => value * 2);\n}'
  const { text, claim } = await talk(part({ answer: [fence('export function double(values: number[]): number[] { return valeus }', 'ts')], write: [fence(right, 'ts')], repair: [fence(right, 'ts')], tests: [fence('assert.deepStrictEqual(double([]), []);\nassert.deepStrictEqual(double([1, 2]), [2, 4]);', 'ts')] }),
    'Write a TypeScript function `double(values: number[]): number[]` and export it.\n\n- double([1]) returns [2]\n- double([]) returns []')
  t.match(text, /### double\.ts\n```typescript\n[^]*value \* 2[^]*### double\.test\.ts\n/)
  t.equal(claim, 'verified')
})

void t.test('in another language than the one that was named it is written once more', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const double = 'export function double(x: number): number {\n  return x * 2;\n}'
  const { text, calls, steps, claim } = await talk(part({ answer: [fence('def double(x):\n    return x * 2')], write: [fence(double, 'typescript')] }), 'A function double in TypeScript: double(2) returns 4, double(0) returns 0')
  t.strictSame(steps.slice(0, 2), ['answer', 'write'])
  t.match(whole(calls[1]), /^Language: TypeScript$/m)
  t.match(text, /### double\.ts\n```typescript\n/)
  t.notMatch(text, /def double/)
  t.equal(claim, 'verified')
  const kept = await talk(part({ answer: [fence('def double(x):\n    return x * 2')], write: ['No.'] }), 'A function double in TypeScript, please.')
  t.strictSame(kept.steps, ['answer', 'write'])
  t.match(kept.text, /def double[^]*### Verification\nunverified: you asked for TypeScript, and this is Python; it was not run\./)
})

void t.test('an empty reply is asked for again, and twice is an error that says so', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { claim, steps } = await talk(part({ answer: ['', fence(RIGHT)], tests: [TESTS], write: [fence(RIGHT)] }), ASKED)
  t.equal(claim, 'verified')
  t.strictSame(steps.slice(0, 2), ['answer', 'answer'])
  await t.rejects(talk(part({ answer: [''] }), ASKED), { code: 'agent_error', message: /Agent processing failed: the language model answered with nothing, twice/ })
  await t.rejects(talk(part({ answer: ['<think>\nHm, let me'] }), 'Why?'), { code: 'agent_error', message: /only thought, twice/ })
  const cut = ({ body }: Call) => say('```python\ndef clamp(x, low, high):\n    return max(', { finish: body.messages.length > 0 ? 'length' : 'stop' })
  await t.rejects(talk(call => cut(call)(call), ASKED), { code: 'agent_error', message: /broke off before it was whole, twice/ })
})

void t.test('drafts without a program are ignored', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { claim, text } = await talk(part({ answer: [fence(WRONG)], write: ['', '<think>\nHm, let me', fence('def clamp(x, low, high):\n    # TODO\n    pass'), fence(RIGHT)], repair: ['No.'], tests: [TESTS] }), ASKED)
  t.equal(claim, 'verified')
  t.notMatch(text, /TODO/)
})

void t.test('a failing backend is an error if there is no draft yet, and is mentioned in the reply if there is one', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const broken = ({ response }: Call) => { response.writeHead(500, { 'content-type': 'application/json' }); response.end('{"error":{"message":"out of memory"}}') }
  await t.rejects(talk(broken, ASKED), /Agent processing failed: .*out of memory/)
  const { text } = await talk(call => stepOf(call) === 'answer' ? say(fence(RIGHT))(call) : broken(call), 'Write a Python function `clamp(x, low, high)` that limits x to a range.')
  t.match(text, /max\(low, min\(x, high\)\)[^]*### Verification\nunverified: [^]*The work ended early, since the language model failed: .*out of memory/)
})

void t.test('a client that goes away at any step leaves nothing running', { timeout: 120_000 }, async t => {
  const { backend, play, service: { app, post } } = await started
  for (const last of ['answer', 'write', 'tests', 'repair']) {
    const script = part({ answer: [fence(last === 'repair' ? 'def clamp(x, low, high):\n    return undefined_name' : last === 'tests' ? RIGHT : WRONG)], write: [fence(RIGHT)], tests: [TESTS] })
    const before = backend.calls.length
    play(call => stepOf(call) === last ? undefined : script(call))
    const leave = new AbortController()
    const content = last === 'tests' ? ASKED.split('\n', 1)[0] : ASKED
    const reply = post({ model: 'svc-code', stream: true, messages: [{ role: 'user', content }] }, {}, leave.signal).then(response => response.text()).catch(() => 'left')
    const reached = () => backend.calls.slice(before).find(call => stepOf(call) === last)
    await until(() => reached() !== undefined, 60_000)
    leave.abort()
    await reply
    await until(() => app.runs.load.runs === 0 && reached()?.gone() === true, 20_000)
    t.equal(backend.calls.at(-1), reached(), `${last}: nothing is asked after it`)
  }
})

void t.test('a page that is no completion is an error that names the backend', async t => {
  const backend = await startBackend(t, ({ response }) => { response.writeHead(404); response.end('<html>') }, { '/v1/models': new Page(404, {}) })
  const { client } = await startService(t, { backendUrl: backend.url })
  await t.rejects(client.chat.completions.create({ model: 'svc-code', messages: [{ role: 'user', content: ASKED }] }), /127\.0\.0\.1/)
})

import t from 'tap'
import { say } from '../../support/backend.js'
import { fence, part, startTalk, stepOf } from '../../support/talk.js'

// The cost of a reply: effort, the caller's limits, and the tokens that the reply does not show.

const started = startTalk(t)

const RIGHT = 'def clamp(x: int, low: int, high: int) -> int:\n    return max(low, min(x, high))'
const WRONG = 'def clamp(x: int, low: int, high: int) -> int:\n    return min(x, high)'
const ASKED = 'Write a Python function `clamp(x, low, high)`.\n\nExamples:\nclamp(5, 0, 3) == 3\nclamp(-1, 0, 3) == 0'
const TESTS = fence('assert clamp(9, 1, 4) == 4\nassert clamp(0, 1, 4) == 1')

void t.test('with a low effort there is one call, and all that needs no model', { timeout: 120_000 }, async t => {
  const { talk } = await started
  for (const effort of ['none', 'minimal', 'low'] as const) {
    const { steps, claim, text } = await talk(part({ answer: [fence(WRONG)] }), ASKED, { reasoning_effort: effort })
    t.strictSame(steps, ['answer'], effort)
    t.equal(claim, 'unverified')
    t.match(text, /`clamp\(-1, 0, 3\)` should give `0`, but gives `-1`/)
  }
  const right = await talk(part({ answer: [fence(RIGHT)] }), ASKED, { reasoning_effort: 'low' })
  t.strictSame(right.steps, ['answer'])
  const project = await talk(part({ answer: [`a.py\n${fence('def f():\n    return 1')}`] }), 'Create a small Python package `one`.', { reasoning_effort: 'low' })
  t.strictSame(project.steps, ['answer'])
})

void t.test('an effort is a bound of the calls, and the service\'s own bound holds above it', { timeout: 240_000 }, async t => {
  const { talk } = await started
  const different = (): ReturnType<typeof part> => {
    let number = 0
    return call => say(stepOf(call) === 'tests' ? TESTS : fence(`def clamp(x, low, high):\n    return ${100 + number++}`))(call)
  }
  t.equal((await talk(different(), ASKED)).calls.length, 8)
  t.equal((await talk(different(), ASKED, { reasoning_effort: 'high' })).calls.length, 16)
  const { service: { post } } = await started
  const refused = await post({ model: 'svc-code', messages: [{ role: 'user', content: 'x' }], reasoning_effort: 'extreme' })
  t.equal(refused.status, 400)
  t.match(await refused.json(), { error: { type: 'invalid_request_error', message: /reasoning_effort[^]*low[^]*medium[^]*high/ } })
})

void t.test('max_tokens limits text, programs and verification together, and hidden tokens are counted separately', { timeout: 120_000 }, async t => {
  const { talk } = await started
  for (const limit of [40, 120]) {
    const { reply } = await talk(part({ answer: [fence(WRONG)], write: [fence(RIGHT)], tests: [TESTS] }), ASKED, { max_tokens: limit })
    const { completion_tokens: all = 0, completion_tokens_details: details } = reply.usage ?? {}
    t.ok(all - (details?.reasoning_tokens ?? 0) <= limit, `${all} - ${details?.reasoning_tokens ?? 0} <= ${limit}`)
    t.equal(reply.choices[0]?.finish_reason, 'length')
  }
})

void t.test('what the caller\'s max_tokens cut goes out as it came, after one call', async t => {
  const { talk } = await started
  const cut = 'Here it is:\n\n```python\ndef clamp(x, low, high):\n    return max('
  const { text, steps, reply } = await talk(say(cut, { finish: 'length' }), ASKED, { max_tokens: 30 })
  t.equal(text, cut)
  t.strictSame(steps, ['answer'])
  t.equal(reply.choices[0]?.finish_reason, 'length')
})

void t.test('what the caller\'s stop ended goes out as it came, after one call', async t => {
  const { talk } = await started
  const ended = 'Here it is:\n\n```python\ndef clamp(x, low, high):\n    return '
  const { text, steps, calls } = await talk(say(ended), ASKED, { stop: ['max('] })
  t.equal(text, ended)
  t.strictSame(steps, ['answer'])
  t.strictSame(calls[0]?.body.stop, ['max('])
})

void t.test('drafts after the first have seeds of their own and not the caller\'s stop', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { calls } = await talk(part({ answer: [fence(WRONG)], write: [fence(RIGHT)], tests: [TESTS] }), ASKED, { seed: 5, stop: ['§§'], temperature: 0 })
  t.match(calls[0]?.body, { seed: 5, stop: ['§§'], temperature: 0 })
  const draft = calls.find(call => stepOf(call) === 'write')?.body
  t.equal(draft.seed, 6)
  t.ok(draft.temperature >= 0.7)
  t.notOk('stop' in draft)
})

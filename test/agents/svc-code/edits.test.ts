import t from 'tap'
import { fence, part, startTalk, whole } from '../../support/talk.js'

// Changes of existing code: every prompt contains it, and parts that the task does not concern stay exactly as they are.

const started = startTalk(t)

const GIVEN = "import re\n\n# durations, e.g. '90m'\nUNITS = {'h':3600, 'm':60}   # seconds\n\ndef seconds(text):\n    number, unit = re.match(r'(\\d+)(\\w)', text).groups()\n    return int(number)*UNITS[unit]\n\ndef  show( total ):\n    return str(total)+' s'"
const CHANGED = GIVEN.replace("'m':60}", "'m':60, 'd':86400}")

void t.test('a follow-up holds the code of before, and keeps what was not to change to the letter', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { text, calls, claim } = await talk(part({ answer: [`Added:\n\n${fence(CHANGED)}`] }), [
    { role: 'user', content: 'Parse durations.' }, { role: 'assistant', content: `Here:\n\n${fence(GIVEN)}` }, { role: 'user', content: 'also support days' }
  ])
  t.ok(calls.every(call => whole(call).includes(GIVEN)))
  t.ok(text.includes(CHANGED), text)
  t.equal(calls.length, 1)
  t.equal(claim, 'unverified')
})

const SERVER = "const express = require('express')\nconst app = express()\n\napp.use(express.json())\napp.get('/health', (req, res) => res.json({ok: true}))\n\napp.listen(3000)"
const GROUP = '/** Groups rows by key. */\nexport function grp<T>(rows: T[], key: (row: T) => string) {\n  const res: Record<string, T[]> = {}\n  for (const row of rows) {\n    // first of its kind\n    const list = (res[key(row)] ??= [])\n    list.push(row)\n  }\n  return res\n}'

void t.test('code that defines nothing, or all under new names, is known for the one of before', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const changes: [string, string, string][] = [
    ['listen on 4000 instead', SERVER, SERVER.replace('3000', '4000')],
    ['call it groupBy and res groups, nothing else', GROUP, GROUP.replace('grp', 'groupBy').replaceAll('res', 'groups')]
  ]
  for (const [asked, before, after] of changes) {
    const { text, calls } = await talk(part({ answer: [fence(after, 'ts')] }), [
      { role: 'user', content: 'Write it in TypeScript.' }, { role: 'assistant', content: fence(before, 'ts') }, { role: 'user', content: asked }
    ])
    t.ok(text.includes(after), text)
    t.equal(calls.length, 1, asked)
  }
})

void t.test('a complaint with a case becomes an example', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const wrong = GIVEN.replace("'m':60", "'m':90")
  const { text, claim, calls } = await talk(part({ answer: [fence(wrong)], write: [fence(GIVEN)], repair: [fence(GIVEN)], tests: [fence("assert seconds('1h') == 3600")] }), [
    { role: 'user', content: 'Parse durations.' }, { role: 'assistant', content: fence(wrong) }, { role: 'user', content: "That is wrong: seconds('90m') should give 5400." }
  ])
  t.equal(claim, 'verified', text)
  t.ok(text.includes("UNITS = {'h':3600, 'm':60}   # seconds"), text)
  t.ok(calls.every(call => whole(call).includes("'m':90") || call.headers['x-svc-step'] === 'tests'))
})

void t.test('code from the user is repaired, and its failing example passes', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const wrong = 'def clamp(x, low, high):\n    return min(x, high)'
  const right = 'def clamp(x, low, high):\n    return max(low, min(x, high))'
  const { text, claim } = await talk(part({ answer: [`The lower bound was missing.\n\n${fence(right)}`], write: [fence(right)], tests: [fence('assert clamp(9, 1, 4) == 4')] }), `This is wrong, clamp(-1, 0, 3) should return 0. Fix it:\n${fence(wrong)}`)
  t.match(text, /^The lower bound was missing\.\n\n### clamp\.py\n```python\ndef clamp\(x, low, high\):\n {4}return max\(low, min\(x, high\)\)\n```/)
  t.equal(claim, 'verified')
})

const LONG = Array.from({ length: 30 }, (_, index) => `def step_${index}(value: int) -> int:\n    """Step ${index} of the long way."""\n    return value + ${index}`).join('\n\n\n')

void t.test('the changed function of a long file is checked in its place, and delivered as it came', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const change = 'def step_7(value: int) -> int:\n    """Step 7 of the long way."""\n    return value + 77 + step_1(0) - 1'
  const reply = `Only this one changes:\n\n${fence(change)}`
  const { text, calls, claim } = await talk(part({ answer: [reply], tests: [fence('assert step_7(1) == 78')], write: [reply] }), `Change step_7 so that step_7(1) == 78 and step_7(0) == 77:\n\nsteps.py\n${fence(LONG)}`)
  t.ok(text.startsWith(reply), text)
  t.notMatch(text, /### steps\.py/)
  t.match(text, /The change was put into `steps\.py`, and the whole was loaded/)
  t.equal(claim, 'verified')
  t.ok(calls.length <= 3)
})

void t.test('"undo that" has the version of before in the call', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { text, calls } = await talk(part({ answer: [fence(GIVEN)] }), [
    { role: 'user', content: 'Parse durations.' }, { role: 'assistant', content: fence(GIVEN) }, { role: 'user', content: 'also support days' }, { role: 'assistant', content: fence(CHANGED) }, { role: 'user', content: 'undo that' }
  ])
  t.ok(whole(calls[0]).includes(GIVEN) && whole(calls[0]).includes(CHANGED))
  t.ok(text.includes(GIVEN), text)
})

import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import t from 'tap'
import { ends, openGate } from '../../../support/ends.js'
import { CLOCK, WEATHER, relayAgents } from '../../../support/relay.js'
import { AGENTS, eventsOf, namedOf, played, startService, until } from '../../../support/service.js'

const { app, client, respond } = await startService(t, { agentsDirs: [AGENTS, relayAgents(t)] })

const streamed = (steps: unknown[], more: object = {}) => played(steps, { stream: true, ...more })
const call = (index: number, args: string, more: object = {}) => ({ type: 'tool_call', index, arguments: args, ...more })
const tools = [WEATHER, CLOCK].map(({ function: made }) => ({ parameters: null, ...made, type: 'function' as const, strict: null }))
const USAGE = { type: 'usage', prompt_tokens: 7, completion_tokens: 5, reasoning_tokens: 2 }

/** The types of a stream's events. */
async function typesOf (steps: unknown[], more: object = {}): Promise<string[]> {
  return namedOf(await (await respond(streamed(steps, more))).text()).map(({ type }) => type.replace('response.', ''))
}

// Two runs differ in their ids and times, and the SDK adds fields when it parses a response.
const DIFFERENT = new Set(['created_at', 'parsed', 'parsed_arguments', 'output_parsed'])
function plain (response: object): unknown {
  return JSON.parse(JSON.stringify(response, (key, value: unknown) => DIFFERENT.has(key) ? undefined : value).replace(/(?<="(?:resp|msg|fc|rs)_)[\da-f]{32}/g, ''))
}

const MESSAGE = ['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.delta', 'output_text.done', 'content_part.done', 'output_item.done']

void t.test('a stream has named events with numbers from 0, from created to completed, and no [DONE]', async t => {
  const response = await respond(streamed(['Hel', 'lo', USAGE], { instructions: 'Be brief.' }))
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^text\/event-stream/)
  t.equal(response.headers.get('cache-control'), 'no-cache')
  t.equal(response.headers.get('access-control-allow-origin'), '*')
  t.ok(response.headers.get('x-request-id'))
  const body = await response.text()
  t.notMatch(body, /\[DONE\]/)
  t.ok(eventsOf(body).every(event => /^event: [\w.]+\ndata: \{[^\n]+\}$/.test(event)))
  const events = namedOf(body)
  t.strictSame(events.map(({ sequence_number: number }) => number), events.map((_, index) => index))
  t.strictSame(events.map(({ type }) => type), ['response.created', 'response.in_progress', ...MESSAGE.map(type => `response.${type}`), 'response.completed'])

  const [created, begun, added, part, one, two, text, partDone, itemDone, completed] = events
  const { id } = added.item
  const place = { item_id: id, output_index: 0, content_index: 0 }
  const whole = { type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }
  const item = { id, type: 'message', status: 'completed', role: 'assistant', content: [whole] }
  t.match(created.response, { status: 'in_progress', output: [], usage: null, instructions: 'Be brief.', store: false })
  t.strictSame(begun.response, created.response)
  t.strictSame(added, { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: { ...item, status: 'in_progress', content: [] } })
  t.strictSame(part, { type: 'response.content_part.added', sequence_number: 3, ...place, part: { ...whole, text: '' } })
  t.strictSame(one, { type: 'response.output_text.delta', sequence_number: 4, ...place, delta: 'Hel', logprobs: [] })
  t.strictSame(two, { type: 'response.output_text.delta', sequence_number: 5, ...place, delta: 'lo', logprobs: [] })
  t.strictSame(text, { type: 'response.output_text.done', sequence_number: 6, ...place, text: 'Hello', logprobs: [] })
  t.strictSame(partDone, { type: 'response.content_part.done', sequence_number: 7, ...place, part: whole })
  t.strictSame(itemDone, { type: 'response.output_item.done', sequence_number: 8, output_index: 0, item })
  const usage = {
    input_tokens: 7,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 12
  }
  t.strictSame(completed, { type: 'response.completed', sequence_number: 9, response: { ...created.response, status: 'completed', output: [item], usage } })
})

const SCRIPTS: Record<string, [unknown[], object?]> = {
  text: [['Hel', 'lo']],
  nothing: [[]],
  'a cut reply': [['cut', { type: 'finish', reason: 'length' }]],
  'text and calls': [['Let me see.', call(0, '{"ci', { id: 'c1', name: 'get_weather' }), call(1, '', { id: 'c2', name: 'get_time' }), call(0, 'ty":"Paris"}'), call(1, '{}')], { model: 'tooled', tools }],
  'a call, then text': [[call(0, '{}', { id: 'c1', name: 'get_time' }), 'That was it.'], { model: 'tooled', tools }],
  'progress, text, progress, text': [[{ type: 'progress', text: 'plan\n' }, { wait: 1100 }, { type: 'progress', text: 'write\n' }, 'one ', { type: 'progress', text: 'test\n' }, 'two']]
}

for (const [what, [steps, more]] of Object.entries(SCRIPTS)) {
  void t.test(`${what}: the SDK makes the same response of a stream's events as comes without a stream`, async t => {
    const whole = await client.responses.create(played([...steps, USAGE], more))
    const stream = client.responses.stream(played([...steps, USAGE], more))
    const events: ResponseStreamEvent[] = []
    for await (const event of stream) events.push(event)
    const last = await stream.finalResponse()
    t.strictSame(plain(last), plain(whole))
    t.strictSame(events.map(event => event.sequence_number), events.map((_, index) => index))
  })
}

void t.test('progress before the text is a reasoning item before the message; later progress is another one after it', async t => {
  const REASONING = ['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta', 'reasoning_summary_text.delta', 'reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done']
  const before = await typesOf([{ type: 'progress', text: 'plan\n' }, { wait: 1100 }, { type: 'progress', text: 'write\n' }, 'one', 'two'])
  t.strictSame(before, ['created', 'in_progress', ...REASONING, ...MESSAGE, 'completed'])

  const { output } = await client.responses.stream(played([{ type: 'progress', text: 'plan\n' }, { wait: 1100 }, 'one ', { type: 'progress', text: 'test\n' }, 'two'])).finalResponse()
  t.match(output, [
    { type: 'reasoning', status: 'completed', summary: [{ type: 'summary_text', text: 'plan\n' }] },
    { type: 'message', status: 'completed', content: [{ text: 'one two' }] },
    { type: 'reasoning', status: 'completed', summary: [{ type: 'summary_text', text: 'test\n' }] }
  ], 'the reply is one message')
  t.notMatch(await (await respond(streamed([{ type: 'progress', text: 'p' }, 'quick']))).text(), /reasoning_summary/, 'a quick reply has none')
})

void t.test('endless progress is cut at 1 MiB', { timeout: 60_000 }, async t => {
  const steps = [{ type: 'progress', text: 'first' }, { wait: 1100 }, { repeat: 100, step: { repeat: 1, step: { type: 'progress', text: 'x'.repeat(20_000) } } }, 'done']
  const { output, output_text: text } = await client.responses.create(played(steps))
  const [reasoning] = output
  t.equal(text, 'done')
  if (reasoning?.type !== 'reasoning') return t.fail('no reasoning')
  const { length } = reasoning.summary[0]?.text ?? ''
  t.ok(length > 1_000_000 && length <= 1024 * 1024, `${length}`)
})

void t.test('each call is an item, and its arguments come in pieces', async t => {
  const CALL = ['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.delta']
  const DONE = ['function_call_arguments.done', 'output_item.done']
  const steps = ['Let ', 'me', call(0, '{"ci', { id: 'c1', name: 'get_weather' }), call(0, 'ty":"Paris"}'), call(1, '{', { name: 'get_time' }), call(1, '}')]
  t.strictSame(await typesOf(steps, { model: 'tooled', tools }), ['created', 'in_progress', ...MESSAGE, ...CALL, ...CALL, ...DONE, ...DONE, 'completed'])
  const events = namedOf(await (await respond(streamed(steps, { model: 'tooled', tools }))).text())
  const { item, output_index: index } = events.find(({ item }) => item?.type === 'function_call')
  t.match(item, { id: /^fc_/, status: 'in_progress', call_id: 'c1', name: 'get_weather', arguments: '' })
  const own = events.filter(({ item_id: id }) => id === item.id)
  t.ok(own.every(({ output_index: place }) => place === index))
  t.equal(own.map(({ delta = '' }) => delta).join(''), '{"city":"Paris"}')
  t.match(own.at(-1), { type: 'response.function_call_arguments.done', name: 'get_weather', arguments: '{"city":"Paris"}' })
})

void t.test('a cut reply ends with response.incomplete', async t => {
  const events = namedOf(await (await respond(streamed(['cut', { type: 'finish', reason: 'length' }], { max_output_tokens: 1 }))).text())
  t.match(events.at(-1), { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [{ status: 'incomplete' }] } })
  t.match(events.at(-2), { type: 'response.output_item.done', item: { status: 'incomplete' } })
})

void t.test('after a failure in the middle, the last event is response.failed', async t => {
  const steps = ['half', { throw: 'broke at /home/somebody/secret/file.txt' }]
  const events = namedOf(await (await respond(streamed(steps))).text())
  t.match(events.at(-1), {
    type: 'response.failed', sequence_number: events.length - 1,
    response: { status: 'failed', error: { code: 'server_error', message: 'Agent processing failed: broke at file.txt' }, output: [{ status: 'incomplete', content: [{ text: 'half' }] }], usage: null }
  })
  t.notOk(events.some(({ type }) => /completed|done/.test(type)), 'no event says that something is done')
  const last = await client.responses.stream(played(steps)).finalResponse()
  t.match(last, { status: 'failed', error: { code: 'server_error' } })
  const late = namedOf(await (await respond(streamed([{ wait: 400 }, { tooLong: 'that is 40000 tokens' }]))).text())
  t.match(late.at(-1), { type: 'response.failed', response: { error: { code: 'context_length_exceeded', message: /40000 tokens/ } } })
})

void t.test('all characters arrive, and no fragment ends inside one', async t => {
  const text = 'Grüße 👩‍👩‍👧 漢字 "quoted" \\ back\nline\r\ttab\u2028\u0000'
  const { output_text: reply } = await client.responses.stream(played(text.split(''))).finalResponse()
  t.equal(reply, text)
  t.notMatch(await (await respond(streamed(text.split('')))).text(), /\\ud[89a-f]/i)
})

void t.test('the stream starts before the agent says anything, and text arrives while the agent works', async t => {
  const response = await respond(streamed([{ gate: 'responses' }, 'late']))
  openGate('responses')
  const stream = client.responses.stream(played(['first', { hang: true }]))
  for await (const event of stream) if (event.type === 'response.output_text.delta') break
  t.match(await response.text(), /response\.completed/)
})

void t.test('a client that goes away in the middle ends the run', async t => {
  const known = new Set(ends.keys())
  const stream = await client.responses.create({ ...played(['first', { hang: true }]), stream: true })
  for await (const event of stream) {
    if (event.type !== 'response.output_text.delta') continue
    const id = [...ends.keys()].findLast(id => !known.has(id)) ?? ''
    t.equal(ends.get(id), 'running')
    stream.controller.abort()
    await until(() => ends.get(id) === 'closed after abort', 1000)
  }
  await until(() => app.runs.load.runs === 0)
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
})

void t.test('a request that joins a run gets exactly the same stream', async t => {
  const key = { 'idempotency-key': 'stream' }
  const body = streamed(['a', { wait: 300 }, 'b'])
  const first = await respond(body, key)
  const [one, two] = await Promise.all([first.text(), (await respond(body, key)).text()])
  t.equal(one, two)
  t.equal(await (await respond(body, key)).text(), one, 'also when the run has ended')
})

void t.test('a shutdown ends a stream with response.failed', async t => {
  const { app, respond } = await startService(t, { drain: 100 })
  const response = await respond(streamed(['half', { hang: true }]))
  const closed = app.close()
  t.match(namedOf(await response.text()).at(-1), { type: 'response.failed', response: { status: 'failed', error: { message: /shutting down/ } } })
  await closed
})

void t.test('a very long reply arrives completely, though its events repeat it four times', { timeout: 120_000 }, async t => {
  const events = namedOf(await (await respond(streamed([{ repeat: 60, step: '\u0001'.repeat(256 * 1024) }, USAGE]))).text())
  const { output } = events.at(-1).response
  t.equal(output[0].content[0].text.length, 60 * 256 * 1024)
  t.equal(events.filter(({ delta }) => delta).map(({ delta }) => delta).join('').length, 60 * 256 * 1024)
})

void t.test('while an agent is silent, an event that changes nothing is sent every 10 s, because Codex ignores comments', { timeout: 60_000 }, async t => {
  const silent = (steps: unknown[], more: object = {}) => Promise.all([
    respond(streamed(steps, more)).then(response => response.text()),
    client.responses.stream(played(steps, more)).finalResponse()
  ])
  const wait = { wait: 10_800 }
  const [[early, first], [late, second], [calls]] = await Promise.all([
    silent([wait, 'a']), silent(['a', wait, 'b']), silent([call(0, '{', { name: 'get_time' }), wait, call(0, '}')], { model: 'tooled', tools })
  ])
  t.strictSame([first.output_text, second.output_text], ['a', 'ab'])
  const [created, begun, again] = namedOf(early)
  t.strictSame({ ...again, sequence_number: 1 }, begun)
  t.strictSame(again.response, created.response)
  t.strictSame(namedOf(late).filter(({ delta }) => delta !== undefined).map(({ delta }) => delta), ['a', '', 'b'])
  t.strictSame(namedOf(calls).filter(({ delta }) => delta !== undefined).map(({ delta }) => delta), ['{', '', '}'])
  for (const body of [early, late, calls]) {
    t.strictSame(namedOf(body).map(event => event.sequence_number), namedOf(body).map((_, index) => index))
    t.notMatch(body, /^:/m)
  }
})

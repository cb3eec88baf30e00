import t from 'tap'
import type { BackendEvent, BackendRequest, Message, Tool } from '../../../../agents/types.js'
import { EmbeddedBackend } from '../../../../plugins/backend/embedded/embedded-backend.js'
import { historyOf } from '../../../../plugins/backend/embedded/child/prompt.js'
import { silent } from '../../../support/log.js'
import { ANSWERS, modelAt, tinyModelFile } from '../../../support/tiny-model.js'
import { ask, eventsFrom, never, textOf } from '../contract.js'

const backend = new EmbeddedBackend({ model: modelAt(tinyModelFile()), reason: 'a test', threads: 1, useGpu: false, log: silent })
t.teardown(() => backend.close())

const tool = (name: string, parameters?: Record<string, unknown>): Tool => ({ type: 'function', function: { name, ...(parameters && { parameters }) } })
const WEATHER = tool('get_weather', { type: 'object', properties: { city: { enum: ['Paris', 'Rome'] }, days: { type: 'integer' } }, required: ['city'] })
// Whatever the model would like to say, this leaves it little choice.
const SWITCH = tool('switch_light', { type: 'object', properties: { on: { type: 'boolean' }, room: { enum: ['hall', 'kitchen'] }, colour: { anyOf: [{ const: 'red' }, { type: 'null' }] } }, required: ['on', 'room'] })

const say = async (prompt: string, more: Partial<BackendRequest> = {}) =>
  await eventsFrom(backend.chat(ask(prompt, { max_tokens: 400, ...more }), never))

/** The calls in a reply, their pieces joined. */
function callsOf (events: BackendEvent[]): Array<{ name: string, arguments: string }> {
  const calls: Array<{ name: string, arguments: string }> = []
  for (const event of events) {
    if (event.type !== 'tool_call') continue
    const call = calls[event.index] ??= { name: event.name ?? '', arguments: '' }
    call.arguments += event.arguments
  }
  return calls
}

void t.test('a model calls a tool in the form of its own template, and words before the call are text', async t => {
  const events = await say('How is the weather?', { tools: [WEATHER] })
  t.equal(textOf(events), 'Let me look.')
  const [call, ...others] = callsOf(events)
  t.equal(others.length, 0)
  t.equal(call?.name, 'get_weather')
  t.ok(['Paris', 'Rome'].includes(JSON.parse(call?.arguments ?? '').city), call?.arguments ?? '')
  t.same(events.at(-1), { type: 'finish', reason: 'tool_calls' })
  const usage = events.at(-2)
  t.ok(usage?.type === 'usage' && usage.completion_tokens > 5)
})

void t.test('a model that was offered tools need not call one', async t => {
  const events = await say(ANSWERS[0][0], { tools: [WEATHER] })
  t.equal(textOf(events), ANSWERS[0][1])
  t.same(events.at(-1), { type: 'finish', reason: 'stop' })
})

void t.test('a call that is asked for comes, of the tool that was named, and fits its schema', async t => {
  for (const choice of ['required', { type: 'function', function: { name: 'switch_light' } }] as const) {
    const events = await say(ANSWERS[1][0], { tools: choice === 'required' ? [SWITCH] : [WEATHER, SWITCH], tool_choice: choice, parallel_tool_calls: false })
    t.equal(textOf(events), '')
    const [call, ...others] = callsOf(events)
    t.equal(others.length, 0)
    t.equal(call?.name, 'switch_light')
    const args = JSON.parse(call?.arguments ?? '')
    t.type(args.on, 'boolean')
    t.ok(['hall', 'kitchen'].includes(args.room))
    t.ok(['red', null, undefined].includes(args.colour), call?.arguments ?? '')
    t.same(events.at(-1), { type: 'finish', reason: 'tool_calls' })
  }
})

void t.test('with tool_choice none, the prompt contains no tools', async t => {
  const usage = async (more: Partial<BackendRequest>) => (await say(ANSWERS[0][0], more)).find(event => event.type === 'usage')
  t.same(await usage({ tools: [WEATHER], tool_choice: 'none' }), await usage({}))
})

void t.test('the prompt contains the results of calls next to the calls', async t => {
  const call = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } })
  t.strictSame(historyOf([
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'How is the weather?' },
    { role: 'assistant', content: 'Let me look.', tool_calls: [call('c1', 'get_weather', '{"city":"Paris"}'), call('c2', 'get_weather', 'no JSON')] },
    { role: 'tool', content: '{"degrees":15}', tool_call_id: 'c2' },
    { role: 'tool', content: '12 degrees', tool_call_id: 'c1' },
    { role: 'assistant', content: 'It is cold.' },
    { role: 'user', content: 'Thanks' }
  ]), [
    { type: 'system', text: 'Be brief' },
    { type: 'user', text: 'How is the weather?' },
    { type: 'model', response: [
      'Let me look.',
      { type: 'functionCall', name: 'get_weather', params: { city: 'Paris' }, result: '12 degrees', startsNewChunk: true },
      { type: 'functionCall', name: 'get_weather', params: 'no JSON', result: { degrees: 15 } },
      'It is cold.'
    ] },
    { type: 'user', text: 'Thanks' }
  ])
  const odd: Message[] = [{ role: 'assistant', content: '', tool_calls: [5, { id: 'c2' }] }, { role: 'tool', content: '12 degrees' }]
  t.equal(textOf(await say('', { messages: odd })), 'It is cold in Paris.', 'and calls of any other shape are text')
  const known: Message[] = [{ role: 'assistant', content: '', tool_calls: [call('c1', 'get_weather', '{}')] }, { role: 'tool', content: '12 degrees', tool_call_id: 'c1' }]
  t.same((await say('', { messages: known, tools: [WEATHER], max_tokens: 5 })).at(-1), { type: 'finish', reason: 'length' }, 'a conversation may end with them')
})

void t.test('a reply of JSON is JSON, and fits its schema, however the model would like to put it', async t => {
  const schema = {
    type: 'object',
    properties: {
      kind: { enum: ['a', 'b'] }, size: { type: 'integer' }, tags: { type: 'array', items: { const: 'x' }, minItems: 2, maxItems: 3 },
      next: { $ref: '#/$defs/end' }, note: { type: ['boolean', 'null'] }
    },
    required: ['kind', 'tags', 'next'],
    additionalProperties: false,
    $defs: { end: { anyOf: [{ const: 1.5 }, { type: 'object', properties: { next: { $ref: '#/$defs/end' } }, required: ['next'], additionalProperties: false }] } }
  }
  const events = await say(ANSWERS[0][0], { response_format: { type: 'json_schema', json_schema: { name: 'thing', schema } } })
  t.same(events.at(-1), { type: 'finish', reason: 'stop' }, textOf(events))
  const value = JSON.parse(textOf(events))
  t.ok(['a', 'b'].includes(value.kind))
  t.match(value.tags, ['x', 'x'])
  t.ok('next' in value)
  const any = await say(ANSWERS[0][0], { response_format: { type: 'json_object' }, max_tokens: 30 })
  t.match(textOf(any), /^\{/)
  t.equal(textOf(await say(ANSWERS[0][0], { response_format: { type: 'text' } })), ANSWERS[0][1])
})

void t.test('a setting that the engine does not support is refused, and the error names the field', async t => {
  const format = (schema: Record<string, unknown>) => ({ response_format: { type: 'json_schema' as const, json_schema: { schema } } })
  for (const [more, message] of [
    [format({ type: 'object', properties: { age: { type: 'integer', minimum: 3 } } }), /^response_format\.json_schema\.schema\.properties\.age\.minimum is not supported.*--backend-url/],
    [format({ type: 'string', pattern: '^a' }), /schema\.pattern is not supported/],
    [format({ type: 'sting' }), /schema\.type must be one of/],
    [format({ $ref: '#/$defs/none' }), /schema\.\$ref leads nowhere/],
    [format({ $ref: '#' }), /response_format cannot be made into a grammar/],
    [format({ type: 'array', minItems: 1e9 }), /schema\.minItems must be/],
    [{ response_format: { type: 'json_object' }, tools: [WEATHER] }, /response_format beside tools/],
    [{ tools: [tool('a "b"')] }, /tools\[0\]\.function\.name/]
  ] as Array<[Partial<BackendRequest>, RegExp]>) await t.rejects(say('Hi', more), { name: 'BackendRefused', message })
  t.equal(textOf(await say(ANSWERS[0][0])), ANSWERS[0][1], 'and the next call works')
})

void t.test('the schema of a tool may contain more than a grammar can express', async t => {
  const odd = tool('odd', { properties: { n: { type: 'integer', minimum: 3, maximum: 9 }, s: { $ref: 'http://elsewhere' }, k: { not: {} }, d: { allOf: [{ const: 1 }] } }, required: ['d'], additionalProperties: false })
  const [call] = callsOf(await say(ANSWERS[0][0], { tools: [odd, tool('bare')], tool_choice: { type: 'function', function: { name: 'odd' } }, parallel_tool_calls: false }))
  t.match(call?.arguments, /^\{\s*"d":\s*1\b/)
  t.same(callsOf(await say(ANSWERS[0][0], { tools: [tool('bare')], tool_choice: 'required', parallel_tool_calls: false })).map(({ name, arguments: args }) => [name, args.replace(/\s/g, '')]), [['bare', '{}']])
})

void t.test('a call that is cut by max_tokens, or left by its reader, costs nothing but itself', async t => {
  const events = await say('How is the weather?', { tools: [WEATHER], max_tokens: 12 })
  t.same(events.at(-1), { type: 'finish', reason: 'length' })
  const abort = new AbortController()
  const reason = new Error('enough')
  await t.rejects(async () => {
    for await (const { type } of backend.chat(ask('How is the weather?', { tools: [WEATHER] }), abort.signal)) if (type === 'tool_call') abort.abort(reason)
  }, reason)
  t.equal(textOf(await say(ANSWERS[0][0])), ANSWERS[0][1])
})

import t, { type Test } from 'tap'
import type { BackendEvent, BackendRequest } from '../../../agents/types.js'
import { HttpBackend } from '../../../plugins/backend/http-backend.js'
import { type Call, callTools, say, startBackend } from '../../support/backend.js'
import { startDialect } from '../../support/dialects.js'
import { silent } from '../../support/log.js'
import { CLOCK, WEATHER } from '../../support/relay.js'
import { ask, eventsFrom, never, textOf } from './contract.js'

const TOOLS = { tools: [WEATHER, CLOCK] }

/** What a backend makes of an answer of its server, with what the server was asked. */
async function read (t: Test, answer: (call: Call) => unknown, more: Partial<BackendRequest> = TOOLS): Promise<{ events: BackendEvent[], asked: Call['body'][] }> {
  const { url, calls } = await startBackend(t, answer)
  const events = await eventsFrom(new HttpBackend({ url, log: silent }).chat(ask('Hi', more), never))
  return { events, asked: calls.map(({ body }) => body) }
}

/** The calls of a reply, put together as a client does. */
function callsOf (events: BackendEvent[]): Array<{ id: string | undefined, name: string | undefined, arguments: string }> {
  const calls: Array<{ id: string | undefined, name: string | undefined, arguments: string }> = []
  for (const event of events) {
    if (event.type !== 'tool_call') continue
    const call = calls[event.index]
    if (call) call.arguments += event.arguments
    else calls[event.index] = { id: event.id, name: event.name, arguments: event.arguments }
  }
  return calls
}

/** A server that streams these deltas. */
const streaming = (deltas: object[], finish = 'tool_calls') => ({ chunk, raw, response }: Call) => {
  for (const delta of deltas) chunk(delta)
  chunk({}, finish)
  raw('data: [DONE]\n\n')
  response.end()
}

const PARIS = { id: 'c1', name: 'get_weather', arguments: '{"city":"Paris"}' }
const ROME = { id: 'c2', name: 'get_weather', arguments: '{"city":"Rome"}' }

void t.test('calls come in the pieces that a server sends, with its ids, and end the reply', async t => {
  const { events } = await read(t, callTools([PARIS, ROME], { text: 'Let me see.' }))
  t.equal(textOf(events), 'Let me see.')
  t.strictSame(callsOf(events), [PARIS, ROME])
  t.ok(events.filter(({ type }) => type === 'tool_call').length > 6)
  t.same(events.slice(-2), [{ type: 'usage', prompt_tokens: 10, completion_tokens: 5 }, { type: 'finish', reason: 'tool_calls' }])
})

const piece = ({ id, name, arguments: args }: typeof PARIS, more: object = {}) => ({ id, type: 'function', function: { name, arguments: args }, ...more })
const unnumbered = [PARIS, ROME].map(({ name, arguments: args }) => ({ name, arguments: args }))

const KINDS: Record<string, [deltas: object[], calls: object[]]> = {
  'several calls, all numbered 0, as Ollama has them': [[{ tool_calls: [piece(PARIS, { index: 0 })] }, { tool_calls: [piece(ROME, { index: 0 })] }], [PARIS, ROME]],
  'no index at all': [[{ tool_calls: [piece(PARIS), piece(ROME)] }], [PARIS, ROME]],
  'no index, and pieces': [[{ tool_calls: [piece({ ...PARIS, arguments: '{"city":' })] }, { tool_calls: [{ function: { arguments: '"Paris"}' } }] }, { tool_calls: [piece(ROME)] }], [PARIS, ROME]],
  'neither index nor id': [[{ tool_calls: [PARIS, ROME].map(({ name, arguments: args }) => ({ function: { name, arguments: args } })) }], unnumbered],
  'the name in each piece': [[{ tool_calls: [piece({ ...PARIS, arguments: '{"city":' }, { index: 0 })] }, { tool_calls: [piece({ ...PARIS, arguments: '"Paris"}' }, { index: 0 })] }], [PARIS]],
  'the name in each piece, and no id': [[{ tool_calls: [{ index: 0, function: { name: 'get_time', arguments: '{' } }] }, { tool_calls: [{ index: 0, function: { name: 'get_time', arguments: '}' } }] }], [{ name: 'get_time', arguments: '{}' }]],
  'a new id with each piece': [[{ tool_calls: [piece({ ...PARIS, arguments: '{"city":' }, { index: 0 })] }, { tool_calls: [{ index: 0, id: 'x', function: { name: null, arguments: '"Paris"}' } }] }], [PARIS]],
  'the name after the arguments': [[{ tool_calls: [{ index: 0, id: 'c1', function: { arguments: '{"city":' } }] }, { tool_calls: [{ index: 0, function: { name: 'get_weather', arguments: '"Paris"}' } }] }], [PARIS]],
  'arguments that are no text': [[{ tool_calls: [{ index: 0, id: 'c1', function: { name: 'get_weather', arguments: { city: 'Paris' } } }] }], [PARIS]],
  'pieces of two calls in turn': [[{ tool_calls: [piece({ ...PARIS, arguments: '{"city":' }, { index: 0 })] }, { tool_calls: [piece({ ...ROME, arguments: '{"city":' }, { index: 1 })] }, { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }, { index: 1, function: { arguments: '"Rome"}' } }] }], [PARIS, ROME]],
  'an empty id, odd entries and other deltas': [[{ content: '', tool_calls: null }, { tool_calls: [5, null, piece({ ...PARIS, id: '' }, { index: 0 })] }, { tool_calls: [] }], [{ ...PARIS, id: undefined }]]
}
for (const [what, [deltas, calls]] of Object.entries(KINDS)) {
  void t.test(`what servers send is brought into one form: ${what}`, async t => {
    const { events } = await read(t, streaming(deltas, 'stop'))
    t.match(callsOf(events), calls)
    t.equal(callsOf(events).length, calls.length)
    t.same(events.at(-1), { type: 'finish', reason: 'tool_calls' }, 'also where the server says stop')
    const usage = events.at(-2)
    t.ok(usage?.type === 'usage' && usage.completion_tokens >= 3, 'calls are counted where the server does not')
  })
}

void t.test('a whole message is read, streamed or not', async t => {
  const message = { role: 'assistant', content: null, tool_calls: [piece(PARIS), { function: { name: 'get_time', arguments: '{}' } }, { function: { name: 'get_time', arguments: '{}' } }] }
  const calls = [PARIS, { name: 'get_time', arguments: '{}' }, { name: 'get_time', arguments: '{}' }]
  const { events } = await read(t, ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] }))
  })
  t.match(callsOf(events), calls)
  t.equal(callsOf(events).length, 3)
  const streamed = await read(t, ({ raw, response }) => {
    raw(`data: ${JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`)
    response.end()
  })
  t.match(callsOf(streamed.events), calls)
})

void t.test('a call of nothing is an error, and a reply that says it called and did not is a plain one', async t => {
  await t.rejects(read(t, streaming([{ tool_calls: [{ index: 0, id: 'c1', function: { arguments: '{}' } }] }])), { name: 'BackendGarbled', message: /called a tool and did not say which/ })
  t.same((await read(t, streaming([{ content: 'hi' }]))).events.at(-1), { type: 'finish', reason: 'stop' })
  t.same((await read(t, streaming([{ tool_calls: [piece(PARIS)] }], 'length'))).events.at(-1), { type: 'finish', reason: 'length' })
})

void t.test('all settings go to the server as they came, and so do the calls of earlier turns', async t => {
  const settings: Partial<BackendRequest> = {
    ...TOOLS, tool_choice: 'required', parallel_tool_calls: false, response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
    reasoning_effort: 'xhigh', stop: ['a'], seed: 7
  }
  const messages: BackendRequest['messages'] = [{ role: 'assistant', content: '', tool_calls: [piece(PARIS)] }, { role: 'tool', content: '12 degrees', tool_call_id: 'c1' }]
  const { asked: [body] } = await read(t, say('x'), { ...settings, messages })
  t.match(body, settings)
  t.strictSame(body.messages, messages, 'content is a string: LM Studio and older llama.cpp refuse null, and all take ""')
})

void t.test('a server that refuses the effort is asked once more without it, and for no other reason', async t => {
  const refusing = (status: number, body: string) => (call: Call) => 'reasoning_effort' in call.body ? call.response.writeHead(status).end(body) : say('x')(call)
  for (const [status, body] of [
    [400, '{"error":{"message":"\\"llama3.2\\" does not support thinking","type":"api_error"}}'],
    [500, '{"error":{"message":"invalid think value: \\"none\\" (must be \\"high\\", \\"medium\\", \\"low\\")"}}'],
    [400, '{"error":{"message":"invalid reasoning value: \'xhigh\'"}}'],
    [422, '{"detail":"body.reasoning_effort: extra inputs are not permitted"}']
  ] as const) {
    const { events, asked } = await read(t, refusing(status, body), { reasoning_effort: 'xhigh', seed: 3 })
    t.equal(textOf(events), 'x')
    t.match(asked.map(({ reasoning_effort: effort, seed }) => [effort, seed]), [['xhigh', 3], [undefined, 3]])
  }
  for (const [status, body, more] of [[400, 'no such model', { reasoning_effort: 'low' }], [400, 'does not support thinking', {}], [401, 'no key for reasoning', { reasoning_effort: 'low' }]] as const) {
    const { url, calls } = await startBackend(t, ({ response }) => response.writeHead(status).end(body))
    await t.rejects(eventsFrom(new HttpBackend({ url, log: silent }).chat(ask('Hi', more), never)), { name: 'BackendRefused' })
    t.equal(calls.length, 1)
  }
  const stubborn = await startBackend(t, ({ response }) => response.writeHead(400).end('I do not like thinking'))
  await t.rejects(eventsFrom(new HttpBackend({ url: stubborn.url, log: silent }).chat(ask('Hi', { reasoning_effort: 'low' }), never)), /answered 400: I do not like thinking/)
  t.equal(stubborn.calls.length, 2)
})

void t.test('a server that refuses tools or a format is quoted, with what can be done', async t => {
  for (const [body, message] of [
    ['{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools"}}', /answered 400: registry\.ollama\.ai\/library\/gemma3:4b does not support tools; use a model that can call tools/],
    ['{"error":{"code":400,"message":"tools param requires --jinja flag"}}', /requires --jinja flag; use a model that can call tools and a server that is started for them \(llama-server needs --jinja\), or ask without tools/],
    ['{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}', /--tool-call-parser to be set; use a model/],
    ['{"error":"\'response_format.type\' must be \'json_schema\' or \'text\'"}', /must be 'json_schema' or 'text'; ask for a simpler response_format, or without one/]
  ] as const) await t.rejects(read(t, ({ response }) => response.writeHead(400).end(body)), { name: 'BackendRefused', message })
})

void t.test('long calls of earlier turns do not count as a conversation that was cut', async t => {
  // A template leaves out ids and types, and writes the arguments as they are: fewer tokens than the JSON of the message has.
  const content = JSON.stringify({ path: 'a.txt', text: 'one "two"\n'.repeat(900) })
  const calls = Array.from({ length: 4 }, (_, i) => ({ id: `call_${'0123456789abcdef'.repeat(2)}_${i}`, type: 'function', function: { name: 'write', arguments: content } }))
  const messages: BackendRequest['messages'] = [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: '', tool_calls: calls }]
  const { countTextTokens } = await import('../../../plugins/backend/tokens.js')
  const whole = await countTextTokens(JSON.stringify(messages))
  const written = await countTextTokens(Array(4).fill(content).join('\n'))
  t.comment(`${whole} tokens as JSON, ${written} as a template writes them`)
  const server = await startDialect(t, 'ollama', 65536, { answer: say('x', { usage: { prompt_tokens: written + 50, completion_tokens: 1 } }) })
  t.equal(textOf(await eventsFrom(new HttpBackend({ url: server.url, log: silent }).chat(ask('', { messages }), never))), 'x')
})

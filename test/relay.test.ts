import t, { type Test } from 'tap'
import { type Call, callTools, say, startBackend } from './support/backend.js'
import { refusal } from './support/envelope.js'
import { WEATHER, relayAgents } from './support/relay.js'
import { type Service, startService, until } from './support/service.js'
import { tinyModelFile } from './support/tiny-model.js'

// The whole way of a caller's tools: through an agent that hands them on to a model server, and back.

const PARIS = { id: 'c1', name: 'get_weather', arguments: '{"city":"Paris"}' }
const ROME = { id: 'c2', name: 'get_weather', arguments: '{"city":"Rome"}' }

const asking = (more: object = {}) => ({ model: 'relay', messages: [{ role: 'user' as const, content: 'How is the weather in Paris and Rome?' }], ...more })

async function relay (t: Test, answer: (call: Call) => unknown): Promise<Service & { calls: Call[] }> {
  const { url, calls } = await startBackend(t, answer)
  return { ...await startService(t, { agentsDirs: [relayAgents(t)], backendUrl: url }), calls }
}

/** Calls the tool twice at once, and answers with the results. */
function weather (call: Call): void {
  const results = call.body.messages.filter(({ role }: { role: string }) => role === 'tool').map(({ tool_call_id: id, content }: { tool_call_id: string, content: string }) => `${id}: ${content}`)
  if (results.length === 0) callTools([PARIS, ROME])(call)
  else say(results.join(', '))(call)
}

for (const stream of [false, true]) {
  void t.test(`the SDK runs the tools that a model calls, two at once, ${stream ? 'streamed' : 'not streamed'}`, async t => {
    const { client, calls } = await relay(t, weather)
    const cities: string[] = []
    const tools = [{
      type: 'function' as const,
      function: { ...WEATHER.function, parse: JSON.parse as (text: string) => { city: string }, function: ({ city }: { city: string }) => { cities.push(city); return `${cities.length} degrees` } }
    }]
    const runner = stream
      ? client.chat.completions.runTools({ ...asking(), tools, stream: true })
      : client.chat.completions.runTools({ ...asking(), tools })
    t.equal(await runner.finalContent(), 'c1: 1 degrees, c2: 2 degrees')
    t.strictSame(cities, ['Paris', 'Rome'])
    t.equal(calls.length, 2)
    t.match(calls[0]?.body.tools, [{ type: 'function', function: { name: 'get_weather', parameters: WEATHER.function.parameters } }])
    t.match(calls[1]?.body.messages.slice(1), [
      { role: 'assistant', content: '', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: PARIS.arguments } }, { id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c1', content: '1 degrees' }, { role: 'tool', tool_call_id: 'c2' }
    ])
  })
}

void t.test('the format of a reply is handed on, and what comes back is untouched', async t => {
  const reply = '{"city": "Paris",\n "degrees": 12}'
  const { client, calls } = await relay(t, say(reply))
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'weather', strict: true, schema: { type: 'object', properties: { city: { type: 'string' } } } } }
  const parsed = await client.chat.completions.parse(asking({ response_format, reasoning_effort: 'low', stop: 'END', seed: 5 }))
  t.equal(parsed.choices[0]?.message.content, reply)
  t.match(calls[0]?.body, { response_format, reasoning_effort: 'low', stop: ['END'], seed: 5 })
})

void t.test('a client that goes away in the middle of a call ends the call to the server', async t => {
  const { client, calls, app } = await relay(t, ({ chunk }: Call) => chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'get_weather', arguments: '{"ci' } }] }))
  const stream = await client.chat.completions.create({ ...asking({ tools: [WEATHER] }), stream: true })
  for await (const chunk of stream) if (chunk.choices[0]?.delta.tool_calls) break // which leaves the stream
  await until(() => calls[0]?.gone() === true && app.runs.load.runs === 0)
})

void t.test('a server that refuses tools, or calls one that does not exist, is an agent_error in plain words', async t => {
  const { post } = await relay(t, ({ response }: Call) => response.writeHead(400).end('{"error":{"message":"gemma3:4b does not support tools"}}'))
  for (const stream of [false, true]) {
    const { message } = await refusal(t, await post(asking({ tools: [WEATHER], stream })), 500, 'agent_error', 'internal_error')
    t.match(message, /^Agent processing failed: .*gemma3:4b does not support tools; use a model that can call tools/)
  }
  const mad = await relay(t, callTools([{ id: 'c1', name: 'get_wether', arguments: '{}' }]))
  t.match((await refusal(t, await mad.post(asking({ tools: [WEATHER] })), 500, 'agent_error', 'internal_error')).message, /the tool "get_wether" was called, and the caller offered only "get_weather"/)
})

void t.test('a server that breaks off in the middle of a call is an error, never a short call', async t => {
  const { client } = await relay(t, ({ chunk, response }: Call) => { chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'get_weather', arguments: '{"ci' } }] }); response.end() })
  await t.rejects(client.chat.completions.stream(asking({ tools: [WEATHER] })).finalChatCompletion(), /ended its reply before it was complete/)
})

void t.test('the engine of the service calls tools and writes JSON for the SDK', async t => {
  const engine = { model: tinyModelFile(), threads: 1, useGpu: false }
  const { client, post } = await startService(t, { agentsDirs: [relayAgents(t)], engine })
  const light = { type: 'function' as const, function: { name: 'switch_light', parameters: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'], additionalProperties: false } } }
  const forced = asking({ tools: [light], tool_choice: 'required', parallel_tool_calls: false, max_tokens: 200 })
  const called = await client.chat.completions.create(forced)
  t.equal(called.choices[0]?.finish_reason, 'tool_calls')
  t.match(called.choices[0]?.message.tool_calls, [{ id: /^call_/, type: 'function', function: { name: 'switch_light', arguments: /^\{\s*"on":\s*(true|false)\s*\}$/ } }])
  const streamed = await client.chat.completions.stream(forced).finalChatCompletion()
  t.match(streamed.choices[0]?.message.tool_calls, [{ function: { name: 'switch_light', arguments: /"on"/ } }])
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'], additionalProperties: false }
  const json = await client.chat.completions.create(asking({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } }, max_tokens: 200 }))
  t.match(JSON.parse(json.choices[0]?.message.content ?? ''), { ok: Boolean })
  const unfit = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'string', pattern: 'a' } } }
  t.match((await refusal(t, await post(asking({ response_format: unfit })), 500, 'agent_error', 'internal_error')).message, /response_format\.json_schema\.schema\.pattern is not supported by the engine/)
})

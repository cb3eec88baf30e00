import t, { type Test } from 'tap'
import { refusal } from '../../../support/envelope.js'
import { CLOCK, WEATHER, relayAgents } from '../../../support/relay.js'
import { AGENTS, script, startService } from '../../../support/service.js'

// Settings that only some agents accept.

const { post } = await startService(t, { agentsDirs: [AGENTS, relayAgents(t)] })

const SEEN = [{ seen: true }]

/** What an agent was given of a request's settings. */
async function given (t: Test, more: object): Promise<object> {
  const response = await post(script(SEEN, { model: 'tooled', ...more }))
  const text = await response.text()
  t.equal(response.status, 200, text)
  t.notOk(response.headers.has('x-ignored-parameters'))
  const seen = JSON.parse(JSON.parse(text).choices[0].message.content) as object
  return Object.fromEntries(Object.entries(seen).filter(([name]) => !['messages', 'temperature', 'top_p'].includes(name)))
}

async function refused (t: Test, more: object, message: string): Promise<void> {
  for (const stream of [false, true]) t.equal((await refusal(t, await post(script(SEEN, { model: 'tooled', stream, ...more })), 400, 'invalid_request')).message, message)
}

const FORMAT = { type: 'json_schema', json_schema: { name: 'thing', strict: true, schema: { type: 'object' } } }

void t.test('an agent that accepts them is given all settings as they came', async t => {
  const all = {
    tools: [WEATHER, { ...CLOCK, function: { ...CLOCK.function, strict: true } }], tool_choice: { type: 'function', function: { name: 'get_time' } }, parallel_tool_calls: false,
    response_format: FORMAT, reasoning_effort: 'low', stop: ['a', 'b'], seed: -7
  }
  t.strictSame(await given(t, all), all)
  t.strictSame(await given(t, { reasoning_effort: 'max' }), { reasoning_effort: 'xhigh' }, 'a word of some clients for the same')
  for (const effort of ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']) t.strictSame(await given(t, { reasoning_effort: effort }), { reasoning_effort: effort })
  for (const choice of ['none', 'auto', 'required']) t.match(await given(t, { tools: [CLOCK], tool_choice: choice }), { tool_choice: choice })
  for (const type of ['text', 'json_object']) t.strictSame(await given(t, { response_format: { type } }), { response_format: { type } })
})

void t.test('what says nothing is left out', async t => {
  const nulls = {
    tools: null,
    tool_choice: null,
    parallel_tool_calls: null,
    response_format: null,
    reasoning_effort: null,
    stop: null,
    seed: null
  }
  t.strictSame(await given(t, nulls), {})
  t.strictSame(await given(t, { tools: [], tool_choice: 'auto', parallel_tool_calls: true, stop: [] }), {}, 'several clients send an empty array')
  t.strictSame(await given(t, { stop: ['', 'x'] }), { stop: ['x'] })
  t.strictSame(await given(t, { stop: 'x' }), { stop: ['x'] })
  t.strictSame(await given(t, { tools: [{ function: { name: 'f', description: null, parameters: null } }] }), { tools: [{ type: 'function', function: { name: 'f' } }] })
})

void t.test('what cannot be used is a 400 that names the field', async t => {
  const nested = JSON.parse('{"a":'.repeat(100) + '1' + '}'.repeat(100))
  for (const [more, message] of [
    [{ tools: 'none' }, 'tools must be an array'],
    [{ tools: [5] }, 'tools[0] must be an object'],
    [{ tools: [CLOCK, { type: 'custom', custom: {} }] }, 'tools[1].type must be "function"; no other kind of tool is served'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function must be an object'],
    [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name must be a string that is not empty'],
    [{ tools: [{ type: 'function', function: { name: 'f', description: 5 } }] }, 'tools[0].function.description must be a string'],
    [{ tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] }, 'tools[0].function.parameters must be a JSON schema: an object'],
    [{ tools: [{ type: 'function', function: { name: 'f', parameters: nested } }] }, 'tools[0] is nested too deeply'],
    [{ tools: [CLOCK], tool_choice: 'any' }, 'tool_choice must be "none", "auto", "required", or {"type": "function", "function": {"name": ...}}'],
    [{ tools: [CLOCK], tool_choice: { type: 'function', function: { name: 'other' } } }, 'tool_choice names "other", which is none of the tools'],
    [{ tool_choice: 'required' }, 'tool_choice asks for a call, but tools has no function, and nothing else is served'],
    [{ tools: [CLOCK], parallel_tool_calls: 'no' }, 'parallel_tool_calls must be a boolean'],
    [{ response_format: 'json' }, 'response_format must be an object'],
    [{ response_format: { type: 'xml' } }, 'response_format.type must be one of text, json_object, json_schema'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema must be an object'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'x' } } }, 'response_format.json_schema.schema must be a JSON schema: an object'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 5, schema: {} } } }, 'response_format.json_schema.name must be a string'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'x', schema: nested } } }, 'response_format.json_schema is nested too deeply'],
    [{ reasoning_effort: 'ultra' }, 'reasoning_effort must be one of none, minimal, low, medium, high, xhigh'],
    [{ reasoning_effort: 3 }, 'reasoning_effort must be one of none, minimal, low, medium, high, xhigh'],
    [{ stop: 5 }, 'stop must be a string or an array of strings'],
    [{ stop: ['a', null] }, 'stop must be a string or an array of strings'],
    [{ stop: Array.from({ length: 65 }, String) }, 'stop must not hold more than 64 texts'],
    [{ seed: 1.5 }, 'seed must be an integer'],
    [{ seed: '1' }, 'seed must be an integer'],
    [{ seed: 1e300 }, 'seed must be an integer']
  ] as Array<[object, string]>) await refused(t, more, message)
})

void t.test('an agent ignores what it does not accept, whatever it holds, and its name is told', async t => {
  const all = { tools: 'none', tool_choice: 5, parallel_tool_calls: [], response_format: 1, reasoning_effort: 'ultra', stop: {}, seed: 7 }
  for (const [model, ignored] of [['scripted', Object.keys(all)], ['seeded', Object.keys(all).filter(name => name !== 'seed')]] as const) {
    const response = await post(script(SEEN, { model, ...all }))
    const { choices: [{ message }] } = await response.json() as { choices: [{ message: { content: string } }] }
    t.strictSame(response.headers.get('x-ignored-parameters')?.split(', '), ignored)
    t.equal(JSON.parse(message.content).seed, model === 'seeded' ? 7 : undefined)
  }
})

void t.test('an unknown model is told before a setting that cannot be used', async t => {
  await refusal(t, await post(script(SEEN, { model: 'nobody', tools: 5 })), 404, 'model_not_found')
})

void t.test('tools count towards the size of the input', async t => {
  const tools = Array.from({ length: 400 }, (_, i) => ({ type: 'function', function: { name: `tool_${i}`, description: `does the thing number ${i} as it is told, and nothing else. `.repeat(10) } }))
  await refusal(t, await post({ model: 'relay', messages: [{ role: 'user', content: 'Hi' }], tools }), 400, 'context_length_exceeded')
})

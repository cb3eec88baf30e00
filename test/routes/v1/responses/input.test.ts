import t, { type Test } from 'tap'
import { refusal } from '../../../support/envelope.js'
import { ends } from '../../../support/ends.js'
import { CLOCK, WEATHER, relayAgents } from '../../../support/relay.js'
import { AGENTS, namedOf, played, startService } from '../../../support/service.js'
import { exchange, request } from '../../../support/socket.js'

// Which parts of a request an agent gets, and which requests are refused.

const { app, client, respond, url } = await startService(t, { agentsDirs: [AGENTS, relayAgents(t)] })

const LAST = { role: 'user', content: '[{"seen":true}]' }
const [weather, clock] = [WEATHER, CLOCK].map(({ function: made }) => ({ type: 'function', ...made }))

interface Seen { messages: unknown[], [name: string]: unknown }

/** The request that the agent got, and the parameters that were ignored. */
async function seen (t: Test, body: object): Promise<Seen & { ignored: string | null }> {
  const response = await respond({ model: 'tooled', input: [LAST], ...body })
  const text = await response.text()
  t.equal(response.status, 200, text)
  return { ...JSON.parse(JSON.parse(text).output[0].content[0].text) as Seen, ignored: response.headers.get('x-ignored-parameters') }
}

async function refused (t: Test, body: object, message: string | RegExp): Promise<void> {
  const before = ends.size
  for (const stream of [false, true]) {
    const problem = await refusal(t, await respond({ model: 'tooled', input: [LAST], stream, ...body }), 400, 'invalid_request')
    if (typeof message === 'string') t.equal(problem.message, message)
    else t.match(problem.message, message)
  }
  t.equal(ends.size, before, 'no run was started')
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
}

void t.test('a string is the message of the user, and the instructions are a system message before it', async t => {
  const { messages } = await seen(t, { instructions: 'Be brief.', input: LAST.content })
  t.strictSame(messages, [{ role: 'system', content: 'Be brief.' }, LAST])
})

void t.test('items become the messages of a conversation: roles, parts, calls and their results', async t => {
  const { messages, ignored } = await seen(t, {
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be ' }, { type: 'input_text', text: 'brief.' }] },
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'What is the weather?' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
      { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.', annotations: [] }] },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Paris"}', status: 'completed' },
      { type: 'item_reference', id: 'rs_2' },
      { type: 'function_call', call_id: 'c2', name: 'get_time', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
      { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: '12:' }, { type: 'input_text', text: '00' }] },
      { type: 'function_call', call_id: 'c3', name: 'get_time', arguments: '' },
      { role: 'assistant', content: 'One more.' },
      { type: 'function_call_output', call_id: 'c3', output: '' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { role: 'assistant', content: 'Yes.' },
      LAST
    ]
  })
  const call = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } })
  t.equal(ignored, null)
  t.strictSame(messages, [
    { role: 'system', content: 'Be brief.' },
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'What is the weather?' },
    { role: 'assistant', content: 'Let me see.', tool_calls: [call('c1', 'get_weather', '{"city":"Paris"}'), call('c2', 'get_time', '{}')] },
    { role: 'tool', content: 'sunny', tool_call_id: 'c1' },
    { role: 'tool', content: '12:00', tool_call_id: 'c2' },
    { role: 'assistant', content: 'One more.', tool_calls: [call('c3', 'get_time', '')] },
    { role: 'tool', content: '', tool_call_id: 'c3' },
    { role: 'assistant', content: 'No.' },
    { role: 'assistant', content: 'Yes.' },
    LAST
  ])
})

void t.test('an image, a file or a recording is replaced by a line that says so', async t => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }
  const { messages } = await seen(t, {
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, image, { type: 'input_file', file_id: 'f' }, { type: 'input_audio' }] },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: [image] },
      LAST
    ]
  })
  t.strictSame(messages[0], { role: 'user', content: 'What is this?\n[an image that cannot be read here]\n\n[a file that cannot be read here]\n\n[a recording that cannot be read here]\n' })
  t.match(messages[2], { role: 'tool', content: '\n[an image that cannot be read here]\n' })
  await refused(t, { input: [{ role: 'user', content: [image] }] }, /^input must hold a text: images/)
})

void t.test('an agent gets the sampling parameters and the settings that it accepts, in the form of its contract', async t => {
  const { messages, ignored, ...given } = await seen(t, {
    temperature: 0, top_p: 0.5, max_output_tokens: 99, tools: [{ ...weather, strict: true, defer_loading: false }, clock], tool_choice: { type: 'function', name: 'get_time' }, parallel_tool_calls: false,
    reasoning: { effort: 'low', summary: 'auto' }, text: { format: { type: 'json_schema', name: 'thing', strict: true, schema: { type: 'object' } } },
    store: false, stream_options: { include_obfuscation: false }, truncation: 'disabled', metadata: { a: 'b' }, user: 'me'
  })
  t.strictSame({ messages, ignored }, { messages: [LAST], ignored: null })
  t.strictSame(given, {
    temperature: 0, top_p: 0.5, tools: [{ ...WEATHER, function: { ...WEATHER.function, strict: true } }, CLOCK], tool_choice: { type: 'function', function: { name: 'get_time' } }, parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: { name: 'thing', strict: true, schema: { type: 'object' } } }, reasoning_effort: 'low', max_tokens: 99
  })
  for (const tool_choice of ['none', 'auto', 'required']) t.match(await seen(t, { tools: [clock], tool_choice }), { tool_choice })
  for (const type of ['text', 'json_object']) t.match(await seen(t, { text: { format: { type } } }), { response_format: { type } })
  const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_time' }] }
  t.match(await seen(t, { tools: [weather, clock], tool_choice: allowed }), { tools: [CLOCK], tool_choice: 'required' })
  t.match(await seen(t, { tools: [weather, clock], tool_choice: { ...allowed, mode: 'auto' } }), { tools: [CLOCK], tool_choice: 'auto' })
})

void t.test('null counts as absent', async t => {
  const fields = ['instructions', 'stream', 'temperature', 'top_p', 'max_output_tokens', 'metadata', 'user', 'tools', 'tool_choice', 'parallel_tool_calls', 'text', 'reasoning', 'stream_options', 'store', 'truncation', 'background', 'previous_response_id', 'conversation', 'prompt', 'include']
  const given = await seen(t, Object.fromEntries(fields.map(field => [field, null])))
  t.strictSame(given, { messages: [LAST], temperature: 0.7, top_p: 1, ignored: null })
  t.strictSame(await seen(t, { text: { format: null, verbosity: null }, reasoning: { effort: null, summary: null }, tools: [] }), given)
})

void t.test('tools of other types are left out and named with the other ignored parameters', async t => {
  const { tools, ignored } = await seen(t, {
    tools: [clock, { type: 'custom', name: 'apply_patch', format: { type: 'grammar' } }, { type: 'web_search' }, { type: 'mcp', server_label: 'x' }],
    include: ['reasoning.encrypted_content'], service_tier: 'auto', prompt_cache_key: 'x', anything: 1, store: true, truncation: 'auto',
    text: { verbosity: 'low' }, reasoning: { effort: 'low', context: 'auto' }
  })
  t.strictSame(tools, [CLOCK])
  t.equal(ignored, 'include, service_tier, prompt_cache_key, anything, tools.apply_patch, tools.web_search, tools.mcp, text.verbosity, reasoning.context, store, truncation')
  t.match(await seen(t, { tools: [{ type: 'web_search' }] }), { tools: undefined, ignored: 'tools.web_search' })
})

void t.test('the functions of a namespace get names made of the namespace and the name, and their calls have both fields', async t => {
  const spawn = { type: 'function', name: 'spawn', parameters: { type: 'object' }, strict: false }
  const tools = [{ type: 'namespace', name: 'mcp__own', description: 'x', tools: [clock, { type: 'custom', name: 'free' }] }, clock, { type: 'namespace', name: 'agents', tools: [spawn] }]
  const given = await seen(t, {
    tools,
    tool_choice: { type: 'function', name: 'spawn', namespace: 'agents' },
    input: [{ type: 'function_call', call_id: 'c', namespace: 'mcp__own', name: 'get_time', arguments: '{}' }, { type: 'function_call_output', call_id: 'c', output: '12:00' }, LAST]
  })
  t.strictSame(given.tools, [
    { type: 'function', function: { name: 'mcp__own__get_time' } }, CLOCK, { type: 'function', function: { name: 'agents__spawn', parameters: { type: 'object' }, strict: false } }
  ])
  t.match(given, { ignored: 'tools.mcp__own__free', tool_choice: { function: { name: 'agents__spawn' } }, messages: [{ tool_calls: [{ function: { name: 'mcp__own__get_time' } }] }] })

  const steps = [{ type: 'tool_call', index: 0, name: 'mcp__own__get_time', arguments: '{}' }, { type: 'tool_call', index: 1, name: 'get_time', arguments: '{}' }]
  for (const stream of [false, true]) {
    const text = await (await respond(played(steps, { model: 'tooled', tools, stream }))).text()
    const { output } = stream ? namedOf(text).at(-1).response : JSON.parse(text)
    t.match(output[0], { type: 'function_call', name: 'get_time', namespace: 'mcp__own', arguments: '{}' })
    t.match(output[1], { type: 'function_call', name: 'get_time', namespace: undefined })
  }
})

void t.test('a setting that the agent does not accept is ignored, whatever its value is', async t => {
  const response = await respond(played([{ seen: true }], { tools: 'none', tool_choice: 5, parallel_tool_calls: [], text: { format: 1 }, reasoning: { effort: 'ultra' } }))
  t.equal(response.status, 200)
  t.equal(response.headers.get('x-ignored-parameters'), 'tools, tool_choice, parallel_tool_calls, text.format, reasoning.effort')
  await response.text()
})

void t.test('fields that refer to an earlier request are refused by name', async t => {
  await refused(t, { previous_response_id: 'resp_1' }, 'previous_response_id is not taken: nothing is kept between two requests. Send the whole conversation in input.')
  for (const [field, value] of [['conversation', 'conv_1'], ['conversation', { id: 'conv_1' }], ['prompt', { id: 'p' }]] as const) await refused(t, { [field]: value }, new RegExp(`^${field} is not taken: nothing is kept`))
  await refused(t, { background: true }, /^background is not taken: .*stream/)
  t.match(await seen(t, { background: false }), { ignored: null })
  await refused(t, { input: [{ type: 'item_reference', id: 'msg_1' }, LAST] }, /^input\[0\] refers to an item of an earlier response, and none is kept here: .*store: false/)
  await t.rejects(client.responses.create({ model: 'tooled', input: 'x', previous_response_id: 'resp_1' }), { status: 400, code: 'invalid_request', message: /previous_response_id/ })
})

void t.test('an invalid request gets a 400 that names the field, and no run starts', async t => {
  const nested = JSON.parse('{"a":'.repeat(100) + '1' + '}'.repeat(100))
  const item = (more: object) => ({ input: [LAST, more] })
  const part = (more: unknown) => item({ role: 'user', content: [{ type: 'input_text', text: 'a' }, more] })
  const TYPES = 'only items of type message, function_call, function_call_output and reasoning are taken'
  const CHOICES = 'tool_choice must be "none", "auto", "required", {"type": "function", "name": ...}, or {"type": "allowed_tools", "mode", "tools"}'
  for (const [more, message] of [
    [{ input: undefined }, 'input is required'],
    [{ model: undefined }, 'model is required'],
    [{ model: 5 }, 'model must be a string'],
    [{ input: 5 }, 'input must be a string or an array'],
    [{ input: null }, 'input must be a string or an array'],
    [{ input: [] }, 'input must not be empty'],
    [{ input: ['hi'] }, 'input[0] must be an object'],
    [{ input: [{ type: 'reasoning', summary: [] }] }, 'input must hold more than reasoning'],
    [item({}), 'input[1].role is required'],
    [item({ role: 'bot', content: 'x' }), 'input[1].role must be one of user, assistant, system, developer'],
    [item({ role: 'tool', content: 'x' }), 'input[1].role must be one of user, assistant, system, developer'],
    [item({ role: 'user' }), 'input[1].content is required'],
    [item({ role: 'user', content: null }), 'input[1].content must be a string or an array'],
    [item({ type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: 'x' }), `input[1] has the type "custom_tool_call"; ${TYPES}`],
    [item({ type: 'constructor' }), `input[1] has the type "constructor"; ${TYPES}`],
    [item({ type: 5 }), 'input[1].type must be a string'],
    [item({ type: 'function_call', name: 'f', arguments: '{}' }), 'input[1].call_id is required'],
    [item({ type: 'function_call', call_id: 'c', arguments: '{}' }), 'input[1].name is required'],
    [item({ type: 'function_call', call_id: 'c', name: 'f' }), 'input[1].arguments is required'],
    [item({ type: 'function_call', call_id: 'c', name: 'f', arguments: {} }), 'input[1].arguments must be a string'],
    [item({ type: 'function_call_output', output: 'x' }), 'input[1].call_id is required'],
    [item({ type: 'function_call_output', call_id: 'c' }), 'input[1].output is required'],
    [item({ type: 'function_call_output', call_id: 'c', output: {} }), 'input[1].output must be a string or an array'],
    [part('x'), 'input[1].content[1] must be an object'],
    [part({ text: 'x' }), 'input[1].content[1].type is required'],
    [part({ type: 5 }), 'input[1].content[1].type must be a string'],
    [part({ type: 'video' }), 'input[1].content[1] has the type "video"; only parts of type input_text and output_text are read'],
    [part({ type: 'constructor' }), 'input[1].content[1] has the type "constructor"; only parts of type input_text and output_text are read'],
    [part({ type: 'input_text' }), 'input[1].content[1].text is required'],
    [part({ type: 'input_text', text: 5 }), 'input[1].content[1].text must be a string'],
    [{ instructions: ['x'] }, 'instructions must be a string'],
    [{ stream: 'true' }, 'stream must be a boolean'],
    [{ temperature: 3 }, 'temperature must be <= 2'],
    [{ top_p: -1 }, 'top_p must be >= 0'],
    [{ max_output_tokens: 0 }, 'max_output_tokens must be > 0'],
    [{ max_output_tokens: 1.5 }, 'max_output_tokens must be an integer'],
    [{ metadata: { a: 5 } }, 'metadata.a must be a string'],
    [{ metadata: [] }, 'metadata must be an object'],
    [{ user: 5 }, 'user must be a string'],
    [{ text: 'x' }, 'text must be an object'],
    [{ reasoning: 'low' }, 'reasoning must be an object'],
    [{ tools: 'none' }, 'tools must be an array'],
    [{ tools: [5] }, 'tools[0] must be an object'],
    [{ tools: [clock, {}] }, 'tools[1].type must be a string'],
    [{ tools: [{ type: 'web_search' }, { type: 'function' }] }, 'tools[1].name must be a string that is not empty'],
    [{ tools: [{ ...clock, description: 5 }] }, 'tools[0].description must be a string'],
    [{ tools: [{ ...clock, parameters: [] }] }, 'tools[0].parameters must be a JSON schema: an object'],
    [{ tools: [{ ...clock, parameters: nested }] }, 'tools[0] is nested too deeply'],
    [{ tools: [{ type: 'namespace', tools: [] }] }, 'tools[0].name must be a string that is not empty'],
    [{ tools: [{ type: 'namespace', name: 'n', tools: {} }] }, 'tools[0].tools must be an array'],
    [{ tools: [{ type: 'namespace', name: 'n', tools: [clock, { type: 'function' }] }] }, 'tools[0].tools[1].name must be a string that is not empty'],
    [{ tools: [clock], tool_choice: 'any' }, CHOICES],
    [{ tools: [clock], tool_choice: { type: 'web_search' } }, CHOICES],
    [{ tools: [clock], tool_choice: { type: 'function', name: 'other' } }, 'tool_choice names "other", which is none of the tools'],
    [{ tools: [clock], tool_choice: { type: 'allowed_tools', tools: [] } }, 'tool_choice.mode must be "auto" or "required"'],
    [{ tools: [clock], tool_choice: { type: 'allowed_tools', mode: 'auto' } }, 'tool_choice.tools must be an array'],
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'tool_choice asks for a call, but tools has no function, and nothing else is served'],
    [{ tools: [clock], parallel_tool_calls: 'no' }, 'parallel_tool_calls must be a boolean'],
    [{ text: { format: 'json' } }, 'text.format must be an object'],
    [{ text: { format: { type: 'yaml' } } }, 'text.format.type must be one of text, json_object, json_schema'],
    [{ text: { format: { type: 'json_schema', name: 'x' } } }, 'text.format.schema must be a JSON schema: an object'],
    [{ text: { format: { type: 'json_schema', name: 5, schema: {} } } }, 'text.format.name must be a string'],
    [{ text: { format: { type: 'json_schema', name: 'x', schema: nested } } }, 'text.format is nested too deeply'],
    [{ reasoning: { effort: 'ultra' } }, 'reasoning.effort must be one of none, minimal, low, medium, high, xhigh']
  ] as Array<[object, string]>) await refused(t, more, message)
})

void t.test('a request without a body gets the error that input is required', async t => {
  for (const headers of [[], ['Content-Type: application/json'], ['Content-Type: text/plain', 'Content-Length: 0']]) {
    t.equal((await refusal(t, await exchange(url, request('POST /v1/responses', headers)), 400, 'invalid_request')).message, 'input is required')
  }
  t.equal((await refusal(t, await respond('null'), 400, 'invalid_request')).message, 'input is required')
  t.match((await refusal(t, await respond('[]'), 400, 'invalid_request')).message, /object/)
})

void t.test('the schema is checked first, then the model, then the settings', async t => {
  t.equal((await refusal(t, await respond({ model: 'nobody', input: [5] }), 400, 'invalid_request')).message, 'input[0] must be an object')
  await refusal(t, await respond({ model: 'nobody', input: [{ type: 'video' }] }), 400, 'invalid_request')
  await refusal(t, await respond({ model: 'nobody', input: 'x', tools: 5 }), 404, 'model_not_found')
})

void t.test('an input that is too long for the agent is refused, and its tools count', async t => {
  const tools = Array.from({ length: 400 }, (_, i) => ({ type: 'function', name: `tool_${i}`, description: `does the thing number ${i} as it is told, and nothing else. `.repeat(10) }))
  await refusal(t, await respond({ model: 'relay', input: 'Hi', tools }), 400, 'context_length_exceeded')
})

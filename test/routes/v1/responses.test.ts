import t from 'tap'
import { refusal } from '../../support/envelope.js'
import { ends } from '../../support/ends.js'
import { CLOCK, WEATHER, relayAgents } from '../../support/relay.js'
import { AGENTS, played, script, startService, until } from '../../support/service.js'

const { app, client, post, respond, url } = await startService(t, { agentsDirs: [AGENTS, relayAgents(t)], aliases: { 'gpt-5': 'scripted' } })

const USAGE = { type: 'usage', prompt_tokens: 7, completion_tokens: 5, reasoning_tokens: 2 }

void t.test('a reply is a response object with all fields that the Responses API requires', async t => {
  const before = Math.floor(Date.now() / 1000)
  const response = await respond(played(['Hel', 'lo', USAGE], { metadata: { a: 'b' }, user: 'me', instructions: 'Be brief.' }))
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.equal(response.headers.get('access-control-allow-origin'), '*')
  t.ok(response.headers.get('x-request-id'))
  t.notOk(response.headers.has('x-ignored-parameters'))
  interface Reply { id: string, created_at: number, output: { id: string }[] }
  const { id, created_at: created, output: [message], ...rest } = await response.json() as Reply
  t.match(id, /^resp_[\da-f]{32}$/)
  t.ok(created >= before && created <= Date.now() / 1000)
  t.match(message?.id, /^msg_[\da-f]{36}$/)
  t.strictSame({ ...message, id: '' }, { id: '', type: 'message', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }] })
  t.strictSame(rest, {
    object: 'response', status: 'completed', background: false, error: null, incomplete_details: null, instructions: 'Be brief.', max_output_tokens: null, model: 'scripted',
    parallel_tool_calls: true, previous_response_id: null, reasoning: { effort: null, summary: null }, store: false, temperature: 0.7, text: { format: { type: 'text' } },
    tool_choice: 'auto', tools: [], top_p: 1, truncation: 'disabled', user: 'me', metadata: { a: 'b' },
    usage: {
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 12
    }
  })
})

void t.test('the official SDK gets the text, whether the input is a string or items', async t => {
  const reply = await client.responses.create({ model: 'gpt-5', input: JSON.stringify(['Hel', 'lo']) })
  t.equal(reply.output_text, 'Hello')
  t.equal(reply.model, 'gpt-5', 'the reply to an alias names the alias')
  const items = await client.responses.create({ model: 'scripted', input: [{ role: 'user', content: [{ type: 'input_text', text: '["Hel",' }, { type: 'input_text', text: '"lo"]' }] }] })
  t.equal(items.output_text, 'Hello')
})

void t.test('a response repeats the settings of its request as they were used', async t => {
  const tool = { type: 'function' as const, name: 'f', description: 'does it', parameters: { type: 'object' }, strict: true }
  const schema = { type: 'json_schema' as const, name: 'thing', schema: { type: 'object' }, strict: true }
  const asked = await client.responses.create({
    model: 'tooled', input: '["x"]', temperature: 0.1, top_p: 0.5, max_output_tokens: 50, tools: [tool, { type: 'web_search' }], tool_choice: { type: 'function', name: 'f' },
    parallel_tool_calls: false, reasoning: { effort: 'low', summary: 'auto' }, text: { format: schema }
  })
  t.match(asked, {
    temperature: 0.1, top_p: 0.5, max_output_tokens: 50, tool_choice: { type: 'function', name: 'f' }, parallel_tool_calls: false,
    reasoning: { effort: 'low', summary: 'auto' }, text: { format: schema }, store: false
  })
  t.strictSame(asked.tools, [tool], 'a tool that was left out is not among them')
  const ignored = await client.responses.create({ model: 'scripted', input: '["x"]', tools: [tool], reasoning: { effort: 'low' }, text: { format: schema } })
  t.match(ignored, { tools: [], reasoning: { effort: null }, text: { format: { type: 'text' } } }, 'this agent accepts none of the settings')
})

void t.test('if an agent reports no usage, its tokens are counted as in a chat completion', async t => {
  const { usage } = await client.responses.create(played(['Hel', 'lo']))
  const { usage: chat } = await client.chat.completions.create(script(['Hel', 'lo']))
  t.ok((usage?.output_tokens ?? 0) > 0)
  const figures = [usage?.input_tokens, usage?.output_tokens, usage?.total_tokens]
  t.strictSame(figures, [chat?.prompt_tokens, chat?.completion_tokens, chat?.total_tokens])
})

void t.test('a reply that was cut is incomplete and says why', async t => {
  const cut = await client.responses.create(played(['cut', { type: 'finish', reason: 'length' }], { max_output_tokens: 1 }))
  t.match(cut, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, error: null, output_text: 'cut', output: [{ status: 'incomplete' }] })
  t.ok(cut.usage)
})

void t.test('an agent that says nothing gives an empty message', async t => {
  const { output, status } = await client.responses.create(played([]))
  t.equal(status, 'completed')
  t.match(output, [{ type: 'message', content: [{ type: 'output_text', text: '' }] }])
})

void t.test('calls of the caller\'s tools are items after the text, and their tokens are counted', async t => {
  const call = (index: number, args: string, more: object = {}) => ({ type: 'tool_call', index, arguments: args, ...more })
  const steps = ['Let me see.', call(0, '{"ci', { id: 'c1', name: 'get_weather' }), call(1, '', { name: 'get_time' }), call(0, 'ty":"Paris"}'), call(1, '{}')]
  const tools = [{ ...WEATHER.function, type: 'function' as const, strict: null }, { ...CLOCK.function, type: 'function' as const, parameters: null, strict: null }]
  const { output, usage, output_text: text } = await client.responses.create(played(steps, { model: 'tooled', tools }))
  t.equal(text, 'Let me see.')
  t.match(output, [
    { type: 'message', status: 'completed' },
    { type: 'function_call', status: 'completed', id: /^fc_/, call_id: 'c1', name: 'get_weather', arguments: '{"city":"Paris"}' },
    { type: 'function_call', status: 'completed', id: /^fc_/, call_id: /^call_/, name: 'get_time', arguments: '{}' }
  ])
  const chat = await client.chat.completions.create(script(steps, { model: 'tooled', tools: [WEATHER, CLOCK] }))
  t.equal(usage?.output_tokens, chat.usage?.completion_tokens)
})

void t.test('errors are the same as those of chat completions, and the SDK throws its own errors for them', async t => {
  for (const stream of [false, true]) {
    t.match((await refusal(t, await respond(played(['x'], { model: 'gpt-9', stream })), 404, 'model_not_found')).message, /'gpt-9' was not found/)
    const failed = await respond(played([{ throw: 'no luck' }], { stream }))
    t.equal(failed.headers.get('x-should-retry'), 'false')
    t.equal((await refusal(t, failed, 500, 'agent_error', 'internal_error')).message, 'Agent processing failed: no luck')
    await refusal(t, await respond(played([{ tooLong: 'that is 40000 tokens' }], { stream })), 400, 'context_length_exceeded')
  }
  await t.rejects(client.responses.create(played(['x'], { model: 'gpt-9' })), { status: 404, code: 'model_not_found' })
  await t.rejects(client.responses.create(played([{ throw: 'no luck' }])), { status: 500, code: 'agent_error' })
  t.match((await refusal(t, await respond('{'), 400, 'invalid_request')).message, /not valid JSON/)
  await refusal(t, await respond(JSON.stringify(played(['x'])), { 'content-type': 'text/plain' }), 415, 'invalid_request')
  await refusal(t, await respond(played(['x']), { 'content-encoding': 'gzip' }), 415, 'invalid_request')
})

void t.test('a request is refused as overloaded if there is no slot and no place in the queue', async t => {
  const { app, respond } = await startService(t, { maxRuns: 1, maxQueue: 0 })
  const leaving = new AbortController()
  const first = respond(played([{ hang: true }]), {}, leaving.signal).catch(() => 'left')
  await until(() => app.runs.load.taken === 1)
  for (const stream of [true, false]) {
    const refused = await respond(played(['x'], { stream }))
    t.ok(refused.headers.get('retry-after'))
    await refusal(t, refused, 503, 'overloaded', 'internal_error')
  }
  leaving.abort()
  t.equal(await first, 'left')
  await until(() => app.runs.load.runs === 0)
  t.equal((await respond(played(['x']))).status, 200)
})

void t.test('a client that goes away ends its run', async t => {
  const known = new Set(ends.keys())
  const leaving = new AbortController()
  const asked = client.responses.create(played([{ hang: true }]), { signal: leaving.signal })
  await until(() => [...ends.keys()].some(id => !known.has(id)))
  const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
  t.equal(ends.get(id), 'running')
  leaving.abort()
  await t.rejects(asked, { name: 'Error' })
  await until(() => ends.get(id) === 'closed after abort', 1000)
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
})

void t.test('the same Idempotency-Key and body get the response of one run; the same body at another endpoint is a conflict', async t => {
  const key = { 'idempotency-key': 'twice' }
  const before = ends.size
  const body = { ...script(['once']), ...played(['once']) }
  const one = await (await respond(body, key)).json()
  t.strictSame(await (await respond(body, key)).json(), one)
  t.equal(ends.size, before + 1)
  await refusal(t, await post(body, key), 409, 'idempotency_conflict')
})

void t.test('a reply that takes long begins with white space, and a later failure is a failed response', { timeout: 30_000 }, async t => {
  const { respond, client } = await startService(t, { jsonKeepalive: 300 })
  t.equal((await client.responses.create(played([{ wait: 700 }, 'at last']))).output_text, 'at last')
  const failed = await respond(played(['half', { wait: 700 }, { throw: 'no luck' }]))
  t.equal(failed.status, 200)
  const text = await failed.text()
  t.match(text, /^ +\{/)
  t.match(JSON.parse(text), {
    object: 'response', status: 'failed', error: { code: 'server_error', message: 'Agent processing failed: no luck' }, usage: null,
    output: [{ type: 'message', status: 'incomplete', content: [{ text: 'half' }] }]
  })
})

void t.test('during the shutdown new requests are refused', async t => {
  const { app, respond } = await startService(t, { drain: 1000 })
  const first = respond(played([{ wait: 400 }, 'done']))
  await until(() => app.runs.load.runs === 1)
  const closed = app.close()
  await until(() => app.runs.closing)
  await refusal(t, await respond(played(['x'])), 503, 'shutting_down', 'internal_error')
  t.match(await (await first).json(), { status: 'completed', output: [{ content: [{ text: 'done' }] }] })
  await closed
})

void t.test('other methods are refused, and a response cannot be fetched later', async t => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const response = await fetch(`${url}/v1/responses`, { method })
    t.equal(response.headers.get('allow'), 'POST, OPTIONS')
    await refusal(t, response, 405, 'method_not_allowed')
  }
  for (const [method, path] of [['GET', 'resp_1'], ['DELETE', 'resp_1'], ['POST', 'resp_1/cancel'], ['GET', 'resp_1/input_items']] as const) {
    t.match((await refusal(t, await fetch(`${url}/v1/responses/${path}`, { method }), 404, 'not_found')).message, /not kept/)
  }
  await t.rejects(client.responses.retrieve('resp_1'), { status: 404, code: 'not_found' })
})

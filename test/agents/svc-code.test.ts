import t from 'tap'
import { type ScriptedBackend, say, startBackend } from '../support/backend.js'
import { chunksOf, startService, until } from '../support/service.js'

const ask = (content: string, more: object = {}) => ({ model: 'svc-code', messages: [{ role: 'user' as const, content }], ...more })

void t.test('svc-code is listed as the specification describes it', async t => {
  const { client } = await startService(t)
  const model = await client.models.retrieve('svc-code') as unknown as Record<string, unknown>
  t.match(model, { id: 'svc-code', object: 'model', max_input_tokens: 32768, max_output_tokens: 8192, owned_by: 'svc' })
  t.match(model.description, /^autonomous Python\/TypeScript coding agent with planning, generation and testing$/i)
})

void t.test('it answers with one streamed call over the whole conversation, with the caller\'s parameters', async t => {
  const backend = await startBackend(t, say('def add(a, b): ...'), { '/v1/models': { data: [{ id: 'tiny' }, { id: 'other' }] } })
  const { client } = await startService(t, { backendUrl: backend.url })
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'Add ' }, { type: 'text' as const, text: 'two numbers' }] },
    { role: 'assistant' as const, content: null, tool_calls: [{ id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool' as const, content: 'result', tool_call_id: 'c1' }
  ]
  const reply = await client.chat.completions.create({ model: 'svc-code', messages, temperature: 0.1, top_p: 0.9, max_tokens: 77 })
  t.equal(reply.choices[0]?.message.content, 'def add(a, b): ...')
  t.strictSame(reply.usage, { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })
  t.equal(backend.calls.length, 1)
  const { body, headers } = backend.calls[0]!
  t.match(body, { model: 'tiny', stream: true, stream_options: { include_usage: true }, temperature: 0.1, top_p: 0.9, max_tokens: 77 })
  t.strictSame(body.messages, [
    messages[0], { role: 'user', content: 'Add two numbers' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] }, messages[3]
  ])
  t.equal(headers['x-svc-run'], reply.id)
  t.equal(headers['x-svc-step'], 'answer')
})

void t.test('max_tokens is never above 8192, and 8192 where the caller gives none', async t => {
  const backend = await startBackend(t, say('x'))
  const { client } = await startService(t, { backendUrl: backend.url })
  await client.chat.completions.create(ask('x', { max_tokens: 100_000 }))
  await client.chat.completions.create(ask('x'))
  t.strictSame(backend.calls.map(({ body }) => body.max_tokens), [8192, 8192])
})

void t.test('max_tokens leaves the prompt its room where the backend\'s context is known', async t => {
  const backend = await startBackend(t, say('x'), { '/v1/models': { data: [{ id: 'm', max_model_len: 32768 }] } })
  const { client } = await startService(t, { backendUrl: backend.url })
  await client.chat.completions.create(ask('word '.repeat(27_000)))
  const { max_tokens: given } = backend.calls[0]!.body
  t.ok(given > 1000 && given < 32768 - 27_000, String(given))
})

void t.test('a reply that the backend cut ends with length', async t => {
  const backend = await startBackend(t, say('cut', { finish: 'length' }))
  const { client } = await startService(t, { backendUrl: backend.url })
  t.equal((await client.chat.completions.create(ask('x', { max_tokens: 3 }))).choices[0]?.finish_reason, 'length')
})

void t.test('the backend\'s reasoning is sent as progress, and its tokens are counted separately', async t => {
  for (const field of ['reasoning_content', 'reasoning']) {
    const backend = await startBackend(t, async ({ chunk, raw, response }) => {
      chunk({ [field]: 'Let me think' })
      await new Promise(resolve => setTimeout(resolve, 1200))
      chunk({ [field]: ' more' })
      chunk({ content: 'Answer' })
      chunk({}, 'stop')
      raw('data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":20}}\n\ndata: [DONE]\n\n')
      response.end()
    })
    const { post } = await startService(t, { backendUrl: backend.url })
    const chunks = chunksOf(await (await post(ask('x', { stream: true, stream_options: { include_usage: true } }))).text())
    const deltas = chunks.map(chunk => chunk.choices[0]?.delta ?? {})
    t.equal(deltas.map(delta => delta.content ?? '').join(''), 'Answer')
    t.equal(deltas.map(delta => delta.reasoning_content ?? '').join(''), 'Let me think more')
    const { usage } = chunks.at(-1)
    t.equal(usage.completion_tokens, 20)
    t.ok(usage.completion_tokens_details.reasoning_tokens > 0 && usage.completion_tokens_details.reasoning_tokens < 20)
  }
})

void t.test('more than 32768 tokens of input are a 400 before the backend is asked', async t => {
  const backend = await startBackend(t, say('x'))
  const { post } = await startService(t, { backendUrl: backend.url })
  for (const stream of [true, false]) {
    const response = await post(ask('word '.repeat(33_000), { stream }))
    t.equal(response.status, 400)
    t.match(await response.json(), { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: /32768/ } })
  }
  t.equal(backend.calls.length, 0)
  t.equal((await post(ask('word '.repeat(32_000)))).status, 200)
})

void t.test('a backend with a smaller context makes every request fail, with 32768 and the remedy named', async t => {
  const backend = await startBackend(t, say('x'), {
    '/v1/models': { data: [{ id: 'm', owned_by: 'llamacpp' }] }, '/props': { default_generation_settings: { n_ctx: 8192 }, total_slots: 4 }
  })
  const { post, url } = await startService(t, { backendUrl: backend.url })
  for (const stream of [true, false]) {
    const response = await post(ask('x', { stream }))
    t.equal(response.status, 500)
    t.match(await response.json(), { error: { code: 'agent_error', message: /^Agent processing failed: .*8192.*32768.*-c 32768/ } })
  }
  const ready = await fetch(`${url}/health/ready`)
  t.equal(ready.status, 503)
  t.match(await ready.json(), { status: 'not_ready', backend: { kind: 'llama.cpp', model: 'm', context: 8192, problem: /8192/, remedy: /-c 32768/ } })
})

void t.test('front-ends\' own calls take no slot', async t => {
  const backend = await startBackend(t, call => call.body.messages.at(-1).content === 'block' ? undefined : say('Title')(call))
  const { app, client, post } = await startService(t, { backendUrl: backend.url, maxRuns: 4 })
  const leave = new AbortController()
  const blocked = Array.from({ length: 4 }, () => post(ask('block', { stream: true }), {}, leave.signal).then(response => response.text()).catch(() => 'left'))
  await until(() => app.runs.load.taken === 4)
  t.equal((await client.chat.completions.create(ask('### Task:\nGenerate a title'))).choices[0]?.message.content, 'Title')
  t.equal((await client.chat.completions.create(ask('Name this chat', { max_tokens: 24 }))).choices[0]?.message.content, 'Title')
  const waiting = post(ask('real work'), {}, leave.signal).catch(() => 'left')
  await until(() => app.runs.load.waiting === 1)
  leave.abort()
  await Promise.all([...blocked, waiting])
})

void t.test('five runs at once: the fifth waits for one of the four', async t => {
  const open: Array<() => void> = []
  const backend = await startBackend(t, call => { open.push(() => say('done')(call)) })
  const { app, post } = await startService(t, { backendUrl: backend.url })
  const replies = Array.from({ length: 5 }, () => post(ask('x')))
  await until(() => open.length === 4 && app.runs.load.waiting === 1)
  open.splice(0, 1)[0]?.()
  await until(() => open.length === 4)
  for (const finish of open) finish()
  t.ok((await Promise.all(replies)).every(({ status }) => status === 200))
})

void t.test('without a backend everything but the model is served, and the message says what to do', async t => {
  const { post, url } = await startService(t)
  const response = await post(ask('x'))
  t.equal(response.status, 500)
  t.match(await response.json(), { error: { code: 'agent_error', message: /^Agent processing failed: no language model is configured[^]*--backend-url/ } })
  t.equal((await fetch(`${url}/v1/models`)).status, 200)
  t.match(await (await fetch(`${url}/health/ready`)).json(), { status: 'not_ready', backend: { kind: 'none', url: null, remedy: /--backend-url/ } })
})

void t.test('a client that goes away ends the backend\'s work', async t => {
  let backend: ScriptedBackend | undefined
  for (const stream of [true, false]) {
    backend = await startBackend(t, ({ chunk }) => chunk({ content: 'a' }))
    const { post } = await startService(t, { backendUrl: backend.url })
    const leave = new AbortController()
    const reply = post(ask('x', { stream }), {}, leave.signal).then(response => response.text()).catch(() => 'left')
    await until(() => backend?.calls.length === 1)
    leave.abort()
    await until(() => backend?.calls[0]?.gone() === true)
    t.equal(await reply, 'left')
  }
})

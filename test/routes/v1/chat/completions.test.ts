import t from 'tap'
import { ends } from '../../../support/ends.js'
import { script, startService, until } from '../../../support/service.js'

void t.test('a reply is one JSON chat completion with exactly the fields of the specification', async t => {
  const { client } = await startService(t)
  const before = Math.floor(Date.now() / 1000)
  const { data, response } = await client.chat.completions.create(
    script(['Hel', 'lo', { type: 'usage', prompt_tokens: 7, completion_tokens: 2 }])
  ).withResponse()
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.match(data.id, /^chatcmpl-.{8,}/)
  t.ok(data.created >= before && data.created <= Date.now() / 1000)
  const { id, created, ...rest } = data
  t.ok(id && created)
  t.strictSame(rest, {
    object: 'chat.completion',
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 }
  })
})

void t.test('two replies have two ids', async t => {
  const { client } = await startService(t)
  const [one, two] = await Promise.all([client.chat.completions.create(script(['a'])), client.chat.completions.create(script(['a']))])
  t.not(one.id, two.id)
})

void t.test('an empty reply is an empty string', async t => {
  const { client } = await startService(t)
  const reply = await client.chat.completions.create(script([]))
  t.equal(reply.choices[0]?.message.content, '')
  t.equal(reply.choices[0]?.finish_reason, 'stop')
})

void t.test('finish_reason is length where the agent says that it was cut', async t => {
  const { client } = await startService(t)
  const reply = await client.chat.completions.create(script(['cut', { type: 'finish', reason: 'length' }]))
  t.equal(reply.choices[0]?.finish_reason, 'length')
})

void t.test('the usage is the sum of what the agent reports, hidden tokens told apart', async t => {
  const { client } = await startService(t)
  const reply = await client.chat.completions.create(script([
    { type: 'usage', prompt_tokens: 10, completion_tokens: 20, reasoning_tokens: 15 }, 'x', { type: 'usage', prompt_tokens: 1, completion_tokens: 2 }
  ]))
  const details = { reasoning_tokens: 15 }
  t.strictSame(reply.usage, { prompt_tokens: 11, completion_tokens: 22, total_tokens: 33, completion_tokens_details: details })
})

void t.test('whatever an agent reports, the usage is whole numbers, and no more is hidden than there is', async t => {
  const { post } = await startService(t)
  const reply = await (await post(script([{ type: 'usage', prompt_tokens: 1.4, completion_tokens: 5, reasoning_tokens: 50 }, { type: 'usage', prompt_tokens: 1, completion_tokens: 10 }, 'x']))).json()
  const details = { reasoning_tokens: 5 }
  t.match(reply, { usage: { prompt_tokens: 2, completion_tokens: 15, total_tokens: 17, completion_tokens_details: details } })
  for (const wrong of [{ prompt_tokens: 1e300 }, { completion_tokens: -1 }, { completion_tokens: null }, { reasoning_tokens: '5' }, { prompt_tokens: 1e12 }]) {
    const refused = await post(script([{ type: 'usage', prompt_tokens: 1, completion_tokens: 1, ...wrong }, 'x']))
    t.equal(refused.status, 500, JSON.stringify(wrong))
    t.match(await refused.json(), { error: { code: 'agent_error', message: /reported a usage that is not a number of tokens/ } })
  }
})

void t.test('an agent that reports no usage is counted, the same way in both modes', async t => {
  const { client } = await startService(t)
  const steps = ['The quick brown fox jumps over the lazy dog.']
  const whole = await client.chat.completions.create(script(steps))
  const usage = whole.usage
  t.ok(usage)
  t.ok(usage && usage.completion_tokens >= 8 && usage.completion_tokens <= 12, 'ten words or so')
  t.ok(usage && usage.prompt_tokens > 10)
  t.equal(usage?.total_tokens, (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0))
  const stream = await client.chat.completions.create({ ...script(steps), stream: true, stream_options: { include_usage: true } })
  let streamed: unknown
  for await (const chunk of stream) streamed = chunk.usage ?? streamed
  t.strictSame(streamed, usage)
})

void t.test('a JSON reply carries no progress', async t => {
  const { post } = await startService(t)
  const response = await post(script([{ type: 'progress', text: 'thinking' }, { wait: 1100 }, { type: 'progress', text: 'more' }, 'done']))
  const text = await response.text()
  t.notMatch(text, /reasoning_content|thinking|more/)
  t.equal(JSON.parse(text).choices[0].message.content, 'done')
})

void t.test('the agent is given the whole conversation, the sampling parameters and their defaults', async t => {
  const { client } = await startService(t)
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'One' },
    { role: 'assistant' as const, content: 'Two' },
    { role: 'user' as const, content: '[{"seen":true}]' }
  ]
  const seen = async (more: object) => {
    const reply = await client.chat.completions.create({ model: 'scripted', messages, ...more })
    return JSON.parse(reply.choices[0]?.message.content ?? '')
  }
  t.strictSame(await seen({}), { messages, temperature: 0.7, top_p: 1 })
  const both = await seen({ temperature: 0, top_p: 0.5, max_tokens: 100, max_completion_tokens: 50 })
  t.strictSame(both, { messages, temperature: 0, top_p: 0.5, max_tokens: 50 })
})

void t.test('a reply in the making says that it lives, and is JSON all the same', async t => {
  const { post } = await startService(t, { jsonKeepalive: 100, corsOrigin: ['http://a.example'] })
  const response = await post(script([{ wait: 400 }, 'at last']), { origin: 'http://a.example' })
  t.equal(response.status, 200)
  t.equal(response.headers.get('access-control-allow-origin'), 'http://a.example')
  t.ok(response.headers.get('x-request-id'))
  const text = await response.text()
  t.match(text, /^ +\{/)
  t.equal(JSON.parse(text).choices[0].message.content, 'at last')
})

void t.test('after the first white space of a reply in the making another one comes every 10 s', { timeout: 60_000 }, async t => {
  const { post } = await startService(t, { jsonKeepalive: 50 })
  const text = await (await post(script([{ wait: 12_000 }, 'at last']))).text()
  t.match(text, /^ {2}\{/)
})

void t.test('an agent that fails after the first white space leaves an error envelope in a 200', async t => {
  const { post } = await startService(t, { jsonKeepalive: 50 })
  const response = await post(script([{ wait: 200 }, { throw: 'no luck' }]))
  t.equal(response.status, 200)
  t.strictSame(JSON.parse(await response.text()), { error: { message: 'Agent processing failed: no luck', type: 'internal_error', code: 'agent_error' } })
})

void t.test('an alias is served, and answered under the name that was asked for', async t => {
  const { client } = await startService(t, { aliases: { 'gpt-4o': 'scripted' } })
  const reply = await client.chat.completions.create({ ...script(['hi']), model: 'gpt-4o' })
  t.equal(reply.model, 'gpt-4o')
  t.equal(reply.choices[0]?.message.content, 'hi')
  const listed = await client.models.list()
  t.notOk(listed.data.some(({ id }) => id === 'gpt-4o'), 'it is not listed')
})

void t.test('a request that comes from a run of this very service is refused', async t => {
  const { post } = await startService(t)
  const known = new Set(ends.keys())
  const running = new AbortController()
  const first = post(script([{ hang: true }], { stream: true }), {}, running.signal)
    .then(response => response.text())
    .catch(() => undefined)
  await until(() => [...ends.keys()].some(id => !known.has(id)))
  const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
  const looped = await post(script(['x']), { 'x-svc-run': id })
  t.equal(looped.status, 400)
  t.match(await looped.text(), /--backend-url leads back/)
  running.abort()
  await first
})

void t.test('more input than an agent says it takes is refused before the agent is asked', async t => {
  const { post } = await startService(t)
  const before = ends.size
  for (const stream of [true, false]) {
    const response = await post({ ...script([]), messages: [{ role: 'user', content: 'word '.repeat(1_050_000) }], stream })
    t.equal(response.status, 400)
    t.match(await response.json(), { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: /1000000 tokens/ } })
  }
  t.equal(ends.size, before)
})

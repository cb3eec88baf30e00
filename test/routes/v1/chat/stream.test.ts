import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { openGate } from '../../../support/ends.js'
import { chunksOf, eventsOf, script, startService } from '../../../support/service.js'

const streamed = (steps: unknown[], more: object = {}) => script(steps, { stream: true, ...more })

void t.test('a stream is role, fragments, finish and [DONE], each event to the letter', async t => {
  const { post } = await startService(t)
  const response = await post(streamed(['Hel', 'lo', { type: 'usage', prompt_tokens: 1, completion_tokens: 1 }]))
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^text\/event-stream/)
  t.equal(response.headers.get('cache-control'), 'no-cache')
  t.equal(response.headers.get('x-accel-buffering'), 'no')
  t.equal(response.headers.get('access-control-allow-origin'), '*')
  t.ok(response.headers.get('x-request-id'))

  const body = await response.text()
  const events = eventsOf(body)
  t.ok(body.endsWith('data: [DONE]\n\n'))
  t.ok(events.every(event => event.startsWith('data: ') && !event.includes('\n')), 'one data line each: no event, id or retry line')
  const [first] = chunksOf(body)
  const { id, created } = first
  t.match(id, /^chatcmpl-.{8,}/)
  const chunk = (delta: object, finish: string | null = null) => ({ id, object: 'chat.completion.chunk', created, model: 'scripted', choices: [{ index: 0, delta, finish_reason: finish }] })
  t.strictSame(chunksOf(body), [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hel' }), chunk({ content: 'lo' }), chunk({}, 'stop')])
})

void t.test('the official SDK reads three streams in a row', async t => {
  const { client } = await startService(t)
  for (const text of ['one', 'two', 'three']) {
    const stream = await client.chat.completions.create({ ...script([...text]), stream: true })
    let reply = ''
    const ids = new Set<string>()
    for await (const chunk of stream) {
      ids.add(chunk.id)
      reply += chunk.choices[0]?.delta.content ?? ''
    }
    t.equal(reply, text)
    t.equal(ids.size, 1, 'one id throughout')
  }
})

void t.test('an agent that says nothing gives role, finish and [DONE]', async t => {
  const { post } = await startService(t)
  const body = await (await post(streamed([]))).text()
  t.strictSame(chunksOf(body).map(({ choices }) => choices[0]), [
    { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }, { index: 0, delta: {}, finish_reason: 'stop' }
  ])
})

void t.test('finish_reason is length where the agent says so', async t => {
  const { post } = await startService(t)
  t.equal(chunksOf(await (await post(streamed(['x', { type: 'finish', reason: 'length' }]))).text()).at(-1).choices[0].finish_reason, 'length')
})

void t.test('include_usage adds one chunk without choices before [DONE]', async t => {
  const { post } = await startService(t)
  const steps = ['x', { type: 'usage', prompt_tokens: 3, completion_tokens: 4, reasoning_tokens: 1 }]
  const body = await (await post(streamed(steps, { stream_options: { include_usage: true } }))).text()
  const [first, ...rest] = chunksOf(body)
  const { id, object, created, model } = first
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, completion_tokens_details: { reasoning_tokens: 1 } }
  t.strictSame(rest.at(-1), { id, object, created, model, choices: [], usage })
  t.equal(rest.filter(chunk => 'usage' in chunk).length, 1)
  for (const stream_options of [undefined, null, {}, { include_usage: false }, { include_usage: null }]) {
    t.notMatch(await (await post(streamed(steps, { stream_options }))).text(), /usage/)
  }
})

void t.test('characters survive: emoji cut in two by the agent, every script, and what must be escaped', async t => {
  const { client, post } = await startService(t)
  const text = 'Grüße 👩‍👩‍👧 漢字 עברית "quoted" \\ back\nline\r\ttab\u2028\u0000'
  const units = text.split('') // one UTF-16 unit each: every emoji is cut
  const stream = await client.chat.completions.create({ ...script(units), stream: true })
  let reply = ''
  for await (const chunk of stream) reply += chunk.choices[0]?.delta.content ?? ''
  t.equal(reply, text)
  const whole = await client.chat.completions.create(script(units))
  t.equal(whole.choices[0]?.message.content, text)
  t.notMatch(await (await post(streamed(units))).text(), /\\ud[89a-f]/i, 'no fragment ends inside a character')
})

void t.test('half a character that never gets its other half is replaced, alike in both modes', async t => {
  const { client, post } = await startService(t)
  for (const steps of [['a\ud83d'], ['a\ud83d', 'b'], ['a\ude00b']]) {
    const content = (await client.chat.completions.create(script(steps))).choices[0]?.message.content
    const chunks = chunksOf(await (await post(streamed(steps))).text())
    t.equal(chunks.map(chunk => chunk.choices[0].delta.content ?? '').join(''), content)
    t.ok(content?.isWellFormed() && content.includes('\ufffd'))
  }
})

void t.test('an agent that fails before its first fragment is answered with its status', async t => {
  const { post } = await startService(t)
  for (const stream of [true, false]) {
    const failed = await post(script([{ type: 'progress', text: 'trying' }, { throw: 'no luck' }], { stream }))
    t.equal(failed.status, 500)
    t.equal(failed.headers.get('x-should-retry'), 'false')
    t.strictSame(await failed.json(), { error: { message: 'Agent processing failed: no luck', type: 'internal_error', code: 'agent_error' } })
    const tooLong = await post(script([{ tooLong: 'that is 40000 tokens' }], { stream }))
    t.equal(tooLong.status, 400)
    t.strictSame(await tooLong.json(), { error: { message: 'The input exceeds the maximum context length: that is 40000 tokens', type: 'invalid_request_error', code: 'context_length_exceeded' } })
  }
})

void t.test('an unknown model is a 404, streamed or not', async t => {
  const { post } = await startService(t)
  for (const stream of [true, false]) {
    const response = await post({ ...script(['x'], { stream }), model: 'gpt-9' })
    t.equal(response.status, 404)
    t.match(await response.json(), { error: { type: 'invalid_request_error', code: 'model_not_found', message: /'gpt-9' was not found.*svc-code/ } })
  }
})

void t.test('a failure in the middle is an error event, then the end without [DONE]', async t => {
  const { post, client } = await startService(t)
  const steps = ['half', { throw: 'broke at /home/somebody/secret/file.txt' }]
  const body = await (await post(streamed(steps))).text()
  const events = eventsOf(body)
  t.equal(events.at(-1), 'data: {"error":{"message":"Agent processing failed: broke at file.txt","type":"internal_error","code":"agent_error"}}')
  t.notMatch(body, /\[DONE\]/)
  t.notOk(chunksOf(body).some(chunk => chunk.choices?.[0].finish_reason), 'no finish follows or precedes')
  await t.rejects(async () => {
    for await (const chunk of await client.chat.completions.create({ ...script(steps), stream: true })) t.ok(chunk.id)
  }, /no luck|broke/, 'the SDK throws')
})

void t.test('the reply starts though nothing was said yet, but not before an agent had its chance to fail', async t => {
  const { post } = await startService(t)
  const since = performance.now()
  const response = await post(streamed([{ gate: 'start' }, 'late']))
  t.ok(performance.now() - since > 150)
  openGate('start')
  const body = await response.text()
  t.equal(chunksOf(body)[0].choices[0].delta.role, 'assistant')
  t.equal(chunksOf(body)[1].choices[0].delta.content, 'late')
})

void t.test('an instant agent starts its reply at once', async t => {
  const { post } = await startService(t)
  let fastest = Infinity
  for (let i = 0; i < 20; i++) {
    const since = performance.now()
    const response = await post(streamed(['now', { wait: 500 }]))
    fastest = Math.min(fastest, performance.now() - since)
    await response.body?.cancel()
  }
  t.ok(fastest < 200, 'before a reply would start without a word of the agent')
})

void t.test('head and first event leave together', async t => {
  const { url, post } = await startService(t)
  await (await post(streamed(['warm up']))).text()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  const body = JSON.stringify(streamed(['now', { hang: true }]))
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  const [first] = await once(socket, 'data') as [Buffer]
  t.match(first.toString(), /^HTTP\/1\.1 200 [^]*\r\n\r\n[^]*"role":"assistant"/)
})

void t.test('progress of a quick answer is dropped', async t => {
  const { post } = await startService(t)
  t.notMatch(await (await post(streamed([{ type: 'progress', text: 'p' }, 'quick', { type: 'progress', text: 'q' }, { wait: 50 }, 'er']))).text(), /reasoning_content/)
})

void t.test('progress of a slow answer is held for a second, then sent at once, beside an empty content', async t => {
  const { post } = await startService(t)
  const since = performance.now()
  const response = await post(streamed([{ type: 'progress', text: 'plan\n' }, { wait: 50 }, { type: 'progress', text: 'write\n' }, { gate: 'progress' }, { type: 'progress', text: 'test\n' }, 'done']))
  let body = ''
  let firstProgress = 0
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    body += Buffer.from(part).toString()
    if (firstProgress || !body.includes('reasoning_content')) continue
    firstProgress = performance.now() - since
    openGate('progress')
  }
  t.ok(firstProgress >= 950, `after ${firstProgress} ms`)
  t.strictSame(chunksOf(body).map(({ choices }) => choices[0].delta), [
    { role: 'assistant', content: '' }, { content: '', reasoning_content: 'plan\nwrite\n' }, { content: '', reasoning_content: 'test\n' }, { content: 'done' }, {}
  ])
})

void t.test('--no-progress turns progress off', async t => {
  const { post } = await startService(t, { progress: false })
  t.notMatch(await (await post(streamed([{ type: 'progress', text: 'p' }, { wait: 1100 }, { type: 'progress', text: 'q' }, 'done']))).text(), /reasoning_content/)
})

void t.test('silence never lasts: a comment every 10 s, which the SDK skips', { timeout: 60_000 }, async t => {
  const { client, post } = await startService(t)
  const steps = ['a', { wait: 10_800 }, 'b']
  const [body, reply] = await Promise.all([
    post(streamed(steps)).then(response => response.text()),
    (async () => {
      let reply = ''
      for await (const chunk of await client.chat.completions.create({ ...script(steps), stream: true })) reply += chunk.choices[0]?.delta.content ?? ''
      return reply
    })()
  ])
  t.strictSame(eventsOf(body).filter(event => event.startsWith(':')), [': keep-alive'])
  t.equal(reply, 'ab')
})

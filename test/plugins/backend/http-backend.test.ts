import { createServer } from 'node:net'
import t from 'tap'
import { HttpBackend, type HttpBackendOptions } from '../../../plugins/backend/http-backend.js'
import { type Call, say, startBackend } from '../../support/backend.js'
import { silent } from '../../support/log.js'
import { ANSWERS, ENDLESS, startModel } from '../../support/model.js'
import { ask, eventsFrom, keepsTheContract, never, textOf } from './contract.js'

const request = ask('Hello there')
const backendAt = (url: string, more: Partial<HttpBackendOptions> = {}) => new HttpBackend({ url, log: silent, ...more })

keepsTheContract('an HTTP server', {
  open: async t => backendAt((await startModel(t)).url),
  broken: async () => backendAt('http://127.0.0.1:9'),
  answers: ANSWERS,
  endless: ENDLESS
})

void t.test('fragments come as they are sent, then the usage, then the finish', async t => {
  const { url } = await startBackend(t, say('Grüße 👋, world'))
  const events = await eventsFrom(backendAt(url).chat(request, never))
  t.equal(textOf(events), 'Grüße 👋, world')
  t.strictSame(events.slice(-2), [{ type: 'usage', prompt_tokens: 10, completion_tokens: 5 }, { type: 'finish', reason: 'stop' }])
})

void t.test('reasoning that a server leaves in the reply is separated, however it is cut; a tag within the reply is text', async t => {
  let script: { text: string, size?: number, finish?: string } = { text: '' }
  const { url } = await startBackend(t, ({ chunk, raw, response }: Call) => {
    const { text, size = 3, finish = 'stop' } = script
    for (const content of text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []) chunk({ content })
    chunk({}, finish)
    raw('data: [DONE]\n\n')
    response.end()
  })
  const backend = backendAt(url)
  const said = async (text: string, more: Omit<typeof script, 'text'> = {}) => {
    script = { text, ...more }
    const events = await eventsFrom(backend.chat(request, never))
    return { thought: events.map(event => event.type === 'reasoning' ? event.text : '').join(''), reply: textOf(events), usage: events.find(({ type }) => type === 'usage') }
  }
  for (const size of [1, 3, 100]) {
    t.match(await said('<think>\nSeven?\n</think>\n\nSeven.', { size }), { thought: 'Seven?\n', reply: 'Seven.', usage: { reasoning_tokens: Number } })
    t.match(await said('Put it in <think> and </think>.', { size }), { thought: '', reply: 'Put it in <think> and </think>.' })
  }
  const unopened = 'Seven?\n</think>\n\nSeven.'
  t.match(await said(unopened), { thought: '', reply: unopened }, 'where the template has opened it, the first reply cannot be known')
  t.match(await said(unopened), { thought: 'Seven?\n', reply: 'Seven.' }, 'and tells it of the next ones')
  t.match(await said('Seven or', { finish: 'length' }), { thought: 'Seven or', reply: '' }, 'also where they are cut')
  t.match(await said('Just seven.'), { reply: 'Just seven.' }, 'an answer without reasoning is never lost')
  t.match(await said('Just seven.'), { thought: '', reply: 'Just seven.' })
})

void t.test('the address is taken with or without /v1 and a trailing slash, and below a path', async t => {
  const { url } = await startBackend(t, say('x'))
  for (const address of [url, `${url}/`, url.replace('/v1', ''), url.replace('/v1', '/')]) {
    t.equal(textOf(await eventsFrom(backendAt(address).chat(request, never))), 'x', address)
  }
  t.equal((await backendAt('http://127.0.0.1:9/openai/v1/').info()).url, 'http://127.0.0.1:9/openai/v1')
  t.throws(() => backendAt('localhost:1234'), /--backend-url localhost:1234 is no address/)
})

void t.test('usage that the backend does not give is counted', async t => {
  const { url } = await startBackend(t, say('The quick brown fox', { usage: null }))
  const usage = (await eventsFrom(backendAt(url).chat(request, never))).find(event => event.type === 'usage')
  t.match(usage, { prompt_tokens: Number, completion_tokens: 4 })
  t.ok(usage?.type === 'usage' && usage.prompt_tokens >= 5 && usage.prompt_tokens < 15)
})

void t.test('comments, CRLF, cut characters, empty deltas and unknown fields are no obstacle', async t => {
  const { url } = await startBackend(t, ({ raw, response }: Call) => {
    const body = ': keep-alive\r\n\r\nevent: message\r\nid: 1\r\ndata: {"choices":[{"delta":{"role":"assistant","content":null},"finish_reason":null}],"timings":{}}\r\n\r\n'
      + 'data:{"choices":[{"delta":{"content":"é👋"}}]}\r\n\r\n: ping\r\n\r\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n'
    raw('')
    for (const byte of Buffer.from(body)) response.write(Buffer.of(byte))
    response.end()
  })
  t.equal(textOf(await eventsFrom(backendAt(url).chat(request, never))), 'é👋')
})

void t.test('a server that does not stream is read all the same', async t => {
  const { url } = await startBackend(t, ({ response }: Call) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'length' }], usage: { prompt_tokens: 1, completion_tokens: 1 } }))
  })
  const events = await eventsFrom(backendAt(url).chat(request, never))
  t.equal(textOf(events), 'whole')
  t.match(events.at(-1), { type: 'finish', reason: 'length' })
})

const failures: Array<[string, (call: Call) => unknown, RegExp]> = [
  ['an error status', ({ response }) => response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"out of memory"}}'), /http:\/\/127\.0\.0\.1:\d+\/v1 answered 500: out of memory; see its log/],
  ['a refusal', ({ response }) => response.writeHead(401).end('{"error":"no key"}'), /answered 401: no key; give its key with --backend-key/],
  ['an unknown path or model', ({ response }) => response.writeHead(404).end('<html><body>Not Found</body></html>'), /answered 404: Not Found; check --backend-url/],
  ['an end in the middle', ({ chunk, response }) => { chunk({ content: 'half' }); response.end() }, /ended its reply before it was complete/],
  ['a cut connection', ({ chunk, response }) => { chunk({ content: 'half' }); setTimeout(() => response.destroy(), 20) }, /broke off in the middle of its reply/],
  ['an error in the stream', ({ chunk, raw, response }) => { chunk({ content: 'half' }); raw('data: {"error":{"message":"CUDA fell over"}}\n\n'); response.end() }, /failed in the middle of its reply: CUDA fell over/],
  ['garbage in the stream', ({ raw, response }) => { raw('data: {"choices": [\n\n'); response.end() }, /sent something that is not JSON/],
  ['a page', ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>welcome</html>'), /ended its reply before it was complete and sent no event stream/],
  ['other JSON', ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":1}'), /no chat completion/],
  ['a flood without an event', ({ raw, response }) => { raw('x'); const pour = () => { while (!response.destroyed && response.write('y'.repeat(65536))); if (!response.destroyed) response.once('drain', pour) }; pour() }, /without end that is no reply; see whether --backend-url/]
]
for (const [what, answer, message] of failures) {
  void t.test(`${what} is an error that names the address and what to do`, async t => {
    const { url } = await startBackend(t, answer)
    await t.rejects(eventsFrom(backendAt(url).chat(request, never)), { message })
  })
}

void t.test('an overflow that only the backend saw is the caller\'s InputTooLong', async t => {
  const { url } = await startBackend(t, ({ response }) => response.writeHead(400).end('{"error":{"message":"request (60024 tokens) exceeds the available context size (32768 tokens)","type":"exceed_context_size_error"}}'))
  await t.rejects(eventsFrom(backendAt(url).chat(request, never)), { name: 'ContextOverflow', message: /60024/ })
})

void t.test('a closed port, an unknown host and a closed connection have different errors', async t => {
  await t.rejects(eventsFrom(backendAt('http://127.0.0.1:9', { model: 'm' }).chat(request, never)), { name: 'BackendUnreachable', message: /127\.0\.0\.1:9\/v1 cannot be reached: nothing listens there.*--backend-url/ })
  t.match(await backendAt('http://127.0.0.1:9').info(), { problem: /nothing listens there/, remedy: /--backend-url/ })
  t.match((await backendAt('http://nowhere.invalid').info()).problem, /host name/)
  const rude = createServer(socket => socket.destroy())
  await new Promise<void>(resolve => rude.listen(0, '127.0.0.1', resolve))
  t.teardown(() => rude.close())
  t.match((await backendAt(`http://127.0.0.1:${(rude.address() as { port: number }).port}`).info()).problem, /closed the connection/)
})

void t.test('the abort reaches the backend, before and in the middle of its reply', async t => {
  for (const answer of [() => undefined, ({ chunk }: Call) => chunk({ content: 'a' })]) {
    const backend = await startBackend(t, answer)
    const abort = new AbortController()
    const reason = new Error('enough')
    const reading = eventsFrom(backendAt(backend.url, { model: 'm' }).chat(request, abort.signal))
    while (backend.calls.length === 0) await new Promise(resolve => setTimeout(resolve, 2))
    await new Promise(resolve => setTimeout(resolve, 20))
    abort.abort(reason)
    await t.rejects(reading, reason)
    while (!backend.calls[0]?.gone()) await new Promise(resolve => setTimeout(resolve, 2))
  }
})

void t.test('a reader that stops early ends the backend\'s work', async t => {
  const backend = await startBackend(t, ({ chunk }: Call) => chunk({ content: 'a' }))
  for await (const event of backendAt(backend.url).chat(request, never)) {
    t.equal(event.type, 'fragment')
    break
  }
  while (!backend.calls[0]?.gone()) await new Promise(resolve => setTimeout(resolve, 2))
})

void t.test('a server is described by its own answers: model, context, slots', async t => {
  const llama = await startBackend(t, say('x'), { '/v1/models': { data: [{ id: 'qwen', owned_by: 'llamacpp' }] }, '/props': { default_generation_settings: { n_ctx: 32768 }, total_slots: 4 } })
  t.match(await backendAt(llama.url).info(), { kind: 'llama.cpp', url: llama.url, model: 'qwen', context: 32768, slots: 4, problem: null, remedy: null })
  const vllm = await startBackend(t, say('x'), { '/v1/models': { data: [{ id: 'a', owned_by: 'vllm', max_model_len: 65536 }, { id: 'b', max_model_len: 4096 }] } })
  t.match(await backendAt(vllm.url).info(), { kind: 'vllm', model: 'a', context: 65536, problem: null })
  t.match(await backendAt(vllm.url, { model: 'b' }).info(), { model: 'b', context: 4096, problem: /4096.*32768/, remedy: /vllm serve b --max-model-len 32768/ })
  const bare = await startBackend(t, say('x'))
  t.match(await backendAt(bare.url).info(), { kind: 'unknown', model: null, context: null, problem: null })
  await eventsFrom(backendAt(bare.url).chat(request, never))
  t.equal(bare.calls[0]?.body.model, 'default')
})

void t.test('a key goes to the backend, and a backend that comes back is used', async t => {
  const first = await startBackend(t, say('x'))
  const backend = backendAt(first.url, { model: 'mine', key: 'secret' })
  await eventsFrom(backend.chat(request, never))
  t.equal(first.calls[0]?.headers.authorization, 'Bearer secret')
  t.equal(first.calls[0]?.body.model, 'mine')
  t.equal((await backend.info()).problem, null)
  await first.close()
  await t.rejects(eventsFrom(backend.chat(request, never)))
  t.match((await backend.info()).problem, /cannot be reached/, 'what was known is forgotten')
})

void t.test('no request is lost to a server that closes its connections when it likes', async t => {
  // As local servers do: kept for a moment or a few requests, then closed, without a word.
  const { url } = await startBackend(t, call => {
    say('whole')(call)
    const { socket } = call.response
    setTimeout(() => socket?.destroy(), 5 * Math.random())
  })
  const backend = backendAt(url)
  let [sent, lost] = [0, 0]
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (sent < 400) {
      sent++
      const text = await eventsFrom(backend.chat(request, never)).then(textOf, () => undefined)
      if (text !== 'whole') lost++
    }
  }))
  t.equal(lost, 0)
})

void t.test('an abort reaches the server at once, a hundred times of a hundred', async t => {
  const server = await startBackend(t, ({ chunk }: Call) => chunk({ content: 'a' }))
  const backend = backendAt(server.url)
  const took: number[] = []
  for (let i = 0; i < 100; i++) {
    const abort = new AbortController()
    const reading = eventsFrom(backend.chat(request, abort.signal)).catch(() => undefined)
    while (server.calls.length <= i) await new Promise(resolve => setTimeout(resolve, 1))
    if (i % 2 === 0) await new Promise(resolve => setTimeout(resolve, 5)) // every other time in the middle of the reply
    const gone = new Promise(resolve => server.calls[i]?.response.once('close', resolve))
    const since = performance.now()
    abort.abort()
    await gone
    took.push(performance.now() - since)
    await reading
  }
  t.ok(Math.max(...took) < 1000, `${Math.max(...took)} ms at most`)
  t.comment(`${took.filter(ms => ms <= 50).length} of 100 within 50 ms`)
})

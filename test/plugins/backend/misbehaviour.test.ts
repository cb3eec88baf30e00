import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { HttpBackend } from '../../../plugins/backend/http-backend.js'
import { type Call, say, startBackend } from '../../support/backend.js'
import { silent } from '../../support/log.js'
import { chunksOf, startService, until } from '../../support/service.js'
import { ask, eventsFrom, never, textOf } from './contract.js'

const request = ask('Hello there')

async function open (t: Test, answer: (call: Call) => unknown) {
  const server = await startBackend(t, answer)
  const backend = new HttpBackend({ url: server.url, log: silent })
  t.teardown(() => backend.close())
  return { server, backend }
}

interface Page { write: (text: string) => void, end: (text: string) => void, isOpen: () => boolean }

/** The address of a server that has a list of models, in its own way, and nothing else. */
async function listing (t: Test, models: (page: Page) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url !== '/v1/models') { response.writeHead(404).end('{}'); return }
    void models({ write: text => { response.write(text) }, end: text => { response.end(text) }, isOpen: () => !response.destroyed })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

void t.test('a server that answers 101 is an error that names the address', async t => {
  const { backend } = await open(t, ({ response }) => { response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n') })
  await t.rejects(eventsFrom(backend.chat(request, never)), { name: 'BackendUnreachable', message: /http:\/\/127\.0\.0\.1:\d+\/v1 cannot be reached: it closed the connection without an answer/ })
})

for (const [what, after] of [
  ['nothing more', () => undefined],
  ['comments without end', async ({ raw, gone }: Call) => { while (!gone()) { raw(': ping\n\n'); await sleep(50) } }],
  ['empty messages without end', async ({ chunk, gone }: Call) => { while (!gone()) { chunk({}); await sleep(50) } }]
] as Array<[string, (call: Call) => unknown]>) {
  void t.test(`a reply that has its finish and then ${what} is whole after a few seconds, and its connection is closed`, { timeout: 60_000 }, async t => {
    const { backend, server } = await open(t, call => { call.chunk({ content: 'whole' }); call.chunk({}, 'length'); return after(call) })
    const events = await eventsFrom(backend.chat(request, never))
    t.equal(textOf(events), 'whole')
    t.match(events.at(-2), { type: 'usage', prompt_tokens: Number, completion_tokens: 1 }, 'counted, as it gave none')
    t.same(events.at(-1), { type: 'finish', reason: 'length' })
    await until(() => server.calls[0]?.gone() === true)
  })
}

void t.test('an error body that comes by drips is not waited for', { timeout: 60_000 }, async t => {
  const { backend, server } = await open(t, async ({ response, gone }) => {
    response.writeHead(500, { 'content-type': 'application/json' })
    while (!gone()) { response.write(' '); await sleep(50) }
  })
  await t.rejects(eventsFrom(backend.chat(request, never)), { name: 'BackendRefused', message: /answered 500: it gave no reason; see its log/ })
  await until(() => server.calls[0]?.gone() === true)
})

void t.test('an error body without end is read as far as it may have a reason', async t => {
  const { backend, server } = await open(t, ({ response }) => {
    response.writeHead(500)
    const pour = () => { while (!response.destroyed && response.write('y'.repeat(65536))); if (!response.destroyed) response.once('drain', pour) }
    pour()
  })
  await t.rejects(eventsFrom(backend.chat(request, never)), { name: 'BackendRefused', message: /answered 500: y{500};/ })
  await until(() => server.calls[0]?.gone() === true)
})

for (const usage of [
  { prompt_tokens: -10, completion_tokens: 5 }, { prompt_tokens: 10, completion_tokens: -5 }, { prompt_tokens: '10', completion_tokens: '5' }, { prompt_tokens: 1.5, completion_tokens: 2 },
  { prompt_tokens: 1e300, completion_tokens: 1e300 }, { prompt_tokens: 1e15, completion_tokens: 1 }, { prompt_tokens: null, completion_tokens: null }, { completion_tokens: 5 }, {}, [], 'many', 7, true
]) {
  void t.test(`usage that makes no sense is counted instead: ${JSON.stringify(usage)}`, async t => {
    const { backend } = await open(t, say('The quick brown fox', { usage: usage as object }))
    const told = (await eventsFrom(backend.chat(request, never))).find(({ type }) => type === 'usage')
    t.match(told, { completion_tokens: 4 })
    t.ok(told?.type === 'usage' && told.prompt_tokens >= 5 && told.prompt_tokens < 15)
  })
}

void t.test('hidden tokens are never more than there are', async t => {
  for (const [hidden, expected] of [[3, 3], [50, 5], [-1, undefined], ['3', undefined], [1e300, undefined]] as const) {
    const { backend } = await open(t, say('x', { usage: { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: hidden } } }))
    const told = (await eventsFrom(backend.chat(request, never))).find(({ type }) => type === 'usage')
    t.equal(told?.type === 'usage' && told.reasoning_tokens, expected, String(hidden))
  }
})

void t.test('a client gets a usage of whole numbers, whatever the backend reported', async t => {
  const server = await startBackend(t, say('Hello', { usage: { prompt_tokens: 1e300, completion_tokens: -1, completion_tokens_details: { reasoning_tokens: 9 } } }))
  const { post } = await startService(t, { backendUrl: server.url })
  const body = { model: 'svc-code', messages: [{ role: 'user', content: 'What is a list?' }] }
  const { usage } = await (await post(body)).json() as { usage: Record<string, number> }
  const streamed = chunksOf(await (await post({ ...body, stream: true, stream_options: { include_usage: true } })).text()).at(-1).usage
  t.same(streamed, usage)
  t.ok(['prompt_tokens', 'completion_tokens', 'total_tokens'].every(name => Number.isSafeInteger(usage[name]) && (usage[name] ?? -1) > 0 && (usage[name] ?? 0) < 1000), JSON.stringify(usage))
})

void t.test('a slow list of models is waited for', async t => {
  const pages: Array<() => void> = []
  const url = await listing(t, async page => { pages.push(() => { page.end('{"object":"list","data":[{"id":"slow","context_length":40960}]}') }) })
  const { url: service } = await startService(t, { backendUrl: url })
  const ready = fetch(`${service}/health/ready`)
  await until(() => pages.length > 0)
  t.equal((await fetch(`${service}/health`)).status, 200, 'but not by /health')
  await sleep(1500)
  for (const end of pages) end()
  t.match(await (await ready).json(), { status: 'ready', backend: { model: 'slow', context: 40960 } })
})

void t.test('a list of models that never ends fails the request, and readiness, after some seconds', { timeout: 60_000 }, async t => {
  let open = 0
  const url = await listing(t, async page => {
    open++
    page.write('{"data":[')
    while (page.isOpen()) { page.write(' '); await sleep(50) }
    open--
  })
  const { post, url: service } = await startService(t, { backendUrl: url })
  const [reply, ready] = await Promise.all([post({ model: 'svc-code', messages: [{ role: 'user', content: 'What is a list?' }] }), fetch(`${service}/health/ready`)])
  t.equal(reply.status, 500)
  t.match(await reply.json(), { error: { code: 'agent_error', message: /^Agent processing failed: the backend at http:.*\/v1 did not answer within 5 s; see whether/ } })
  t.equal(ready.status, 503)
  t.match(await ready.json(), { status: 'not_ready', backend: { url, problem: /did not answer within 5 s/, remedy: /./ } })
  await until(() => open === 0)
})

import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import { HttpBackend } from '../../../plugins/backend/http-backend.js'
import { DEADLINES, type Deadlines } from '../../../plugins/backend/call-timeout.js'
import { type Call, Page, say, startBackend } from '../../support/backend.js'
import { silent } from '../../support/log.js'
import { startService, until } from '../../support/service.js'
import { ask, eventsFrom, never } from './contract.js'

const MIB = 1024 * 1024

async function open (t: Test, answer: (call: Call) => unknown, deadlines: Partial<Deadlines> = DEADLINES) {
  const server = await startBackend(t, answer)
  const backend = new HttpBackend({ url: server.url, deadlines, log: silent })
  t.teardown(() => backend.close())
  return { server, backend }
}

/** Writes the same again and again, or what `text` says next, as fast as it is read, until nobody reads any more. */
function pour (text: string | (() => string), type = 'text/event-stream') {
  return ({ response }: Call) => {
    response.writeHead(200, { 'content-type': type })
    const more = () => {
      while (!response.destroyed && response.write(typeof text === 'string' ? text : text())) { /* until the reader is behind */ }
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }
}

const chunks = (delta: object, times: number) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`.repeat(times)

const ENDLESS: Record<string, string> = {
  content: chunks({ content: 'word '.repeat(100) }, 20),
  reasoning: chunks({ reasoning_content: 'hmm '.repeat(100) }, 20),
  'reasoning in tags': chunks({ content: '<think>'.repeat(100) }, 20),
  'content and reasoning by turns': chunks({ content: 'word '.repeat(100) }, 1) + chunks({ reasoning: 'hmm '.repeat(100) }, 1)
}

for (const [what, text] of Object.entries(ENDLESS)) {
  void t.test(`${what} without end is an error once it is far beyond what was asked for, and the connection is closed`, async t => {
    const { backend, server } = await open(t, pour(text))
    let said = 0
    await t.rejects(async () => {
      for await (const event of backend.chat({ ...ask('Hi'), max_tokens: 100 }, never)) if ('text' in event) said += event.text.length
    }, { name: 'BackendEndless', message: /does not stop writing: its reply has more than 1,048,576 characters, far beyond what was asked for; restart the server/ })
    t.ok(said > 0.9 * MIB && said <= MIB, `${said} characters were read`)
    await until(() => server.calls[0]?.gone() === true)
    t.equal(server.calls.length, 1)
  })
}

void t.test('a larger max_tokens allows a longer reply', async t => {
  const { backend } = await open(t, ({ chunk, response }) => {
    for (let i = 0; i < 512; i++) chunk({ content: 'a'.repeat(4096) })
    chunk({}, 'stop', { usage: { prompt_tokens: 1, completion_tokens: 500_000 } })
    response.end()
  })
  const lengths = await Promise.all([undefined, 1000, 200_000].map(async max_tokens => {
    let said = 0
    try {
      for await (const event of backend.chat({ ...ask('Hi'), ...(max_tokens !== undefined && { max_tokens }) }, never)) if ('text' in event) said += event.text.length
    } catch {
      return 'too long'
    }
    return said
  }))
  t.same(lengths, ['too long', 'too long', 2 * MIB])
})

void t.test('no reply is read beyond 8 MiB, whatever was asked for', async t => {
  const { backend } = await open(t, pour(chunks({ content: 'word '.repeat(1000) }, 10)))
  await t.rejects(eventsFrom(backend.chat({ ...ask('Hi'), max_tokens: 1e15 }, never)), { name: 'BackendEndless', message: /8,388,608 characters/ })
})

for (const [what, text] of [['comments', ': still there\n\n'.repeat(500)], ['empty fragments', chunks({ content: '' }, 100)], ['empty lines', '\n'.repeat(5000)], ['unknown fields', 'x: y\n'.repeat(500)]] as const) {
  void t.test(`a flood of ${what} is ended before its deadline`, async t => {
    const { backend, server } = await open(t, pour(text))
    await t.rejects(eventsFrom(backend.chat(ask('Hi'), never)), { name: 'BackendGarbled', message: /sends (something without end that is no reply; see whether --backend-url|no event stream; is --backend-url)/ })
    await until(() => server.calls[0]?.gone() === true)
  })
}

for (const [what, text] of [['comments', ': still there\n\n'], ['empty fragments', chunks({ content: '' }, 1)], ['nothing but its role', chunks({ role: 'assistant' }, 1)]] as const) {
  void t.test(`a server that sends ${what} in the middle of its reply is left at the deadline`, async t => {
    const { backend, server } = await open(t, async ({ chunk, raw, gone }) => {
      chunk({ content: 'a' })
      while (!gone()) { raw(text); await sleep(20) }
    }, { nextToken: 300 })
    await t.rejects(eventsFrom(backend.chat(ask('Hi'), never)), { name: 'BackendSlow', message: /has sent nothing for 0\.3 s; .*--next-token-timeout/ })
    await until(() => server.calls[0]?.gone() === true)
  })
}

for (const [what, text, type] of [['a line', 'data: '.padEnd(4096, 'x'), 'text/event-stream'], ['an event', `data: ${'x'.repeat(4096)}\n`, 'text/event-stream'], ['a body of spaces', ' '.repeat(1000), 'application/json'], ['a JSON text', 'x'.repeat(1000), 'application/json']] as const) {
  void t.test(`${what} without end is an error, and the connection is closed`, async t => {
    const { backend, server } = await open(t, pour(text, type))
    await t.rejects(eventsFrom(backend.chat(ask('Hi'), never)), { name: /BackendGarbled|BackendEndless/ })
    await until(() => server.calls[0]?.gone() === true)
  })
}

/** A server that writes its response to the raw socket. */
async function raw (t: Test, head: string, more: string): Promise<{ url: string, isLeft: () => boolean }> {
  let open = 0
  const server = createServer(socket => {
    open++
    socket.on('error', () => socket.destroy()).once('close', () => { open-- }).resume()
    socket.write(head)
    const pour = () => {
      while (!socket.destroyed && socket.write(more)) { /* until the reader is behind */ }
      if (!socket.destroyed) socket.once('drain', pour)
    }
    pour()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.close() })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`, isLeft: () => open === 0 }
}

for (const [what, head, more] of [
  ['headers', 'HTTP/1.1 200 OK\r\n', 'x-more: yes\r\n'.repeat(100)],
  ['a status line', 'HTTP/1.1 200 ', 'O'.repeat(1000)],
  ['what is no HTTP', '', 'x'.repeat(1000)],

  ['a list of models', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"data":[', '{"id":"a"},'.repeat(100)],
  ['a page', 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n', '<p>'.repeat(1000)]
] as const) {
  void t.test(`${what} without end where a backend should be is an error in the envelope, and every connection is closed`, async t => {
    const { url, isLeft } = await raw(t, head, more)
    const { post } = await startService(t, { backendUrl: url })
    const reply = await post({ model: 'svc-code', messages: [{ role: 'user', content: 'What is a list?' }] })
    t.equal(reply.status, 500)
    t.equal(reply.headers.get('x-should-retry'), 'false')
    t.match(await reply.json(), { error: { code: 'agent_error', message: /^Agent processing failed: .*http:\/\/127\.0\.0\.1/ } })
    await until(isLeft)
  })
}

const MUCH: Record<string, [string, RegExp]> = {
  nested: ['['.repeat(201) + ']'.repeat(201), /nests deeper than 200 levels/],
  many: [`[${'{},'.repeat(100_000)}{}]`, /holds more than 100,000 values/]
}

for (const [what, [value, message]] of Object.entries(MUCH)) {
  void t.test(`JSON of a backend that holds too much is its error: ${what}`, async t => {
    const lists = { '/v1/models': { data: [{ id: 'm', context_length: 40960 }] } }
    const event = (json: string) => ({ raw }: Call) => raw(`data: ${json}\n\n`)
    const body = (json: string) => ({ response }: Call) => response.writeHead(200, { 'content-type': 'application/json' }).end(json)
    for (const answer of [event(`{"choices":${value}}`), body(`{"choices":[{"message":{"content":"a","x":${value}}}]}`)]) {
      const server = await startBackend(t, answer, lists)
      const { post } = await startService(t, { backendUrl: server.url })
      const reply = await post({ model: 'svc-code', messages: [{ role: 'user', content: 'What is a list?' }] })
      t.equal(reply.status, 500)
      const { error } = await reply.json() as { error: { code: string, message: string } }
      t.equal(error.code, 'agent_error')
      t.match(error.message, message)
    }
    const refusing = await startBackend(t, ({ response }) => response.writeHead(500).end(`{"error":${value}}`), lists)
    const { post } = await startService(t, { backendUrl: refusing.url })
    t.match(await (await post({ model: 'svc-code', messages: [{ role: 'user', content: 'What is a list?' }] })).json(), { error: { code: 'agent_error', message: /answered 500: \{"error":.*; see its log/ } })
  })

  void t.test(`readiness reports an answer of the backend that is too large: ${what}`, async t => {
    for (const path of ['/v1/models', '/props']) {
      const server = await startBackend(t, say('x'), { '/v1/models': { data: [{ id: 'm', owned_by: 'llamacpp' }] }, [path]: new Page(200, JSON.parse(`{"data":${value}}`)) })
      const { url } = await startService(t, { backendUrl: server.url })
      const ready = await fetch(`${url}/health/ready`)
      t.equal(ready.status, 503)
      const { backend } = await ready.json() as { backend: { problem: string } }
      t.match(backend.problem, new RegExp(`the answer of http://.*${path} ${message.source}`))
    }
  })
}

/** A text that never repeats itself, because a repetition would be stopped much earlier. */
const rambling = () => Array.from({ length: 100 }, () => Math.random().toString(36).slice(2)).join(' ')

void t.test('an endless reply is requested once, and the caller gets x-should-retry: false', async t => {
  const server = await startBackend(t, pour(() => chunks({ content: `<think>${rambling()}` }, 1)), { '/v1/models': { data: [{ id: 'm', context_length: 40960 }] } })
  const { post } = await startService(t, { backendUrl: server.url })
  const reply = await post({ model: 'svc-code', max_tokens: 50, messages: [{ role: 'user', content: 'What is a list?' }] })
  t.equal(reply.headers.get('x-should-retry'), 'false')
  const { error } = await reply.json() as { error: { code: string, message: string } }
  t.match(error, { code: 'agent_error', message: /does not stop writing/ })
  t.equal(server.calls.length, 1)
})

void t.test('reasoning that only repeats itself is stopped, requested once more, and reported to the caller', async t => {
  const server = await startBackend(t, pour(ENDLESS['reasoning in tags'] ?? ''), { '/v1/models': { data: [{ id: 'm', context_length: 40960 }] } })
  const { post } = await startService(t, { backendUrl: server.url })
  const reply = await post({ model: 'svc-code', max_tokens: 50, messages: [{ role: 'user', content: 'What is a list?' }] })
  t.equal(reply.headers.get('x-should-retry'), 'false')
  const { error } = await reply.json() as { error: { code: string, message: string } }
  t.match(error, { code: 'agent_error', message: /the language model only thought, twice/ })
  t.equal(server.calls.length, 2)
  await until(() => server.calls.every(call => call.gone()))
})

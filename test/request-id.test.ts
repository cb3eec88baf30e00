import { Writable } from 'node:stream'
import t from 'tap'
import { script, startService } from './support/service.js'
import { exchange, request } from './support/socket.js'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const { url, post } = await startService(t)

const line = (text: string, headers: string[] = []) => exchange(url, request(text, headers))

// Every kind of answer, with the headers of the request as the caller chooses them.
const ANSWERS: Record<string, (headers: Record<string, string>) => Promise<Response>> = {
  'a reply': headers => post(script(['hi']), headers),
  'a stream': headers => post(script(['hi'], { stream: true }), headers),
  'the health': headers => fetch(`${url}/health`, { headers }),
  'the models': headers => fetch(`${url}/v1/models`, { headers }),
  'the docs': headers => fetch(`${url}/docs`, { headers }),
  'a bad body': headers => post({}, headers),
  'malformed JSON': headers => post('{', headers),
  'a failing agent': headers => post(script([{ throw: 'no luck' }]), headers),
  'an unknown model': headers => post({ ...script([]), model: 'nothing' }, headers),
  'an unknown route': headers => fetch(`${url}/nowhere`, { headers }),
  'a wrong method': headers => fetch(`${url}/health`, { method: 'DELETE', headers }),
  'a wrong type': headers => fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: 'x' }),
  'a preflight': headers => fetch(`${url}/v1/models`, { method: 'OPTIONS', headers: { origin: 'http://a.example', 'access-control-request-method': 'GET', ...headers } }),
  'a bad URL': headers => line('GET /%zz', Object.entries(headers).map(([name, value]) => `${name}: ${value}`)),
  'a parameter that is too long': headers => fetch(`${url}/v1/models/${'a'.repeat(600)}`, { headers })
}

for (const [what, ask] of Object.entries(ANSWERS)) {
  void t.test(`${what} has the request id of its caller, or one of its own`, async t => {
    const given = await ask({ 'x-request-id': 'req-from_caller.1' })
    await given.text()
    t.equal(given.headers.get('x-request-id'), 'req-from_caller.1')
    const made = [await ask({}), await ask({})]
    const ids = made.map(response => response.headers.get('x-request-id'))
    for (const id of ids) t.match(id, UUID)
    t.not(ids[0], ids[1], 'each request has another one')
    for (const response of made) await response.text()
  })
}

void t.test('what is no HTTP has a request id, too', async t => {
  for (const bytes of ['garbage\r\n\r\n', request('GET /health', [`X-Large: ${'a'.repeat(40_000)}`])]) {
    t.match((await exchange(url, bytes)).headers.get('x-request-id'), UUID)
  }
})

void t.test('a caller\'s id that is not fit for a header or a log line is replaced', async t => {
  for (const id of ['', 'two words', 'x'.repeat(201), 'tab\there', '\xe9', 'a, b']) {
    const response = await line('GET /health', [`X-Request-Id: ${id}`])
    t.match(response.headers.get('x-request-id'), UUID, JSON.stringify(id))
  }
  const twice = await line('GET /health', ['X-Request-Id: one', 'X-Request-Id: two'])
  t.match(twice.headers.get('x-request-id'), UUID, 'two ids are none')
  const longest = 'x'.repeat(200)
  t.equal((await line('GET /health', [`X-Request-Id: ${longest}`])).headers.get('x-request-id'), longest)
})

void t.test('the log of a request is found by its id', async t => {
  let log = ''
  const stream = new Writable({ write (chunk, _encoding, done) { log += String(chunk); done() } })
  const { post } = await startService(t, { logger: { level: 'debug', stream } })
  await (await post({ ...script(['hi']), n: 2 }, { 'x-request-id': 'find-me' })).text()
  await (await post({}, { 'x-request-id': 'find-me-too' })).text()
  for (const id of ['find-me', 'find-me-too']) t.ok(log.split('\n').some(line => line.includes(`"${id}"`)), id)
})

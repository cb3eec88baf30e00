import { type IncomingMessage, request as clientRequest } from 'node:http'
import t from 'tap'
import { refusal } from './support/envelope.js'
import { script, startService } from './support/service.js'
import { exchange, request } from './support/socket.js'

const { url, client } = await startService(t)

const ENDPOINTS = /GET \/health, GET \/v1\/models, POST \/v1\/chat\/completions, POST \/v1\/responses and POST \/mcp/

void t.test('an unknown route is a 404 that names the endpoints', async t => {
  for (const path of ['/', '/nowhere', '/v1', '/v1/', '/v2/models', '/healthz', '/health/live', '/v1/chat', '/v1/completions', '/v1/chat/completions/x', '/V1/models', '/index.html', '/favicon.ico']) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { message } = await refusal(t, await fetch(url + path, { method }), 404, 'not_found')
      t.match(message, ENDPOINTS, `${method} ${path}`)
      t.ok(message.includes(path))
    }
  }
})

void t.test('the endpoints that the specification leaves out are 404s', async t => {
  for (const path of ['/v1/embeddings', '/v1/audio/speech', '/v1/audio/transcriptions', '/v1/images/generations', '/v1/images/edits']) {
    const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"model":"svc-code","input":"x"}' })
    t.match((await refusal(t, response, 404, 'not_found')).message, ENDPOINTS)
  }
  await t.rejects(client.embeddings.create({ model: 'svc-code', input: 'x' }), { status: 404, code: 'not_found' })
})

void t.test('an unknown route is a 404 whatever is sent to it', async t => {
  const bodies: [string, string][] = [['application/json', '{'], ['text/plain', 'hi'], ['application/json', '']]
  for (const [type, body] of bodies) {
    await refusal(t, await fetch(`${url}/nowhere`, { method: 'POST', headers: { 'content-type': type }, body }), 404, 'not_found')
  }
  await refusal(t, await exchange(url, request('POST /nowhere', ['Content-Type: application/json', 'Content-Length: 99999999999'])), 404, 'not_found')
})

void t.test('the query is not quoted, and a long path is cut', async t => {
  t.notMatch((await refusal(t, await fetch(`${url}/nowhere?token=secret`), 404, 'not_found')).message, /secret/)
  t.ok((await refusal(t, await fetch(`${url}/${'a'.repeat(8000)}`), 404, 'not_found')).message.length < 400)
})

void t.test('a response cannot be fetched later, and the 404 says so', async t => {
  for (const path of ['/v1/responses/resp_1', '/v1/responses/resp_1/cancel', '/v1/responses/resp_1/input_items?x=1']) {
    const { message } = await refusal(t, await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"model":"svc-code","input":"hi"}' }), 404, 'not_found')
    t.match(message, /Responses are not kept/, path)
    t.match(message, ENDPOINTS)
  }
})

const KNOWN: Record<string, string[]> = {
  '/health': ['GET', 'HEAD'], '/health/ready': ['GET', 'HEAD'], '/v1/models': ['GET', 'HEAD'], '/v1/models/svc-code': ['GET', 'HEAD'],
  '/v1/models/a%2Fb': ['GET', 'HEAD'], '/v1/chat/completions': ['POST'], '/v1/responses': ['POST'], '/openapi.json': ['GET', 'HEAD'], '/docs': ['GET', 'HEAD'], '/docs/': ['GET', 'HEAD']
}

void t.test('a known path with a wrong method is a 405 that names the right methods', async t => {
  for (const [path, methods] of Object.entries(KNOWN)) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'PURGE', 'LINK', 'M-SEARCH'].filter(method => !methods.includes(method))) {
      for (const spelling of [path, `${path}?x=1`, path.endsWith('/') ? path : `${path}/`, `/${path}`]) {
        const response = await exchange(url, request(`${method} ${spelling}`))
        const { message } = await refusal(t, response, 405, 'method_not_allowed')
        t.match(message, ENDPOINTS)
        t.ok(message.includes(method), `${method} ${spelling}`)
        t.strictSame(response.headers.get('allow')?.split(', ').sort(), [...methods, 'OPTIONS'].sort())
      }
    }
  }
})

void t.test('a wrong method is a 405 whatever is sent with it', async t => {
  for (const [type, body] of [['text/plain', 'hi'], ['application/json', '{']] as const) {
    await refusal(t, await fetch(`${url}/v1/models`, { method: 'POST', headers: { 'content-type': type }, body }), 405, 'method_not_allowed')
    await refusal(t, await fetch(`${url}/v1/chat/completions`, { method: 'PUT', headers: { 'content-type': type }, body }), 405, 'method_not_allowed')
  }
})

void t.test('a wrong HEAD is a 405 without a body', async t => {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'HEAD' })
  t.equal(response.status, 405)
  t.match(response.headers.get('allow'), /POST/)
  t.equal(await response.text(), '')
})

void t.test('a URL that cannot be decoded is a 400', async t => {
  for (const path of ['/%zz', '/v1/models/%', '/v1/models/%E0%A4%A', '/v1/%c0%af', '/docs/%zz', '/%']) {
    await refusal(t, await exchange(url, request(`GET ${path}`)), 400, 'invalid_request')
  }
})

void t.test('a parameter that is too long is refused in the envelope', async t => {
  for (const length of [501, 2000, 8000]) await refusal(t, await fetch(`${url}/v1/models/${'a'.repeat(length)}`), 400, 'invalid_request')
})

void t.test('an unknown page below /docs is a 404', async t => {
  for (const path of ['/docs/nothing', '/docs/static/nothing.js', '/docs/static/.git', '/docs/static/..%2f..%2fpackage.json', '/docs/static/%2e%2e/%2e%2e/package.json', '/docs/static/%00', '/docs/static/..%5c..%5cpackage.json', `/docs/${'a'.repeat(1000)}`]) {
    t.match((await refusal(t, await exchange(url, request(`GET ${path}`)), 404, 'not_found')).message, ENDPOINTS, path)
  }
})

void t.test('data that is not HTTP is answered with a 400 in the envelope', async t => {
  const heads = [
    'garbage\r\n\r\n', 'GET /health HTTP/9.9\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'GET /health HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n', 'GET /health HTTP/1.1\r\nHost: x\r\nbad header: y\r\n\r\n', 'NOTHING /health HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /hea lth HTTP/1.1\r\nHost: x\r\n\r\n', '{"model":"scripted"}\r\n\r\n',
    'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n', 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: five\r\n\r\n',
    'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n'
  ]
  for (const head of heads) {
    const response = await exchange(url, Buffer.from(head, 'latin1'))
    t.equal(response.headers.get('connection'), 'close')
    t.match((await refusal(t, response, 400, 'invalid_request')).message, /HTTP/, JSON.stringify(head))
  }
})

void t.test('headers that are too large are answered with a 431 in the envelope', async t => {
  const large = [[`X-Large: ${'a'.repeat(40_000)}`], Array.from({ length: 1900 }, (_, n) => `X-Header-${n}: ${'a'.repeat(20)}`)]
  for (const headers of large) t.match((await refusal(t, await exchange(url, request('GET /health', headers)), 431, 'invalid_request')).message, /headers/)
  await refusal(t, await exchange(url, request(`GET /${'a'.repeat(40_000)}`)), 431, 'invalid_request')
})

void t.test('a request without Host is answered like any other', async t => {
  t.equal((await exchange(url, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n')).status, 200)
  t.equal((await exchange(url, 'GET /health HTTP/1.0\r\n\r\n')).status, 200)
  await refusal(t, await exchange(url, 'GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n'), 404, 'not_found')
})

void t.test('a known Expect header is honoured, and an unknown one ignored', async t => {
  const body = JSON.stringify(script(['hi']))
  for (const expectation of ['100-continue', '100-Continue', 'miracles']) {
    const response = await exchange(url, request('POST /v1/chat/completions', ['Content-Type: application/json', `Expect: ${expectation}`], body))
    t.equal(response.status, 200, expectation)
    t.equal(JSON.parse(await response.text()).choices[0].message.content, 'hi')
  }
  await refusal(t, await exchange(url, request('GET /nowhere', ['Expect: miracles'])), 404, 'not_found')
})

void t.test('an offer to upgrade the connection is ignored', async t => {
  for (const protocol of ['h2c', 'websocket']) {
    const headers = { connection: 'Upgrade', upgrade: protocol, 'content-type': 'application/json' }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      clientRequest(`${url}/v1/chat/completions`, { method: 'POST', headers, agent: false }, resolve).once('error', reject).end(JSON.stringify(script(['hi'])))
    })
    const body = Buffer.concat(await response.toArray() as Buffer[]).toString()
    response.destroy()
    t.equal(response.statusCode, 200, protocol)
    t.equal(JSON.parse(body).choices[0].message.content, 'hi')
  }
})

void t.test('bad requests on one connection do not spoil the next one', async t => {
  const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const response = await exchange(url, line('/nowhere') + line('/%zz') + request('GET /health'))
  const text = await response.text()
  t.equal(response.status, 404)
  t.match(text, /not_found[^]*HTTP\/1\.1 400[^]*invalid_request[^]*HTTP\/1\.1 200[^]*"status":"ok"/)
})

void t.test('the official client throws its own errors and does not retry an agent_error', async t => {
  const { default: OpenAI } = await import('openai')
  let calls = 0
  const retrying = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 5, fetch: (...args) => { calls++; return fetch(...args) } })
  await t.rejects(retrying.chat.completions.create(script([{ throw: 'no luck' }])), { status: 500, code: 'agent_error', type: 'internal_error', message: '500 Agent processing failed: no luck' })
  t.equal(calls, 1)
  await t.rejects(retrying.chat.completions.create({ ...script([]), stream: true, model: 'nothing' }), { status: 404, code: 'model_not_found' })
  await t.rejects(retrying.chat.completions.create({ ...script([]), temperature: 3 }), { status: 400, code: 'invalid_request', message: '400 temperature must be <= 2' })
})

void t.test('half a character that an error quotes is replaced: Python clients fail on its escape', async t => {
  const half = '\\ud83d'
  const HALF = /\\ud[89a-f]/i
  const text = (json: string) => `{"model":"scripted","messages":[{"role":"user","content":"hi"}],${json}}`
  const bodies: Array<[string, number, string]> = [
    [`{"model":"${half}","messages":[{"role":"user","content":"hi"}]}`, 404, 'model_not_found'],
    [`{"model":"${'a'.repeat(99)}\\ud83d\\ude00","messages":[{"role":"user","content":"hi"}]}`, 404, 'model_not_found'],
    [`{"model":"scripted","messages":[{"role":"user","content":[{"type":"${half}"}]}]}`, 400, 'invalid_request'],
    [`{"model":"scripted","messages":[{"role":"user","content":[{"type":"${'a'.repeat(49)}😀"}]}]}`, 400, 'invalid_request'],
    [`{"model":"scripted","messages":[{"role":"${half}","content":"x"}]}`, 400, 'invalid_request'],
    [text(`"temperature":"${half}"`), 400, 'invalid_request'],
    ['😀', 400, 'invalid_request'], ['{"a":😀', 400, 'invalid_request'], [`{"model":"${'x'.repeat(9)}😀${'y'.repeat(9)}`, 400, 'invalid_request']
  ]
  for (const [body, status, code] of bodies) {
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const raw = await response.clone().text()
    t.notOk(HALF.test(raw), body)
    t.ok((await refusal(t, response, status, code)).message.isWellFormed(), body)
  }
  for (const steps of [[{ throw: '\ud83d' }], [{ throw: `${'a'.repeat(1999)}😀` }], [{ throw: `${'a'.repeat(7999)}😀` }], [{ tooLong: `${'a'.repeat(1999)}😀` }], ['begun', { throw: `${'a'.repeat(1999)}😀` }]]) {
    for (const stream of [false, true]) {
      const raw = await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(script(steps, { stream })) })).text()
      t.ok(raw.includes('"error"'))
      t.notOk(HALF.test(raw), steps[0] === 'begun' ? 'in an event' : 'in a body')
    }
  }
  const ignored = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(script(['hi'])).slice(0, -1)},"${half}":1}` })
  t.equal(ignored.headers.get('x-ignored-parameters'), '?')
})

void t.test('the service lives on after all of it', async t => {
  const reply = await client.chat.completions.create(script(['fine']))
  t.equal(reply.choices[0]?.message.content, 'fine')
})

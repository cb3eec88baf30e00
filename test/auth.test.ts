import { Writable } from 'node:stream'
import OpenAI, { AuthenticationError } from 'openai'
import t from 'tap'
import { refusal } from './support/envelope.js'
import { chunksOf, script, startService } from './support/service.js'
import { exchange, request } from './support/socket.js'

const KEY = 'sk-local:4f7a/+=~'
const ORIGIN = 'https://app.example'

const { app, url, post } = await startService(t, { apiKey: KEY, aliases: { 'gpt-4o': 'scripted' } })

const bearer = { authorization: `Bearer ${KEY}` }
const basic = (user: string, password: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` })

void t.test('with the key the official client works as ever', async t => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 })
  t.equal((await client.chat.completions.create(script(['hi']))).choices[0]?.message.content, 'hi')
  t.ok((await client.models.list()).data.length > 0)
  t.equal((await client.models.retrieve('svc-code')).id, 'svc-code')
  let text = ''
  for await (const chunk of await client.chat.completions.create({ ...script(['a', 'b']), stream: true })) text += chunk.choices[0]?.delta.content ?? ''
  t.equal(text, 'ab')
})

void t.test('with another key the official client throws an AuthenticationError, and does not retry', async t => {
  let calls = 0
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'wrong', maxRetries: 3, fetch: (...args) => { calls++; return fetch(...args) } })
  const error: unknown = await client.chat.completions.create(script(['hi'])).catch((error: unknown) => error)
  t.ok(error instanceof AuthenticationError)
  await t.rejects(client.models.list(), { status: 401, code: 'invalid_api_key', type: 'authentication_error' })
  t.equal(calls, 2)
})

void t.test('without the key everything below /v1 is a 401 in the envelope', async t => {
  const before = app.runs.load
  for (const [method, path] of [
    ['GET', '/v1/models'], ['HEAD', '/v1/models'], ['GET', '/v1/models/svc-code'], ['GET', '/v1/models/nothing'], ['POST', '/v1/chat/completions'], ['GET', '/v1/chat/completions'],
    ['DELETE', '/v1/models'], ['GET', '/v1/nothing'], ['POST', '/v1/responses'], ['GET', '/v1/']
  ] as const) {
    const response = await fetch(url + path, { method })
    t.match(response.headers.get('www-authenticate'), /^Bearer/, `${method} ${path}`)
    if (method === 'HEAD') t.equal(response.status, 401)
    else t.match((await refusal(t, response, 401, 'invalid_api_key', 'authentication_error')).message, /--api-key/)
  }
  t.strictSame(app.runs.load, before)
})

void t.test('the key is checked before the body: without it, the reply says nothing about the body', async t => {
  for (const body of ['', '{', '{}', JSON.stringify({ ...script([]), model: 'nothing' }), JSON.stringify(script(['hi'])), JSON.stringify(script(['hi'], { stream: true }))]) {
    await refusal(t, await post(body), 401, 'invalid_api_key', 'authentication_error')
  }
  await refusal(t, await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: 'text' }), 401, 'invalid_api_key', 'authentication_error')
  const large = request('POST /v1/chat/completions', ['Content-Type: application/json', 'Content-Length: 99999999'])
  await refusal(t, await exchange(url, large), 401, 'invalid_api_key', 'authentication_error')
})

void t.test('other spellings of a path are guarded like the plain one', async t => {
  for (const path of ['/v1/models/', '//v1/models', '/v1//models', '/%761/models', '/v1/%6dodels', '/v1/models?x=1', '/v1/models#x', '/v1/models/svc-code/', '/v1/models/svc%2dcode', '/docs/', '//docs', '/%64ocs', '/docs/json', '/docs/static/index.html', '/openapi%2ejson', '//openapi.json']) {
    const response = await exchange(url, request(`GET ${path}`))
    t.equal(response.status, 401, path)
    t.notMatch(await response.text(), /svc-code|swagger|openapi"/)
  }
  const absolute = await exchange(url, request('GET http://localhost/v1/models'))
  t.equal(absolute.status, 401, 'the form that proxies use')
})

void t.test('anything but the key gives a 401', async t => {
  const wrong = [
    '', 'Bearer', 'Bearer ', 'Bearer wrong', `Bearer ${KEY}x`, `Bearer ${KEY.slice(0, -1)}`, `Bearer ${KEY.toUpperCase()}`, `Bearer "${KEY}"`, KEY, `Token ${KEY}`, `Digest ${KEY}`,
    'Bearer undefined', 'Bearer null', `Bearer x${KEY}`, 'Basic', 'Basic !!!', basic('', '').authorization, basic(KEY, '').authorization, `Basic ${KEY}`
  ]
  for (const authorization of wrong) await refusal(t, await post(script(['hi']), { authorization }), 401, 'invalid_api_key', 'authentication_error')
  await refusal(t, await fetch(`${url}/v1/models?api_key=${encodeURIComponent(KEY)}`), 401, 'invalid_api_key', 'authentication_error')
})

void t.test('the scheme may be written in any case', async t => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) t.equal((await post(script(['hi']), { authorization: `${scheme} ${KEY}` })).status, 200, scheme)
})

void t.test('with the key a request is answered like any other', async t => {
  await refusal(t, await post({}, bearer), 400, 'invalid_request')
  await refusal(t, await post({ ...script([]), model: 'nothing' }, bearer), 404, 'model_not_found')
  await refusal(t, await fetch(`${url}/v1/nothing`, { headers: bearer }), 404, 'not_found')
  await refusal(t, await fetch(`${url}/v1/models`, { method: 'DELETE', headers: bearer }), 405, 'method_not_allowed')
  const stream = await post({ ...script(['hi']), model: 'gpt-4o', stream: true }, bearer)
  t.equal(chunksOf(await stream.text()).length, 3)
})

void t.test('a 401 has its CORS headers, so that a page can read it', async t => {
  for (const response of [await post(script(['hi']), { origin: ORIGIN }), await fetch(`${url}/v1/models`, { headers: { origin: ORIGIN } }), await fetch(`${url}/docs`, { headers: { origin: ORIGIN } })]) {
    await refusal(t, response, 401, 'invalid_api_key', 'authentication_error')
    t.equal(response.headers.get('access-control-allow-origin'), '*')
    t.match(response.headers.get('access-control-expose-headers'), /x-request-id/)
  }
})

void t.test('preflights need no key: browsers send none with them', async t => {
  for (const path of ['/v1/chat/completions', '/v1/models', '/v1/models/svc-code', '/health', '/docs']) {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' }
    const response = await fetch(url + path, { method: 'OPTIONS', headers })
    t.equal(response.status, 204, path)
    t.equal(response.headers.get('access-control-allow-origin'), '*')
    t.match(response.headers.get('access-control-allow-headers'), /authorization/)
    t.equal((await fetch(url + path, { method: 'OPTIONS' })).status, 204, 'nor does a bare OPTIONS')
  }
})

void t.test('the health needs no key', async t => {
  for (const path of ['/health', '/health/']) {
    const response = await fetch(url + path)
    t.equal(response.status, 200)
    t.strictSame(JSON.parse(await response.text()), { status: 'ok', service: 'svc' })
  }
  t.equal((await fetch(`${url}/health`, { method: 'HEAD' })).status, 200)
  t.equal((await fetch(`${url}/health`, { headers: { authorization: 'Bearer wrong' } })).status, 200, 'a wrong one does no harm')
  const ready = await fetch(`${url}/health/ready`)
  t.match(String(ready.status), /^(200|503)$/)
  t.match(JSON.parse(await ready.text()).status, /ready/)
})

void t.test('an unknown path outside /v1 is a 404 to anybody', async t => {
  await refusal(t, await fetch(`${url}/nowhere`), 404, 'not_found')
})

void t.test('a browser is asked for the key as a password before it sees the docs', async t => {
  for (const path of ['/docs', '/docs/', '/docs/static/swagger-ui.css', '/docs/json', '/openapi.json']) {
    const closed = await fetch(url + path)
    await refusal(t, closed, 401, 'invalid_api_key', 'authentication_error')
    t.match(closed.headers.get('www-authenticate'), /^Basic realm="[^"]+"$/, path)
    for (const headers of [basic('', KEY), basic('anybody', KEY), bearer]) {
      const open = await fetch(url + path, { headers })
      t.equal(open.status, 200, path)
      t.ok((await open.text()).length > 100)
    }
    await refusal(t, await fetch(url + path, { headers: basic('anybody', 'wrong') }), 401, 'invalid_api_key', 'authentication_error')
  }
})

void t.test('the key is in no answer and no log', async t => {
  let seen = ''
  const stream = new Writable({ write (chunk, _encoding, done) { seen += String(chunk); done() } })
  const { url, post } = await startService(t, { apiKey: KEY, logger: { level: 'trace', stream } })
  for (const headers of [bearer, { authorization: 'Bearer wrong-one' }]) {
    for (const response of [await post(script(['hi']), headers), await post(script([{ throw: 'no luck' }]), headers), await fetch(`${url}/openapi.json`, { headers }), await fetch(`${url}/health/ready`, { headers })]) {
      seen += await response.text() + JSON.stringify([...response.headers])
    }
  }
  t.match(seen, /no luck/)
  t.notOk(seen.includes(KEY))
  t.notOk(seen.includes('wrong-one'))
})

void t.test('without --api-key nothing is guarded', async t => {
  const { url, post } = await startService(t)
  for (const path of ['/v1/models', '/docs', '/openapi.json', '/health']) t.equal((await fetch(url + path)).status, 200, path)
  t.equal((await post(script(['hi']))).status, 200)
})

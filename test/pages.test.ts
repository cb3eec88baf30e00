import { readFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { type AppOptions, buildApp } from '../app.js'
import { refusal } from './support/envelope.js'
import { chunksOf, script, startService } from './support/service.js'
import { exchange } from './support/socket.js'

const LISTED = 'https://app.example'
const BODY = JSON.stringify(script(['hi']))

/** A request with nothing in its head but what is given. */
function raw (line: string, headers: string[], body = ''): string {
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
  return [line, 'Connection: close', ...headers, ...length, '', body].join('\r\n')
}

async function service (t: Test, options: AppOptions = {}) {
  const { url, app, post } = await startService(t, { corsOrigin: [LISTED], ...options })
  return {
    app,
    post,
    url,
    port: (app.server.address() as AddressInfo).port,
    get: async (host: string, path = '/v1/models') => await exchange(url, raw(`GET ${path} HTTP/1.1`, [`Host: ${host}`])),
    send: async (host: string, origin?: string) => await exchange(url, raw('POST /v1/chat/completions HTTP/1.1', [`Host: ${host}`, ...(origin === undefined ? [] : [`Origin: ${origin}`])], BODY))
  }
}

const KNOWN = [
  'localhost', 'localhost:8080', 'LOCALHOST:1', 'localhost.', 'localhost.:8080', 'svc.localhost:8080', 'a.b.localhost', '127.0.0.1', '127.0.0.1:8080', '127.1', '10.0.0.7:80', '[::1]', '[::1]:8080', '[2001:db8::1]:1',
  'app.example', 'APP.example.', 'app.example:8080', ''
]
const FOREIGN = [
  'evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example', 'app.example.evil.example', 'xapp.example', 'notlocalhost', 'localhost@evil.example', 'evil.example@localhost', 'localhost/evil', 'local host',
  '[::1', 'a'.repeat(300), 'xn--lcalhost-zbb', 'ob.example', 'null', '*'
]

void t.test('with --cors-origin, a service on a loopback address refuses unknown host names', async t => {
  const { get, send, port } = await service(t, { corsOrigin: [LISTED, 'app://ob.example', 'null'] })
  for (const host of KNOWN) {
    const response = await get(host)
    t.equal(response.status, 200, host)
    await response.text()
  }
  for (const host of FOREIGN) {
    for (const response of [await get(host), await get(host, '/health'), await get(host, '/nowhere'), await get(host, '/docs'), await send(host), await send(host, `http://${host}`), await send(host, LISTED)]) {
      const { message } = await refusal(t, response, 400, 'invalid_request')
      t.match(message, /not known as .+localhost or an IP address.+--cors-origin http:\/\//)
    }
  }
  t.match((await refusal(t, await get(`evil.example:${port}`), 400, 'invalid_request')).message, `--cors-origin http://evil.example:${port} `)
})

void t.test('a name in the form that proxies use counts as well, and a request without a name is answered', async t => {
  const { url } = await service(t)
  await refusal(t, await exchange(url, raw('GET http://evil.example/v1/models HTTP/1.1', ['Host: localhost'])), 400, 'invalid_request')
  await refusal(t, await exchange(url, raw('GET http://localhost/v1/models HTTP/1.1', ['Host: evil.example'])), 400, 'invalid_request')
  t.equal((await exchange(url, raw('GET http://localhost/health HTTP/1.1', ['Host: localhost']))).status, 200)
  t.equal((await exchange(url, raw('GET /health HTTP/1.1', []))).status, 200)
  t.equal((await exchange(url, raw('POST /v1/chat/completions HTTP/1.1', [], BODY))).status, 200)
})

void t.test('the host name to listen on is a known name', async t => {
  const { get } = await service(t, { host: 'My-Box.example' })
  t.equal((await get('my-box.example:8080')).status, 200)
  await refusal(t, await get('evil.example'), 400, 'invalid_request')
})

void t.test('a POST from a page of an origin that is not listed is refused, before its body is looked at', async t => {
  const { app, port, send, url } = await service(t, { corsOrigin: [LISTED, 'app://obsidian.md'] })
  const before = app.runs.load
  for (const origin of ['https://evil.example', 'http://app.example', 'https://app.example:444', 'https://app.example.evil.example', 'null', 'app://other', 'http://localhost:1', `https://localhost:${port}x`, `app://localhost:${port}`, 'x', `${LISTED}, ${LISTED}`]) {
    const { message } = await refusal(t, await send(`localhost:${port}`, origin), 403, 'invalid_request')
    t.match(message, `--cors-origin ${origin} `, origin)
    await refusal(t, await exchange(url, raw('POST /nowhere HTTP/1.1', [`Host: localhost:${port}`, `Origin: ${origin}`], '{')), 403, 'invalid_request')
  }
  t.strictSame(app.runs.load, before)
})

void t.test('pages of listed origins, pages of the service itself and programs are served', async t => {
  const { port, send, url } = await service(t, { corsOrigin: [LISTED, 'app://obsidian.md'] })
  const callers: [string, string | undefined][] = [
    ['localhost', LISTED], ['localhost', 'app://obsidian.md'], [`localhost:${port}`, undefined], [`localhost:${port}`, `http://localhost:${port}`], [`LOCALHOST:${port}`, `http://localhost:${port}`], [`[::1]:${port}`, `http://[::1]:${port}`],
    [`127.0.0.1:${port}`, `http://127.0.0.1:${port}`], ['localhost', 'http://localhost'], ['localhost:80', 'http://localhost'], ['localhost', 'https://localhost']
  ]
  for (const [host, origin] of callers) {
    const response = await send(host, origin)
    t.match(await response.text(), /"hi"/, `${origin} at ${host}`)
  }
  for (const path of ['/health', '/v1/models', '/docs']) {
    const response = await fetch(url + path, { headers: { origin: 'https://evil.example' } })
    t.equal(response.status, 200, 'what changes nothing is kept from a page by its browser')
    t.equal(response.headers.get('access-control-allow-origin'), null)
    await response.text()
  }
})

void t.test('preflights and streams are as ever', async t => {
  const { post, url } = await service(t)
  const preflight = await fetch(`${url}/v1/chat/completions`, { method: 'OPTIONS', headers: { origin: LISTED, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' } })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-origin'), LISTED)
  const stream = await post(script(['a', 'b'], { stream: true }), { origin: LISTED })
  t.equal(stream.headers.get('access-control-allow-origin'), LISTED)
  t.ok(chunksOf(await stream.text()).length >= 3)
})

void t.test('a page is refused before the key is checked, and a listed page can read the error about the key', async t => {
  const { get, send, url } = await service(t, { apiKey: 'secret' })
  await refusal(t, await get('evil.example'), 400, 'invalid_request')
  await refusal(t, await send('localhost', 'https://evil.example'), 403, 'invalid_request')
  await refusal(t, await send('localhost', LISTED), 401, 'invalid_api_key', 'authentication_error')
  const rebound = await exchange(url, raw('GET /v1/models HTTP/1.1', ['Host: evil.example', `Origin: ${LISTED}`]))
  t.equal(rebound.headers.get('access-control-allow-origin'), LISTED)
  await refusal(t, rebound, 400, 'invalid_request')
})

void t.test('it is the same with https', async t => {
  const pem = (name: string) => readFileSync(new URL(`fixtures/tls/${name}.pem`, import.meta.url))
  const { port } = await service(t, { tls: { cert: pem('cert'), key: pem('key') } })
  const ask = async (headers: Record<string, string>) => await new Promise<number | undefined>((resolve, reject) => {
    const request = httpsRequest({ host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', rejectUnauthorized: false, headers: { 'content-type': 'application/json', ...headers } }, response => resolve(response.resume().statusCode))
    request.once('error', reject).end(BODY)
  })
  t.equal(await ask({ host: `localhost:${port}`, origin: `https://localhost:${port}` }), 200)
  t.equal(await ask({ host: `localhost:${port}`, origin: 'https://evil.example' }), 403)
  t.equal(await ask({ host: `evil.example:${port}`, origin: `https://evil.example:${port}` }), 400)
})

void t.test('without origins, and with *, everybody is served by any name, as the specification asks', async t => {
  for (const corsOrigin of [[], ['*'], [LISTED, '*']]) {
    const { get, send, url } = await service(t, { corsOrigin })
    t.equal((await get('evil.example')).status, 200)
    t.equal((await send('evil.example', 'https://evil.example')).status, 200)
    t.equal((await send('localhost', 'null')).status, 200)
    const bad = await exchange(url, raw('GET /v1/models/%zz HTTP/1.1', ['Host: localhost', 'Origin: https://evil.example']))
    t.equal(bad.headers.get('access-control-allow-origin'), '*')
  }
})

void t.test('beyond loopback a service is called by names that only its network knows, but origins count', async t => {
  const app = await buildApp({ corsOrigin: [LISTED] })
  t.teardown(() => app.close())
  await app.listen({ port: 0, host: '0.0.0.0' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  t.equal((await exchange(url, raw('GET /v1/models HTTP/1.1', ['Host: svc:8080']))).status, 200)
  await refusal(t, await exchange(url, raw('POST /v1/chat/completions HTTP/1.1', ['Host: svc:8080', 'Origin: https://evil.example'], BODY)), 403, 'invalid_request')
})

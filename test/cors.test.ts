import t, { type Test } from 'tap'
import { script, startService } from './support/service.js'
import { exchange, request } from './support/socket.js'

const ORIGIN = 'https://app.example'
const EXPOSED = ['x-request-id', 'x-ignored-parameters', 'retry-after', 'x-should-retry']

const { url, post } = await startService(t)

function readable (t: Test, response: Response, what: string): void {
  t.equal(response.headers.get('access-control-allow-origin'), '*', what)
  t.strictSame(list(response, 'access-control-expose-headers'), [...EXPOSED].sort())
  t.notOk(response.headers.has('access-control-allow-credentials'), 'a browser sends no cookies along')
}

function list (response: Response, header: string): string[] | undefined {
  return response.headers.get(header)?.toLowerCase().split(/, */).sort()
}

function preflight (path: string, headers: Record<string, string> = {}, base = url): Promise<Response> {
  return fetch(base + path, { method: 'OPTIONS', headers: { origin: ORIGIN, 'access-control-request-method': 'POST', ...headers } })
}

void t.test('pages of any origin may read every endpoint', async t => {
  for (const path of ['/health', '/health/ready', '/v1/models', '/v1/models/svc-code', '/openapi.json', '/docs']) {
    for (const origin of [ORIGIN, 'http://localhost:3000', 'null', 'app://obsidian.md', undefined]) {
      const response = await fetch(url + path, { headers: origin === undefined ? {} : { origin } })
      await response.text()
      readable(t, response, `${path} from ${origin}`)
    }
  }
})

void t.test('replies and streams may be read', async t => {
  for (const stream of [false, true]) {
    const response = await post({ ...script(['hi']), stream, n: 1 }, { origin: ORIGIN })
    t.match(await response.text(), /hi/)
    readable(t, response, stream ? 'a stream' : 'a reply')
  }
})

void t.test('errors may be read, too', async t => {
  const errors: Record<string, [number, () => Promise<Response>]> = {
    'a bad body': [400, () => post({}, { origin: ORIGIN })],
    'malformed JSON': [400, () => post('{', { origin: ORIGIN })],
    'an unknown model': [404, () => post({ ...script([]), model: 'nothing' }, { origin: ORIGIN })],
    'an unknown model, streamed': [404, () => post({ ...script([]), model: 'nothing', stream: true }, { origin: ORIGIN })],
    'an unknown route': [404, () => fetch(`${url}/nowhere`, { headers: { origin: ORIGIN } })],
    'a wrong method': [405, () => fetch(`${url}/v1/models`, { method: 'DELETE', headers: { origin: ORIGIN } })],
    'a wrong type': [415, () => fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { origin: ORIGIN }, body: 'x' })],
    'a large body': [413, () => exchange(url, request('POST /v1/chat/completions', [`Origin: ${ORIGIN}`, 'Content-Type: application/json', 'Content-Length: 99999999']))],
    'a failing agent': [500, () => post(script([{ throw: 'no luck' }]), { origin: ORIGIN })],
    'a failing agent, streamed': [500, () => post(script([{ throw: 'no luck' }], { stream: true }), { origin: ORIGIN })],
    'a bad URL': [400, () => exchange(url, request('GET /v1/models/%zz', [`Origin: ${ORIGIN}`]))],
    'a parameter that is too long': [400, () => fetch(`${url}/v1/models/${'a'.repeat(600)}`, { headers: { origin: ORIGIN } })]
  }
  for (const [what, [status, send]] of Object.entries(errors)) {
    const response = await send()
    await response.text()
    t.equal(response.status, status, what)
    readable(t, response, what)
  }
})

void t.test('a preflight allows what clients send', async t => {
  const wanted = ['authorization', 'content-type', 'idempotency-key', 'x-request-id', 'x-stainless-lang', 'x-stainless-os', 'x-stainless-retry-count']
  for (const path of ['/v1/chat/completions', '/v1/models', '/v1/models/svc-code', '/health']) {
    const response = await preflight(path, { 'access-control-request-headers': wanted.join(',') })
    t.equal(response.status, 204, path)
    t.equal(await response.text(), '')
    readable(t, response, path)
    const methods = list(response, 'access-control-allow-methods')
    t.ok(methods?.includes('post') && methods.includes('get'))
    const allowed = list(response, 'access-control-allow-headers') ?? []
    for (const header of wanted) t.ok(allowed.includes(header), header)
    t.ok(Number(response.headers.get('access-control-max-age')) > 0, 'it need not be asked each time')
  }
})

void t.test('a bare OPTIONS is a 204', async t => {
  for (const path of ['/v1/chat/completions', '/v1/models', '/health', '/docs', '/openapi.json']) {
    for (const headers of [{}, { origin: ORIGIN }, { 'access-control-request-method': 'POST' }] as Record<string, string>[]) {
      const response = await fetch(url + path, { method: 'OPTIONS', headers })
      t.equal(response.status, 204, path)
      t.equal(await response.text(), '')
    }
  }
})

void t.test('with --cors-origin, only pages of the listed origins may read replies', async t => {
  const allowed = [ORIGIN, 'http://localhost:3000']
  const { url, post } = await startService(t, { corsOrigin: allowed })
  for (const origin of [...allowed, 'https://evil.example', 'https://app.example.evil.example', 'https://app.exampl', 'null']) {
    const expected = allowed.includes(origin) ? origin : null
    const answers = [
      await fetch(`${url}/v1/models`, { headers: { origin } }), await fetch(`${url}/nowhere`, { headers: { origin } }), await post({}, { origin }),
      await post(script(['hi']), { origin }), await post(script(['hi'], { stream: true }), { origin }), await preflight('/v1/chat/completions', { origin }, url)
    ]
    for (const response of answers) {
      await response.text()
      t.equal(response.headers.get('access-control-allow-origin'), expected, `${origin} ${response.status}`)
      t.ok(list(response, 'vary')?.includes('origin'), 'a cache must not mix them up')
    }
  }
})

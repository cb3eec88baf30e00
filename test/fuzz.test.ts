import fc from 'fast-check'
import t, { type Test } from 'tap'
import { problemOf } from './support/envelope.js'
import { type Service, script, startService } from './support/service.js'
import { exchange } from './support/socket.js'

// One seed, so that a failure is the same for everybody; fast-check prints the smallest request that shows it.
const SEED = 20260101
const service = await startService(t, { bodyLimit: 200_000 })

const json = fc.jsonValue({ maxDepth: 4 })
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const noneOf = (...types: string[]) => json.filter(value => value !== null && !types.includes(Array.isArray(value) ? 'array' : typeof value))
const offRange = (min: number, max: number) =>
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter(value => value < min || value > max)
const text = { role: 'user', content: 'hi' }
const good = { model: 'scripted', messages: [text] }

const ROLES = ['system', 'user', 'assistant', 'tool', 'developer']
const badMessage = fc.oneof(
  json.filter(value => !isObject(value)),
  fc.record({ content: fc.string() }),
  fc.record({ role: json.filter(role => !ROLES.includes(role as string)), content: fc.string() }),
  fc.record({ role: fc.constantFrom(...ROLES) }),
  fc.record({ role: fc.constantFrom(...ROLES), content: noneOf('string', 'array') }),
  fc.record({ role: fc.constantFrom(...ROLES.filter(role => role !== 'assistant')), content: fc.constant(null) }),
  fc.record({ role: fc.constantFrom(...ROLES), content: fc.array(json.filter(part => !isObject(part) || (part as { type?: unknown }).type !== 'text'), { minLength: 1, maxLength: 3 }) }),
  fc.record({ role: fc.constant('assistant'), content: fc.string(), tool_calls: noneOf('array') }),
  fc.record({ role: fc.constant('tool'), content: fc.string(), tool_call_id: noneOf('string') })
)

/** Requests with exactly one thing wrong, and the field that the error must name. */
const badField = fc.oneof(
  fc.record({ field: fc.constant('temperature'), value: fc.oneof(noneOf('number'), offRange(0, 2)) }),
  fc.record({ field: fc.constant('top_p'), value: fc.oneof(noneOf('number'), offRange(0, 1)) }),
  fc.record({ field: fc.constantFrom('max_tokens', 'max_completion_tokens'), value: fc.oneof(noneOf('number'), fc.integer({ max: 0 }), fc.double({ noNaN: true, noDefaultInfinity: true }).filter(value => !Number.isInteger(value))) }),
  fc.record({ field: fc.constant('stream'), value: noneOf('boolean') }),
  fc.record({ field: fc.constant('stream_options'), value: noneOf('object') }),
  fc.record({ field: fc.constant('model'), value: json.filter(value => typeof value !== 'string') }),
  fc.record({ field: fc.constant('messages'), value: json.filter(value => !Array.isArray(value) || value.length === 0) }),
  fc.record({ field: fc.constant('messages'), value: fc.tuple(fc.array(fc.constant(text), { maxLength: 3 }), badMessage).map(([before, bad]) => [...before, bad]) })
)

// What CONTRACT.md names; the scripted agent fails where a made-up text looks like steps and is none.
const NAMED: Record<number, string[]> = {
  400: ['invalid_request', 'context_length_exceeded'], 404: ['not_found', 'model_not_found'], 405: ['method_not_allowed'], 413: ['invalid_request'], 415: ['invalid_request'], 431: ['invalid_request'],
  500: ['agent_error']
}

async function holds (property: fc.IAsyncProperty<[unknown]>, numRuns: number): Promise<void> {
  await fc.assert(property, { seed: SEED, numRuns, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true })
}

function expectNamed (status: number, body: string): void {
  if (!NAMED[status]?.includes(problemOf(body).code)) throw new Error(`${status} is not in the contract for ${body}`)
}

async function livesOn (t: Test, { client, app }: Service): Promise<void> {
  const reply = await client.chat.completions.create(script(['fine']))
  t.equal(reply.choices[0]?.message.content, 'fine')
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
}

void t.test('500 requests with one wrong field are each a 400 that names the field', async t => {
  await holds(fc.asyncProperty(badField, async ({ field, value }) => {
    const response = await service.post({ ...good, [field]: value })
    const body = await response.text()
    const { message, type, code } = problemOf(body)
    if (response.status !== 400 || type !== 'invalid_request_error' || code !== 'invalid_request') throw new Error(`${response.status} ${body}`)
    if (!message.startsWith(field) || message.length > 300) throw new Error(`it does not name ${field}: ${body}`)
  }), 500)
  await livesOn(t, service)
})

void t.test('200 bodies of any kind are answered as the contract says', async t => {
  const almostJson = fc.tuple(fc.constant(JSON.stringify({ ...good, temperature: 1 })), fc.nat(80), fc.string({ maxLength: 3, unit: 'binary' })).map(([body, at, noise]) => body.slice(0, at) + noise + body.slice(at + 1))
  const bodies = fc.oneof(json.map(value => JSON.stringify(value)), fc.string({ maxLength: 200, unit: 'binary' }), almostJson)
  await holds(fc.asyncProperty(bodies, async sent => {
    const response = await service.post(sent)
    const body = await response.text()
    if (response.status !== 200) return expectNamed(response.status, body)
    if (typeof JSON.parse(body).choices[0].message.content !== 'string') throw new Error(body)
  }), 200)
  await livesOn(t, service)
})

void t.test('150 requests to any path with any method are answered as the contract says', async t => {
  const part = fc.oneof(fc.constantFrom('v1', 'models', 'chat', 'completions', 'health', 'docs', 'static', 'svc-code', '..', '.', '', '%2e%2e', '%00', '%zz', 'é', '__proto__'), fc.string({ maxLength: 12 }).map(encodeURIComponentSafely))
  const paths = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
    path: fc.array(part, { maxLength: 5 }).map(parts => `/${parts.join('/')}`),
    type: fc.constantFrom('application/json', 'text/plain', 'application/json; charset=x', ',', 'multipart/form-data'),
    body: fc.constantFrom('', '{}', 'x', '{"model":"scripted"}')
  })
  await holds(fc.asyncProperty(paths, async ({ method, path, type, body }) => {
    const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`
    const response = await exchange(service.url, Buffer.from(head + body, 'latin1'))
    if (response.status !== 200) expectNamed(response.status, await response.text())
    else if (method !== 'GET') throw new Error(`${method} ${path} was taken`)
  }), 150)
  await livesOn(t, service)
})

void t.test('150 heads that are no HTTP are answered in the envelope', async t => {
  const noise = fc.string({ minLength: 1, maxLength: 30, unit: 'binary' }).filter(text => !/^\r?\n/.test(text))
  const heads = fc.oneof(
    // No method of HTTP starts with these.
    noise.map(text => `~${text}\r\n\r\n`),
    noise.map(text => `GET /health HTTP/1.1\r\nHost: x\r\n(${text.replace(/[\r\n:]/g, '')}): x\r\n\r\n`),
    noise.map(text => `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: x${text.replace(/[\r\n]/g, '')}\r\n\r\n`),
    noise.map(text => `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n~${text}\r\n\r\n`)
  )
  await holds(fc.asyncProperty(heads, async head => {
    const response = await exchange(service.url, Buffer.from(head, 'utf8'))
    const body = await response.text()
    if (response.status !== 400) throw new Error(`${response.status} for ${JSON.stringify(head)}`)
    expectNamed(400, body)
  }), 150)
  await livesOn(t, service)
})

function encodeURIComponentSafely (text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

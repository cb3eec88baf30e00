import { readFileSync } from 'node:fs'
import Schema from 'typebox/schema'
import t, { type Test } from 'tap'
import { chunksOf, namedOf, played, script, startService } from './support/service.js'

type Json = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it freely

const { url, post, respond } = await startService(t)
const response = await fetch(`${url}/openapi.json`)
const text = await response.text()
const api = JSON.parse(text) as Json

const OPERATIONS = [
  'get /health', 'get /health/ready', 'get /v1/models', 'get /v1/models/{id}', 'post /mcp', 'post /v1/chat/completions', 'post /v1/responses'
]
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

const operation = (name: string): Json => {
  const [method = '', path = ''] = name.split(' ')
  return api.paths[path]?.[method]
}

function answers (name: string, status: number, type = 'application/json'): Json {
  return operation(name).responses[status].content[type].schema
}

function fits (t: Test, schema: Json, value: unknown, what: string): void {
  const [valid, errors] = Schema.Errors(schema, value)
  t.ok(valid, `${what}: ${JSON.stringify(errors)}`)
}

function refuses (t: Test, schema: Json, value: unknown, what: string): void {
  t.notOk(Schema.Check(schema, value), what)
}

/** Each object of the description with its path. */
function * objects (value: unknown, path: string): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value]
  for (const [key, inner] of Object.entries(value)) yield * objects(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

void t.test('/openapi.json is an OpenAPI 3.1 description of this service', async t => {
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.match(api.openapi, /^3\.1\.\d$/)
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  t.match(api.info, { title: 'svc', version })
  t.ok(Array.isArray(api.servers) && typeof api.servers[0].url === 'string')
})

void t.test('it describes each endpoint, and nothing else', async t => {
  const found = Object.entries(api.paths as Json).flatMap(([path, item]) => Object.keys(item as Json).map(method => `${method} ${path}`))
  t.strictSame(found.sort(), [...OPERATIONS].sort())
})

void t.test('each operation has a summary, and answers with a description and a schema', async t => {
  for (const name of OPERATIONS) {
    const { summary, responses } = operation(name)
    t.ok(typeof summary === 'string' && summary !== '', name)
    t.ok(Object.keys(responses).includes('200'))
    for (const [status, answer] of Object.entries(responses as Json)) {
      t.match(status, /^[1-5](\d\d|XX)$|^default$/)
      t.type(answer.description, 'string', `${name} ${status}`)
      t.ok(Object.keys(answer.content).length > 0)
      for (const { schema } of Object.values(answer.content as Json)) t.equal(schema.type, 'object')
    }
  }
})

void t.test('its structure is valid: parameters, references and schemas', async t => {
  for (const [path, item] of Object.entries(api.paths as Json)) {
    t.match(path, /^\//)
    for (const [method, { parameters = [], operationId }] of Object.entries(item as Json)) {
      t.ok(METHODS.includes(method))
      t.ok(operationId === undefined || typeof operationId === 'string')
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = parameters.filter((parameter: Json) => parameter.in === 'path')
      t.strictSame(declared.map((parameter: Json) => parameter.name), named, path)
      for (const parameter of declared) t.match(parameter, { required: true, schema: { type: 'string' } })
    }
  }
  for (const [path, object] of objects(api, '#')) {
    if (typeof object.$ref !== 'string') continue
    const target = object.$ref.slice(2).split('/').reduce<unknown>((at, key) => (at as Json)?.[key], api)
    t.ok(target, `${path} refers to ${object.$ref}`)
  }
  const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']
  for (const [path, object] of objects(api.paths, '#/paths')) {
    if (path.endsWith('/properties') || !('type' in object) || /\/(example|default)s?(\/|$)/.test(path)) continue
    for (const type of [object.type].flat()) t.ok(types.includes(type as string), `${path} has the type ${String(type)}`)
    if ('required' in object && 'properties' in object) {
      for (const name of object.required) t.ok(name in object.properties, `${path} requires ${name} and does not describe it`)
    }
  }
})

void t.test('it is plain JSON Schema: nothing of the validator shows', async t => {
  t.notMatch(text, /"~|"\$id"|"errorMessage"/)
  for (const [path, object] of objects(api.paths, '#/paths')) {
    if ('nullable' in object) t.fail(`${path} is nullable, which OpenAPI 3.1 no longer knows`)
    if (typeof object.discriminator === 'object' && 'propertyName' in object.discriminator) t.ok('oneOf' in object || 'anyOf' in object, `${path} discriminates between something`)
  }
})

void t.test('the request of a chat completion is described with the fields and ranges of the specification', async t => {
  const body = operation('post /v1/chat/completions').requestBody
  t.equal(body.required, true)
  const { schema } = body.content['application/json']
  t.strictSame([...schema.required].sort(), ['messages', 'model'])
  t.match(schema.properties, {
    model: { type: 'string' }, messages: { type: 'array', minItems: 1 },
    temperature: { minimum: 0, maximum: 2, default: 0.7 },
    top_p: { minimum: 0, maximum: 1, default: 1 },
    max_tokens: { exclusiveMinimum: 0 },
    stream: { default: false },
    max_completion_tokens: { exclusiveMinimum: 0 }, stream_options: Object
  })
  for (const [name, { type }] of Object.entries(schema.properties as Json)) {
    if (name !== 'model' && name !== 'messages') t.ok(type === undefined || [type].flat().includes('null'), `${name} may be null`)
  }
})

void t.test('the service takes what the description takes, and refuses what it refuses', async t => {
  const { schema } = operation('post /v1/chat/completions').requestBody.content['application/json']
  const base = { model: 'scripted', messages: [{ role: 'user', content: 'hi' }] }
  const requests: object[] = [
    base, { ...base, temperature: 0, top_p: 1, max_tokens: 5, stream: null }, { ...base, anything: {} }, { ...base, messages: [{ role: 'developer', content: [{ type: 'text', text: 'a' }] }, ...base.messages] },
    { ...base, messages: [{ role: 'assistant', content: null, tool_calls: [{}] }, { role: 'tool', content: 'x', tool_call_id: 'c' }, ...base.messages] },
    {}, { ...base, model: 5 }, { ...base, messages: [] }, { ...base, messages: [5] }, { ...base, messages: [{ role: 'bot', content: 'hi' }] }, { ...base, messages: [{ role: 'user' }] },
    { ...base, messages: [{ role: 'user', content: null }] }, { ...base, messages: [{ role: 'user', content: [{ type: 'video' }] }] }, { ...base, temperature: 3 }, { ...base, top_p: -1 },
    { ...base, max_tokens: 0 }, { ...base, max_tokens: 1.5 }, { ...base, stream: 'true' }, { ...base, stream_options: { include_usage: 1 } }
  ]
  for (const request of requests) {
    const response = await post(request)
    await response.text()
    t.equal(Schema.Check(schema as Json, request), response.status === 200, JSON.stringify(request))
  }
})

void t.test('what the service answers is what the description says', async t => {
  const get = async (path: string) => JSON.parse(await (await fetch(url + path)).text()) as Json
  const chat = 'post /v1/chat/completions'
  fits(t, answers('get /health', 200), await get('/health'), 'health')
  fits(t, answers('get /health/ready', 503), await get('/health/ready'), 'ready')
  fits(t, answers('get /v1/models', 200), await get('/v1/models'), 'models')
  fits(t, answers('get /v1/models/{id}', 200), await get('/v1/models/svc-code'), 'model')
  fits(t, answers('get /v1/models/{id}', 404), await get('/v1/models/nothing'), 'no model')
  const reply = JSON.parse(await (await post(script(['hi', { type: 'usage', prompt_tokens: 1, completion_tokens: 2, reasoning_tokens: 1 }]))).text())
  fits(t, answers(chat, 200), reply, 'completion')
  for (const [status, body] of [[400, {}], [404, { ...script([]), model: 'nothing' }], [500, script([{ throw: 'x' }])]] as const) {
    fits(t, answers(chat, status), JSON.parse(await (await post(body)).text()), String(status))
  }
  for (const schema of [answers('get /health', 200), answers('get /v1/models', 200), answers(chat, 200), answers(chat, 400)]) refuses(t, schema, {}, 'a schema that takes anything says nothing')
  for (const status of [400, 404, 409, 413, 415, 500, 503]) t.strictSame(Object.keys(answers(chat, status).properties.error.properties).sort(), ['code', 'message', 'type'], String(status))
})

void t.test('the events of a stream are described, too', async t => {
  const schema = answers('post /v1/chat/completions', 200, 'text/event-stream')
  const stream = await post(script([{ type: 'progress', text: 'p' }, { wait: 1200 }, 'hi'], { stream: true, stream_options: { include_usage: true } }))
  const chunks = chunksOf(await stream.text())
  t.ok(chunks.length >= 5, 'role, progress, text, finish, usage')
  for (const chunk of chunks) fits(t, schema, chunk, JSON.stringify(chunk))
  refuses(t, schema, {}, 'nothing')
})

void t.test('a response and its events are what the description says', async t => {
  const name = 'post /v1/responses'
  const { schema } = operation(name).requestBody.content['application/json']
  t.strictSame([...schema.required].sort(), ['input', 'model'])
  for (const request of [{}, { model: 'scripted' }, { model: 'scripted', input: 5 }, { model: 'scripted', input: [] }, { model: 'scripted', input: 'hi', temperature: 3 }, { model: 'scripted', input: 'hi', metadata: { a: 1 } }, { model: 'scripted', input: 'hi', user: null }, { model: 'scripted', input: [{ role: 'user', content: 'hi' }] }]) {
    const response = await respond(request)
    await response.text()
    t.equal(Schema.Check(schema as Json, request), response.status === 200, JSON.stringify(request))
  }
  const steps = [{ type: 'progress', text: 'p' }, { wait: 1200 }, 'hi', { type: 'usage', prompt_tokens: 1, completion_tokens: 2, reasoning_tokens: 1 }]
  const described = answers(name, 200)
  fits(t, described, JSON.parse(await (await respond(played(steps, { user: 'me', metadata: { a: 'b' } }))).text()), 'response')
  fits(t, described, JSON.parse(await (await respond(played(['cut', { type: 'finish', reason: 'length' }]))).text()), 'incomplete')
  refuses(t, described, {}, 'nothing')
  const events = namedOf(await (await respond(played(steps, { stream: true }))).text())
  for (const event of events) fits(t, answers(name, 200, 'text/event-stream'), event, event.type)
  for (const { response } of events.filter(({ response }) => response)) fits(t, described, response, 'in an event')
})

void t.test('/docs is a page whose assets all load, from this very service', async t => {
  for (const path of ['/docs', '/docs/']) {
    const page = await fetch(url + path)
    t.equal(page.status, 200)
    t.match(page.headers.get('content-type'), /^text\/html/)
    const html = await page.text()
    const assets = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => new URL(link, page.url))
    t.ok(assets.some(({ pathname }) => pathname.endsWith('.js')) && assets.some(({ pathname }) => pathname.endsWith('.css')))
    for (const asset of assets) {
      t.equal(asset.origin, url, `${asset.href} is served here`)
      const loaded = await fetch(asset)
      t.equal(loaded.status, 200, asset.pathname)
      const type = { js: /javascript/, css: /^text\/css/, png: /^image\/png/ }[asset.pathname.split('.').at(-1) as 'js']
      t.match(loaded.headers.get('content-type'), type ?? /never/, asset.pathname)
      t.ok((await loaded.arrayBuffer()).byteLength > 50)
    }
  }
})

void t.test('the page shows the description of this service', async t => {
  const page = await fetch(`${url}/docs`)
  const scripts = [...(await page.text()).matchAll(/src="([^"]+initializer[^"]*)"/g)].map(([, link = '']) => new URL(link, page.url))
  t.equal(scripts.length, 1)
  const shown = await (await fetch(`${url}/docs/json`)).text()
  t.strictSame(JSON.parse(shown), api)
  t.match(await (await fetch(scripts[0] as URL)).text(), /\/json/)
})

void t.test('a service that is never asked for its docs never makes them, and closes all the same', async t => {
  const { app } = await startService(t)
  await app.close()
})

import t from 'tap'
import { refusal } from '../../support/envelope.js'
import { AGENTS, startService } from '../../support/service.js'

const FIELDS = ['created', 'description', 'id', 'max_input_tokens', 'max_output_tokens', 'object', 'owned_by']

const slashed = t.testdir({
  pair: {
    'index.mjs': `export default async function (fastify) {
      fastify.agents.register('team/one', { class_name: 'pair.agent.One', init_params: {}, description: 'First of two' })
      fastify.agents.register('two é', { class_name: 'pair.agent.One', init_params: {}, description: 'Second of two' })
    }`,
    'agent.mjs': `export class One {
      modelInfo () { return { max_input_tokens: 7, max_output_tokens: 3 } }
      async * reply () { yield 'one' }
    }`
  },
  'loose.txt': 'not an agent'
})

const before = Math.floor(Date.now() / 1000)
const { client, url } = await startService(t, { agentsDirs: [AGENTS, slashed], aliases: { 'gpt-4o': 'svc-code' } })

void t.test('GET /v1/models lists each registered agent with exactly the fields of the specification', async t => {
  const response = await fetch(`${url}/v1/models`)
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/)
  const list = JSON.parse(await response.text())
  t.strictSame(Object.keys(list), ['object', 'data'])
  t.equal(list.object, 'list')
  t.strictSame(list.data.map((model: { id: string }) => model.id).sort(), ['narrow', 'scripted', 'svc-code', 'team/one', 'two é'])
  for (const model of list.data) {
    t.strictSame(Object.keys(model).sort(), FIELDS, model.id)
    t.equal(model.object, 'model')
    t.equal(model.owned_by, 'svc')
    t.ok(Number.isInteger(model.created) && model.created >= before && model.created <= Date.now() / 1000, 'created is a time in seconds')
    t.ok(Number.isInteger(model.max_input_tokens) && Number.isInteger(model.max_output_tokens))
  }
})

void t.test('svc-code tells the limits and the description of the specification', async t => {
  const { created, description, ...rest } = await client.models.retrieve('svc-code') as unknown as Record<string, unknown>
  t.ok(created)
  t.match(description, /^autonomous Python\/TypeScript coding agent with planning, generation and testing\.?$/i)
  t.strictSame(rest, { id: 'svc-code', object: 'model', owned_by: 'svc', max_input_tokens: 32768, max_output_tokens: 8192 })
})

void t.test('an agent that was dropped in tells what it was registered with', async t => {
  const { created, ...rest } = await client.models.retrieve('two é') as unknown as Record<string, unknown>
  t.ok(created)
  t.strictSame(rest, { id: 'two é', object: 'model', owned_by: 'svc', description: 'Second of two', max_input_tokens: 7, max_output_tokens: 3 })
})

void t.test('the official client lists the models and reads each one of them', async t => {
  const ids: string[] = []
  for await (const model of client.models.list()) {
    ids.push(model.id)
    t.strictSame(await client.models.retrieve(model.id), model, 'the one read is the one listed')
  }
  t.ok(ids.includes('svc-code') && ids.includes('team/one'))
})

void t.test('an id with a slash is read in its escaped form', async t => {
  const response = await fetch(`${url}/v1/models/team%2Fone`)
  t.equal(response.status, 200)
  t.equal(JSON.parse(await response.text()).id, 'team/one')
})

void t.test('the list does not change from one call to the next', async t => {
  const first = await (await fetch(`${url}/v1/models`)).text()
  await new Promise(resolve => setTimeout(resolve, 1100)) // created is in seconds
  t.equal(await (await fetch(`${url}/v1/models`)).text(), first)
})

void t.test('a query and a trailing slash make no difference', async t => {
  for (const path of ['/v1/models/', '/v1/models?limit=1&after=x', '/v1/models/?']) {
    const response = await fetch(url + path)
    t.equal(response.status, 200, path)
    t.equal(JSON.parse(await response.text()).data.length, 5)
  }
})

void t.test('an alias is read under its own name and not listed', async t => {
  const model = await client.models.retrieve('gpt-4o') as unknown as Record<string, unknown>
  t.equal(model.id, 'gpt-4o')
  t.equal(model.max_input_tokens, 32768)
  t.notOk((await client.models.list()).data.some(({ id }) => id === 'gpt-4o'))
})

void t.test('an unknown id is a 404 that lists the ids that there are', async t => {
  for (const id of ['gpt-5', 'SVC-CODE', 'svc-code%20', '__proto__', 'constructor', 'toString', 'team', '%00', 'a%2F..%2Fsvc-code']) {
    const { message } = await refusal(t, await fetch(`${url}/v1/models/${id}`), 404, 'model_not_found')
    t.match(message, /not found/)
    for (const known of ['svc-code', 'scripted', 'narrow', 'team/one', 'two é']) t.ok(message.includes(known), `${id}: names ${known}`)
  }
})

void t.test('an unknown id is quoted, and cut where it is long', async t => {
  t.match((await refusal(t, await fetch(`${url}/v1/models/gpt-5`), 404, 'model_not_found')).message, /'gpt-5'/)
  const { message } = await refusal(t, await fetch(`${url}/v1/models/${'a'.repeat(450)}`), 404, 'model_not_found')
  t.ok(message.length < 300)
})

void t.test('the official client throws its own NotFoundError for an unknown id', async t => {
  await t.rejects(client.models.retrieve('nothing'), { status: 404, code: 'model_not_found', type: 'invalid_request_error' })
})

void t.test('a HEAD request is answered without a body', async t => {
  const response = await fetch(`${url}/v1/models`, { method: 'HEAD' })
  t.equal(response.status, 200)
  t.equal(await response.text(), '')
})

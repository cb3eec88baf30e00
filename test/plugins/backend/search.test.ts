import http from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { buildApp } from '../../../app.js'
import { chooseBackend } from '../../../plugins/backend/choose.js'
import { LOCAL_SERVERS, search } from '../../../plugins/backend/search.js'
import { Page, say, startBackend } from '../../support/backend.js'
import { freePort } from '../../support/cli.js'
import { KINDS, MODELS, startDialect } from '../../support/dialects.js'
import { readableLog } from '../../support/log.js'
import { startService } from '../../support/service.js'

const at = (port: number) => `http://127.0.0.1:${port}/v1`

async function mute (t: Test): Promise<string> {
  const server = createServer(socket => socket.on('error', () => socket.destroy()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return at((server.address() as AddressInfo).port)
}

const summary = ({ found }: Awaited<ReturnType<typeof search>>) =>
  found.map(({ address, seen }) => [address.shown, seen.server.kind, seen.state])

void t.test('the usual addresses are this machine\'s, in the order of the servers\' names', async t => {
  t.same(LOCAL_SERVERS.map(url => new URL(url).hostname), LOCAL_SERVERS.map(() => '127.0.0.1'))
  t.same([...new Set(LOCAL_SERVERS.map(url => new URL(url).port))], ['8080', '11434', '1234', '8000', '13305'])
})

void t.test('where nothing listens, or something that keeps silent, the search is over', async t => {
  const nobody = await Promise.all([1, 2, 3, 4].map(async () => at(await freePort())))
  t.same(await search(nobody, {}), { found: [], silent: [] })
  const silent = await mute(t)
  t.same(await search([...nobody, silent], {}), { found: [], silent: [silent] })
})

void t.test('all five kinds of servers are found at the same time, and recognised by their answers', async t => {
  const servers = await Promise.all(KINDS.map(async kind => await startDialect(t, kind, 40960)))
  const { found } = await search(servers.map(({ url }) => url), {})
  t.same(found.map(({ seen }) => seen.server.kind), [...KINDS])
  t.same(found.map(({ seen }) => seen.modelState.model), KINDS.map(kind => MODELS[kind]))
})

void t.test('what can be used at once comes before what must load a model, and that before what cannot be used', async t => {
  const small = await startDialect(t, 'llama.cpp', 4096)
  const unloaded = await startDialect(t, 'ollama', 'unloaded')
  const fine = await startDialect(t, 'lm-studio', 32768)
  t.same(summary(await search([small.url, unloaded.url, fine.url], {})), [[fine.url, 'lm-studio', 'ready'], [unloaded.url, 'ollama', 'unloaded'], [small.url, 'llama.cpp', 'failed']])
  t.equal(unloaded.calls.length, 0, 'looking loads nothing')
})

void t.test('the model that is wanted decides before anything else', async t => {
  const fine = await startDialect(t, 'vllm', 40960)
  const wanted = await startDialect(t, 'ollama', 'unloaded')
  const { found } = await search([fine.url, wanted.url], { model: 'gemma3:4b' })
  t.equal(found[0]?.address.shown, wanted.url)
})

void t.test('neither this service nor another svc is mistaken for a language model', async t => {
  for (const options of [{}, { apiKey: 'secret' }]) {
    const { url } = await startService(t, options)
    t.same(await search([`${url}/v1`], {}), { found: [], silent: [] })
  }
})

void t.test('another svc is recognised even if it is slow', async t => {
  for (const slow of ['/health', '/health/ready', '/v1/models', 'nothing']) {
    const app = await buildApp({ drain: 0 })
    t.teardown(() => app.close())
    app.addHook('onRequest', async ({ url }) => { if (url === slow) await sleep(1000) })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    t.same((await search([`${url}/v1`], {})).found, [], slow)
  }
})

void t.test('a service never asks at the address where it listens itself', async t => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const port = await freePort()
    const app = await buildApp({ drain: 0, backendSearch: [at(port)] })
    t.teardown(() => app.close())
    const asked: string[] = []
    app.addHook('onRequest', async ({ url }) => { asked.push(url); await sleep(1000) }) // it would be taken for a server that keeps silent
    await app.listen({ port, host })
    const { kind, problem } = await app.backend.info()
    t.equal(kind, 'none')
    t.notMatch(problem, /does not answer/)
    t.same(asked, [])
  }
})

void t.test('a backend URL that leads back to the service in another way is reported before a request is sent there', async t => {
  const port = await freePort()
  const app = await buildApp({ drain: 0, backendUrl: `http://127.1:${port}` })
  t.teardown(() => app.close())
  await app.listen({ port, host: '127.0.0.1' })
  t.match(await app.backend.info(), { problem: /leads back to this very service/, remedy: /--backend-url/ })
})

void t.test('no key is sent to whom nobody named', async t => {
  const keys: unknown[] = []
  const server = http.createServer((request, response) => {
    keys.push(request.headers.authorization)
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"who are you?"}}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.closeAllConnections(); server.close() })
  const { log, lines } = readableLog()
  const candidates = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`]
  const backend = await chooseBackend({ key: 'a-secret', candidates }, { log })
  t.teardown(() => backend.close())
  let info = await backend.info()
  while (info.kind === 'none') info = await backend.info() // on a busy machine a glance may be too short
  t.match(info, { problem: /wants a key/, remedy: /--backend-url http:.*and its key in --backend-key/ })
  t.ok(keys.length > 0)
  t.ok(keys.every(key => key === undefined), JSON.stringify(keys))
  t.match(lines.filter(({ level }) => level === 'warn'), [{ text: /^--backend-key is sent to nobody.*Name it with --backend-url/ }])
  t.notMatch(JSON.stringify(lines), /a-secret/)
})

void t.test('other programs at these addresses are left alone', async t => {
  for (const page of [{ hello: 1 }, { data: { id: 'x' } }, new Page(401, 'sign in'), new Page(404, {}), new Page(503, { error: 'out of order' }), new Page(200, '<html>')]) {
    const server = await startBackend(t, say('x'), { '/v1/models': page })
    t.same(summary(await search([server.url], {})), [], JSON.stringify(page))
    t.same(server.paths, ['/v1/models'], 'and not asked further')
  }
})

void t.test('a server that needs a key is found, and the error says so', async t => {
  const server = await startBackend(t, say('x'), { '/v1/models': new Page(401, { error: { message: 'no key' } }) })
  const { found } = await search([server.url], {})
  t.match(found, [{ seen: { state: 'failed', error: { message: /wants a key.*--backend-key/ } } }])
})

void t.test('an older Lemonade that answers below /api only is found there, and a newer one once', async t => {
  const lemonade = { data: [{ id: 'm', owned_by: 'lemonade' }] }
  const health = { all_models_loaded: [{ model_name: 'm', type: 'llm', recipe_options: { ctx_size: 40960 } }] }
  const old = await startBackend(t, say('x'), { '/api/v1/models': lemonade, '/api/v1/health': health })
  const below = old.url.replace('/v1', '/api/v1')
  t.same(summary(await search([old.url, below], {})), [[below, 'lemonade', 'ready']])
  const both = await startBackend(t, say('x'), { '/api/v1/models': lemonade, '/v1/models': lemonade, '/v1/health': health })
  t.same(summary(await search([both.url, both.url.replace('/v1', '/api/v1')], {})), [[both.url, 'lemonade', 'ready']])
})

import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import type { Backend, BackendInfo, ProgressEvent } from '../../../agents/types.js'
import { HttpBackend, type HttpBackendOptions } from '../../../plugins/backend/http-backend.js'
import { Page, say, startBackend } from '../../support/backend.js'
import { KINDS, MODELS, REMEDIES, startDialect } from '../../support/dialects.js'
import { readableLog, silent } from '../../support/log.js'
import { until } from '../../support/service.js'
import { ask, eventsFrom, never, textOf } from './contract.js'

function backendAt (t: Test, url: string, more: Partial<HttpBackendOptions> = {}): HttpBackend {
  const backend = new HttpBackend({ url, log: silent, ...more })
  t.teardown(() => backend.close())
  return backend
}

/** Waits until it can be used; what was told meanwhile comes first. */
async function ready (backend: Backend): Promise<{ told: string[], info: BackendInfo }> {
  const told: string[] = []
  const steps: AsyncGenerator<ProgressEvent, BackendInfo> = backend.ready(never)
  for (;;) {
    const step = await steps.next()
    if (step.done === true) return { told, info: step.value }
    told.push(step.value.text)
  }
}

for (const kind of KINDS) {
  void t.test(`${kind} with a context that is large enough is used as it is`, async t => {
    const server = await startDialect(t, kind, 40960)
    const backend = backendAt(t, server.url)
    t.match(await backend.info(), { kind, url: server.url, model: MODELS[kind], context: 40960, slots: kind === 'llama.cpp' ? 4 : null, problem: null, remedy: null })
    t.equal(textOf(await eventsFrom(backend.chat(ask('Hi'), never))), 'Hello')
    t.equal(server.calls.length, 1, 'and is not warmed up')
    t.equal(server.calls[0]?.body.model, MODELS[kind])
  })

  void t.test(`${kind} with a context that is too small is reported with the command that helps, until it is repaired`, async t => {
    const server = await startDialect(t, kind, 4096)
    const backend = backendAt(t, server.url)
    t.match(await backend.info(), { kind, model: MODELS[kind], context: 4096, problem: /4096 tokens, and agents need 32768/, remedy: REMEDIES[kind] })
    await t.rejects(eventsFrom(backend.chat(ask('Hi'), never)), { name: 'ContextTooSmall', message: REMEDIES[kind], context: 4096 })
    t.equal(server.calls.length, 0, 'it is not asked')
    server.set(32768)
    t.equal(textOf(await eventsFrom(backend.chat(ask('Hi'), never))), 'Hello')
    t.match(await backend.info(), { context: 32768, problem: null, remedy: null })
  })
}

for (const kind of ['ollama', 'lm-studio', 'lemonade'] as const) {
  void t.test(`${kind} with nothing loaded is warmed up once, and then its context is known`, async t => {
    const server = await startDialect(t, kind, 'unloaded', { loads: 40960 })
    const backend = backendAt(t, server.url)
    t.match(await backend.info(), { kind, model: MODELS[kind], context: null, problem: null }, 'it is not waited for')
    await until(() => server.calls.length === 1)
    t.match(server.calls[0]?.body, { model: MODELS[kind], max_tokens: 1, stream: true })
    const replies = await Promise.all([1, 2, 3].map(async () => textOf(await eventsFrom(backend.chat(ask('Hi'), never)))))
    t.same(replies, ['Hello', 'Hello', 'Hello'])
    t.equal(server.calls.length, 4)
    t.match(await backend.info(), { context: 40960, problem: null })
  })

  void t.test(`${kind} that loads with a context that is too small is known before a request, and stays so when it unloads`, async t => {
    const server = await startDialect(t, kind, 'unloaded', { loads: 4096 })
    const { log, lines } = readableLog()
    const backend = backendAt(t, server.url, { log })
    await backend.info()
    await until(() => lines.some(({ level, text }) => level === 'warn' && REMEDIES[kind].test(text)))
    t.match(await backend.info(), { context: 4096, problem: /4096/, remedy: REMEDIES[kind] })
    await t.rejects(ready(backend), { name: 'ContextTooSmall' })
    server.set('unloaded')
    t.match(await backend.info(), { problem: /4096/, remedy: REMEDIES[kind] }, 'looking does not load it again')
    t.equal(server.calls.length, 1)
    await t.rejects(ready(backend), { name: 'ContextTooSmall' }, 'a request does')
    t.equal(server.calls.length, 2)
  })
}

void t.test('callers that wait for a model get progress, and an abort does not end the loading for others', async t => {
  const open: Array<() => unknown> = []
  const server = await startDialect(t, 'ollama', 'unloaded', { answer: call => open.push(() => say('Hello')(call)) })
  const backend = backendAt(t, server.url)
  const abort = new AbortController()
  const reason = new Error('enough')
  const left = t.rejects(eventsFrom(backend.chat(ask('Hi'), abort.signal)), reason)
  const stayed = ready(backend)
  await until(() => open.length === 1)
  abort.abort(reason)
  await left
  open[0]?.()
  t.match(await stayed, { told: ['Ollama loads qwen3:14b\n'], info: { context: 40960 } })
})

void t.test('a model that cannot be loaded is reported with the server\'s message, and tried again with the next request', async t => {
  let isFull = true
  const server = await startDialect(t, 'lm-studio', 'unloaded', {
    answer: call => isFull ? call.response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"Failed to load model: insufficient system resources"}') : say('Hello')(call)
  })
  const backend = backendAt(t, server.url)
  await t.rejects(ready(backend), { name: 'BackendRefused', message: /LM Studio at .* answered 400: Failed to load model: insufficient/ })
  t.match(await backend.info(), { problem: /insufficient system resources/ })
  isFull = false
  t.equal(textOf(await eventsFrom(backend.chat(ask('Hi'), never))), 'Hello')
})

void t.test('llama.cpp that is loading its model is waited for', async t => {
  const server = await startDialect(t, 'llama.cpp', 'unloaded')
  const backend = backendAt(t, server.url)
  t.match(await backend.info(), { kind: 'llama.cpp', problem: /is loading its model/, remedy: /wait/ })
  const waiting = ready(backend)
  await new Promise(resolve => setTimeout(resolve, 50))
  server.set(32768)
  t.match(await waiting, { told: [/is loading its model/], info: { context: 32768, problem: null } })
  t.equal(server.calls.length, 0, 'and not warmed up')
})

void t.test('llama.cpp as a router: a loaded model is recognised, another one is loaded, and the context is that of the model', async t => {
  const entry = (id: string, value: string) => ({ id, object: 'model', owned_by: 'llamacpp', created: 1, status: { value, args: ['llama-server'] } })
  const props = (n_ctx: number) => ({ default_generation_settings: { n_ctx }, total_slots: 4 })
  const router = { '/props': { role: 'router', default_generation_settings: { params: {}, n_ctx: 0 } } }
  const pages: Record<string, unknown> = {
    ...router,
    '/v1/models': { object: 'list', data: [entry('gemma', 'unloaded'), entry('org/qwen:Q4', 'loaded')] },
    '/props?model=org%2Fqwen%3AQ4&autoload=false': props(40960)
  }
  const server = await startBackend(t, call => {
    Object.assign(pages, { '/v1/models': { object: 'list', data: [entry('gemma', 'loaded')] }, '/props?model=gemma&autoload=false': props(4096) })
    say('Hello')(call)
  }, pages)
  t.match(await backendAt(t, server.url).info(), { kind: 'llama.cpp', model: 'org/qwen:Q4', context: 40960, slots: 4, problem: null })
  t.equal(server.calls.length, 0)
  await t.rejects(ready(backendAt(t, server.url, { model: 'gemma' })), { name: 'ContextTooSmall', message: /4096 tokens.*llama-server -c 32768 -np 4 -kvu/ })
  t.match(server.calls[0]?.body, { model: 'gemma', max_tokens: 1 }, 'it was loaded to see')
  const bare = await startBackend(t, say('x'), { ...router, '/v1/models': { object: 'list', data: [] } })
  t.match(await backendAt(t, bare.url).info(), { kind: 'llama.cpp', problem: /has no model/, remedy: /llama-server -m FILE/ })
})

void t.test('an abort ends the wait for a server that is loading, and a deadline does', async t => {
  const server = await startDialect(t, 'llama.cpp', 'unloaded')
  const abort = new AbortController()
  const reason = new Error('enough')
  const waiting = t.rejects(eventsFrom(backendAt(t, server.url).chat(ask('Hi'), abort.signal)), reason)
  abort.abort(reason)
  await waiting
  await t.rejects(ready(backendAt(t, server.url, { deadlines: { firstToken: 20 } })), { name: 'BackendSlow', message: /still loading.*--first-token-timeout/ })
})

void t.test('vLLM without a model says how to start it with one', async t => {
  const server = await startDialect(t, 'vllm', 'unloaded')
  t.match(await backendAt(t, server.url).info(), { kind: 'vllm', model: null, problem: /vLLM at .* has no model/, remedy: /vllm serve MODEL/ })
})

void t.test('Ollama and LM Studio without any model say how to get one', async t => {
  const ollama = await startBackend(t, say('x'), { '/v1/models': { object: 'list', data: null }, '/api/version': { version: '0.33.3' }, '/api/ps': { models: [] } })
  t.match(await backendAt(t, ollama.url).info(), { kind: 'ollama', problem: /has no model/, remedy: /ollama pull MODEL/ })
  const studio = await startBackend(t, say('x'), { '/v1/models': { object: 'list', data: [] }, '/api/v1/models': { models: [] } })
  t.match(await backendAt(t, studio.url).info(), { kind: 'lm-studio', problem: /has no model/, remedy: /lms get MODEL/ })
  t.equal(ollama.calls.length + studio.calls.length, 0)
})

void t.test('LM Studio before 0.4 is known by its older interface', async t => {
  const models = (state: string) => ({ data: [{ id: 'embed', type: 'embeddings', state: 'loaded', max_context_length: 2048 }, { id: 'qwen', type: 'llm', state, max_context_length: 131072, ...(state === 'loaded' && { loaded_context_length: 8192 }) }] })
  const listed = { '/v1/models': { data: [{ id: 'qwen', owned_by: 'organization_owner' }] } }
  const loaded = await startBackend(t, say('x'), { ...listed, '/api/v0/models': models('loaded') })
  t.match(await backendAt(t, loaded.url).info(), { kind: 'lm-studio', model: 'qwen', context: 8192, remedy: /lms load qwen --context-length 32768/ })
  const not = await startBackend(t, say('x'), { ...listed, '/api/v0/models': models('not-loaded') })
  t.match(await backendAt(t, not.url).info(), { kind: 'lm-studio', model: 'qwen', context: null, problem: null })
})

void t.test('the model of --backend-model is the one that is looked at and asked for', async t => {
  const server = await startDialect(t, 'ollama', 4096)
  const backend = backendAt(t, server.url, { model: 'gemma3:4b' })
  t.match(await backend.info(), { kind: 'ollama', model: 'gemma3:4b', context: null, problem: null }, 'it is not the one that is loaded')
  await until(() => server.calls.length === 1)
  t.equal(server.calls[0]?.body.model, 'gemma3:4b')
  const latest = await startBackend(t, say('x'), { '/v1/models': { data: [{ id: 'a:latest' }] }, '/api/version': { version: '1' }, '/api/ps': { models: [{ model: 'a:latest', context_length: 65536 }] } })
  t.match(await backendAt(t, latest.url, { model: 'a' }).info(), { model: 'a:latest', context: 65536 })
})

void t.test('a model that was made for less is not to be had with a larger context', async t => {
  const server = await startBackend(t, say('x'), { '/v1/models': { data: [{ id: 'old', owned_by: 'llamacpp', meta: { n_ctx_train: 8192 } }] }, '/props': { default_generation_settings: { n_ctx: 8192 } } })
  t.match(await backendAt(t, server.url).info(), { problem: /8192/, remedy: /another model: this one was made for 8192 tokens/ })
})

void t.test('a model\'s name cannot add a command to the command in the remedy', async t => {
  const server = await startBackend(t, say('x'), { '/v1/models': { data: [{ id: "x'; rm -rf ~; '", owned_by: 'vllm', max_model_len: 4096 }] } })
  t.equal((await backendAt(t, server.url).info()).remedy, "restart it as vllm serve 'x'\\''; rm -rf ~; '\\''' --max-model-len 32768 with your other options")
})

void t.test('a server that knows nothing but chat completions is used, and its context trusted with one warning', async t => {
  const server = await startBackend(t, say('Hello'))
  const { log, lines } = readableLog()
  const backend = backendAt(t, server.url, { log })
  for (let i = 0; i < 3; i++) t.equal(textOf(await eventsFrom(backend.chat(ask('Hi'), never))), 'Hello')
  t.match(await backend.info(), { kind: 'unknown', model: null, context: null, problem: null })
  t.same(server.calls.map(({ body }) => body.model), ['default', 'default', 'default'])
  t.match(lines.filter(({ level }) => level === 'warn'), [{ text: /does not tell how large its context is.*32768/ }])
})

void t.test('absurd values from a server are ignored', async t => {
  for (const [data, info] of [
    [[{ id: 'a', context_length: '32' }], { model: 'a', context: null }], [[null, 3, { id: 'b', max_model_len: -1, owned_by: 'vllm' }], { model: 'b', context: null }],
    [[{ id: '', context_length: 1.5 }], { model: null, context: null }], [{ id: 'x' }, { model: null, context: null }], ['no list', { model: null, context: null }]
  ] as const) {
    const server = await startBackend(t, say('x'), { '/v1/models': { data } })
    t.match(await backendAt(t, server.url).info(), { ...info, problem: null }, JSON.stringify(data))
  }
})

void t.test('a missing or wrong key is reported at once', async t => {
  const server = await startBackend(t, say('x'), { '/v1/models': new Page(401, { error: { message: 'Unauthorized' } }) })
  t.match(await backendAt(t, server.url).info(), { problem: /wants a key/, remedy: /--backend-key/ })
  t.match(await backendAt(t, server.url, { key: 'wrong' }).info(), { problem: /does not take the key/, remedy: /--backend-key/ })
})

void t.test('closing ends the look at a server that is silent', async t => {
  const mute = createServer(socket => socket.on('error', () => socket.destroy()))
  await new Promise<void>(resolve => mute.listen(0, '127.0.0.1', resolve))
  t.teardown(() => mute.close())
  const backend = backendAt(t, `http://127.0.0.1:${(mute.address() as { port: number }).port}`)
  const told = backend.info()
  await backend.close()
  t.match((await told).problem, /the service is stopping/)
})

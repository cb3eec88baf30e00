import t from 'tap'
import { say, startBackend } from './support/backend.js'
import { freePort } from './support/cli.js'
import { KINDS, MODELS, REMEDIES, startDialect } from './support/dialects.js'
import { chunksOf, startService, until } from './support/service.js'

const ask = (more: object = {}) => ({ model: 'svc-code', messages: [{ role: 'user', content: 'Write a function that adds two numbers' }], ...more })

for (const kind of KINDS) {
  void t.test(`${kind} with a small context: each request fails with 32768 and the command that helps, readiness shows both, and both end when it is repaired`, async t => {
    const server = await startDialect(t, kind, 8192)
    const { post, url } = await startService(t, { backendSearch: [server.url] })
    for (const stream of [false, true]) {
      const response = await post(ask({ stream }))
      t.equal(response.status, 500)
      const { error } = await response.json() as { error: { code: string, message: string } }
      t.match(error, { code: 'agent_error', message: /^Agent processing failed: .*8192 tokens, and agents need 32768; / })
      t.match(error.message, REMEDIES[kind])
    }
    const ready = await fetch(`${url}/health/ready`)
    t.equal(ready.status, 503)
    t.match(await ready.json(), { status: 'not_ready', backend: { kind, url: server.url, model: MODELS[kind], context: 8192, reason: /found there/, problem: /8192/, remedy: REMEDIES[kind] } })
    server.set(32768)
    t.equal((await post(ask())).status, 200)
    t.match(await (await fetch(`${url}/health/ready`)).json(), { status: 'ready', backend: { context: 32768, problem: null, remedy: null } })
  })
}

void t.test('a backend that comes up after the service is used by the next request', async t => {
  const port = await freePort()
  const { post, url } = await startService(t, { backendSearch: [`http://127.0.0.1:${port}/v1`] })
  const failed = await post(ask())
  t.equal(failed.status, 500)
  t.match(await failed.json(), { error: { code: 'agent_error', message: /no language model is configured[^]*start Ollama[^]*--backend-url/ } })
  t.equal((await fetch(`${url}/v1/models`)).status, 200)
  await startBackend(t, say('late'), { '/v1/models': { object: 'list', data: [{ id: 'm', context_length: 40960 }] } }, port)
  t.equal((await post(ask())).status, 200)
  t.match(await (await fetch(`${url}/health/ready`)).json(), { status: 'ready', backend: { model: 'm' } })
})

void t.test('a client that waits for a model to be loaded sees what it waits for', async t => {
  let isWarm = false
  const server = await startDialect(t, 'ollama', 'unloaded', {
    answer: call => { if (isWarm) say('Hello')(call); else void until(() => isWarm).then(() => { say('x')(call) }) }
  })
  const { post } = await startService(t, { backendSearch: [server.url] })
  const reply = await post(ask({ stream: true }))
  setTimeout(() => { isWarm = true }, 1500)
  const progress = chunksOf(await reply.text()).map(chunk => chunk.choices[0].delta.reasoning_content).filter(Boolean).join('')
  t.match(progress, /Ollama loads qwen3:14b/)
})

void t.test('paths of this machine in a server\'s messages appear neither in the readiness nor in errors', async t => {
  const server = await startDialect(t, 'ollama', 'unloaded', { answer: ({ response }) => response.writeHead(500).end('{"error":"open /home/ann/private/model.gguf: no such file, nor /Users/Ann private/other.gguf"}') })
  const { post, url } = await startService(t, { backendUrl: server.url })
  const reply = await post(ask())
  t.equal(reply.status, 500)
  const ready = await fetch(`${url}/health/ready`)
  t.equal(ready.status, 503)
  for (const text of [await reply.text(), await ready.text()]) {
    t.match(text, /open model\.gguf: no such file, nor \.\.\. other\.gguf/)
    t.match(text, new RegExp(server.url.replaceAll('.', '\\.')), 'addresses stay')
    t.notMatch(text, /ann\b|private/i)
  }
})

import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import type { Backend } from '../../../agents/types.js'
import { type ChoiceOptions, type Embedded, chooseBackend } from '../../../plugins/backend/choose.js'
import { HttpBackend } from '../../../plugins/backend/http-backend.js'
import { say } from '../../support/backend.js'
import { freePort } from '../../support/cli.js'
import { DIALECTS, startDialect } from '../../support/dialects.js'
import { readableLog, silent } from '../../support/log.js'
import { ask, eventsFrom, never, textOf } from './contract.js'

async function choose (
  t: Test, options: ChoiceOptions, { log = silent, embedded }: { log?: typeof silent, embedded?: Embedded } = {}
): Promise<Backend> {
  const backend = await chooseBackend(options, { log, embedded })
  t.teardown(() => backend.close())
  return backend
}

const replyOf = async (backend: Backend) => textOf(await eventsFrom(backend.chat(ask('Hi'), never)))

/** A stand-in for the engine: a backend that can be distinguished from the others. */
async function engine (t: Test, isNamed: boolean): Promise<Embedded & { reasons: string[], isThere: boolean }> {
  const { url } = await startDialect(t, 'vllm', 40960, { answer: say('from the engine') })
  const self = {
    isNamed,
    isThere: true,
    reasons: [] as string[],
    async open (reason: string) {
      self.reasons.push(reason)
      return self.isThere ? new HttpBackend({ url, reason, log: silent }) : undefined
    },
    ways: () => ({ quickest: 'download one', flags: ['--model FILE.gguf', '--model demo'] })
  }
  return self
}

void t.test('a server that is found is used, and says where it is, why, and what else was found', async t => {
  const small = await startDialect(t, 'llama.cpp', 4096)
  const fine = await startDialect(t, 'ollama', 40960)
  const { log, lines } = readableLog()
  const backend = await choose(t, { candidates: [small.url, fine.url] }, { log })
  t.match(await backend.info(), { kind: 'ollama', url: fine.url, reason: /found there, as no --backend-url was given; also found: llama\.cpp at .*context 4096/, problem: null })
  t.match(lines.filter(({ level }) => level === 'info'), [{ kind: 'ollama', text: /the language model is at .*: found there/ }])
  t.equal(await replyOf(backend), 'Hello')
  t.equal(fine.calls.length, 1)
})

void t.test('with --backend-url, only that address is asked', async t => {
  const found = await startDialect(t, 'ollama', 40960)
  const embedded = await engine(t, false)
  const backend = await choose(t, { url: `http://127.0.0.1:${await freePort()}`, candidates: [found.url] }, { embedded })
  await t.rejects(replyOf(backend), { name: 'BackendUnreachable' })
  t.match(await backend.info(), { reason: 'named with --backend-url', problem: /cannot be reached/ })
  t.same([found.paths, found.calls, embedded.reasons], [[], [], []])
})

void t.test('a server that comes up after the start is found with the next request', async t => {
  const port = await freePort()
  const backend = await choose(t, { candidates: [`http://127.0.0.1:${port}/v1`] })
  t.match(await backend.info(), { kind: 'none', url: null, problem: new RegExp(`no language model is configured: no server was found.*127\\.0\\.0\\.1:${port}`), remedy: /start Ollama.*next request.*\n.*--backend-url/ })
  await t.rejects(replyOf(backend), { name: 'BackendMissing', message: /--backend-url/ })
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(DIALECTS.vllm(40960)[request.url ?? '']))
  })
  t.teardown(() => server.close())
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  t.match(await backend.info(), { kind: 'vllm', problem: null })
})

void t.test('a server that goes away gives place to another, within the request that notices', async t => {
  const first = await startDialect(t, 'ollama', 40960, { answer: say('first') })
  const second = await startDialect(t, 'lm-studio', 40960, { answer: say('second') })
  const backend = await choose(t, { candidates: [first.url, second.url] })
  t.equal(await replyOf(backend), 'first')
  await first.close()
  t.equal(await replyOf(backend), 'second')
  t.match(await backend.info(), { kind: 'lm-studio', url: second.url })
  await second.close()
  await t.rejects(replyOf(backend), { name: /BackendMissing|BackendUnreachable/ })
  t.match(await backend.info(), { kind: 'none' })
})

void t.test('a request that a server may have begun is never repeated elsewhere', async t => {
  const first = await startDialect(t, 'ollama', 40960, { answer: ({ response }) => response.destroy() })
  const second = await startDialect(t, 'lm-studio', 40960)
  const backend = await choose(t, { candidates: [first.url, second.url] })
  await t.rejects(replyOf(backend), { name: 'BackendUnreachable', unheard: false })
  t.equal(first.calls.length, 1)
  t.equal(second.calls.length, 0)
})

void t.test('a server whose setting was mended is used without a new start', async t => {
  const server = await startDialect(t, 'llama.cpp', 8192)
  const backend = await choose(t, { candidates: [server.url] })
  await t.rejects(replyOf(backend), { name: 'ContextTooSmall', message: /8192.*32768.*-c 32768/ })
  server.set(32768)
  t.equal(await replyOf(backend), 'Hello')
})

void t.test('requests at the same time share one search', async t => {
  const server = await startDialect(t, 'vllm', 40960)
  const backend = await choose(t, { candidates: [server.url] })
  const replies = await Promise.all(Array.from({ length: 10 }, async () => await replyOf(backend)))
  t.same([...new Set(replies)], ['Hello'])
  t.equal(server.paths.filter(path => path === '/v1/models').length, 2, 'a glance and a look')
})

void t.test('a model that was named is run by the engine, whatever else is there', async t => {
  const server = await startDialect(t, 'ollama', 40960)
  const embedded = await engine(t, true)
  const backend = await choose(t, { candidates: [server.url] }, { embedded })
  t.equal(await replyOf(backend), 'from the engine')
  t.match(await backend.info(), { reason: 'named with --model' })
  t.same([server.paths, server.calls], [[], []])
})

void t.test('--backend-url and --model cannot be combined', async t => {
  const embedded = await engine(t, true)
  await t.rejects(chooseBackend({ url: 'http://127.0.0.1:9', candidates: [] }, { log: silent, embedded }), { message: /--backend-url and --model exclude each other/ })
  t.same(embedded.reasons, [])
})

void t.test('where no server is found the engine is used if it has a model, and from then on', async t => {
  const port = await freePort()
  const embedded = await engine(t, false)
  embedded.isThere = false
  const backend = await choose(t, { candidates: [`http://127.0.0.1:${port}/v1`] }, { embedded })
  t.match(await backend.info(), { kind: 'none', remedy: /start Ollama.*--backend-url.*--model FILE\.gguf.*--model demo/ })
  embedded.isThere = true
  t.equal(await replyOf(backend), 'from the engine')
  t.match(await backend.info(), { reason: 'no server was found at the usual local addresses' })
  t.equal(embedded.reasons.length, 2)
})

void t.test('looking at many addresses at once is no leak of listeners', async t => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const ports = await Promise.all(Array.from({ length: 8 }, async () => await freePort()))
  const backend = await choose(t, { candidates: ports.map(port => `http://127.0.0.1:${port}/v1`) })
  t.match(await backend.info(), { kind: 'none' })
  await new Promise(resolve => setTimeout(resolve, 50)) // warnings are emitted in a later turn of the event loop
  t.same(warnings, [])
})

void t.test('where nothing is to be looked for, nothing is', async t => {
  const backend = await choose(t, { candidates: [] })
  t.match(await backend.info(), { kind: 'none', reason: null, problem: 'no language model is configured', remedy: /^start this service with --backend-url/ })
  await t.rejects(backend.ready(never).next(), { name: 'BackendMissing' })
  t.ok(await backend.countTokens([{ role: 'user', content: 'Hi' }]) > 0)
})

void t.test('once it is closed it looks for nothing any more', async t => {
  const server = await startDialect(t, 'vllm', 40960)
  const backend = await choose(t, { candidates: [server.url] })
  await backend.close()
  await t.rejects(replyOf(backend), { name: 'BackendClosed' })
  t.same(server.paths, [])
})

import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { HttpBackend } from '../../../plugins/backend/http-backend.js'
import { DEADLINES, type Deadlines } from '../../../plugins/backend/call-timeout.js'
import { type Call, startBackend } from '../../support/backend.js'
import { silent } from '../../support/log.js'
import { until } from '../../support/service.js'
import { ask, eventsFrom, never, textOf } from './contract.js'

async function start (t: Test, deadlines: Partial<Deadlines>, answer: (call: Call) => unknown) {
  const server = await startBackend(t, answer)
  const backend = new HttpBackend({ url: server.url, deadlines, log: silent })
  t.teardown(() => backend.close())
  return { server, backend }
}

void t.test('by default a model has minutes for its first token and for each further one', async t => {
  t.ok(DEADLINES.firstToken >= 600_000 && DEADLINES.nextToken >= 120_000)
})

for (const [what, answer] of [
  ['never answers', () => undefined],
  ['sends its headers only', ({ raw }: Call) => raw('')],
  ['greets and is silent', ({ chunk }: Call) => chunk({ role: 'assistant', content: null })],
  ['only says that it lives', async ({ raw, gone }: Call) => { while (!gone()) { raw(': ping\n\n'); await sleep(20) } }],
  ['sends nothing but empty messages', async ({ chunk, gone }: Call) => { while (!gone()) { chunk({ content: '' }); await sleep(20) } }]
] as Array<[string, (call: Call) => unknown]>) {
  void t.test(`a server that ${what} is left at the deadline of the first token`, async t => {
    const { backend, server } = await start(t, { firstToken: 200, nextToken: 60_000 }, answer)
    await t.rejects(eventsFrom(backend.chat(ask('Hi'), never)), { name: 'BackendSlow', message: /the backend at .* has sent nothing for 0\.2 s; .*--first-token-timeout/ })
    await until(() => server.calls[0]?.gone() === true)
  })
}

for (const [what, answer] of [
  ['falls silent', ({ chunk }: Call) => chunk({ content: 'a' })],
  ['falls silent but for comments', async ({ chunk, raw, gone }: Call) => { chunk({ content: 'a' }); while (!gone()) { raw(': ping\n\n'); await sleep(20) } }]
] as Array<[string, (call: Call) => unknown]>) {
  void t.test(`a server that ${what} in the middle of its reply is left at the deadline of the next token`, async t => {
    const { backend, server } = await start(t, { firstToken: 60_000, nextToken: 200 }, answer)
    await t.rejects(eventsFrom(backend.chat(ask('Hi'), never)), { name: 'BackendSlow', message: /has sent nothing for 0\.2 s; .*--next-token-timeout/ })
    await until(() => server.calls[0]?.gone() === true)
  })
}

void t.test('a slow model that keeps within its deadlines is read to the end', async t => {
  const { backend } = await start(t, { firstToken: 3000, nextToken: 1000 }, async ({ chunk, response }) => {
    await sleep(1200)
    for (let i = 0; i < 4; i++) { chunk({ content: 'x' }); await sleep(400) }
    chunk({}, 'stop')
    response.end()
  })
  t.equal(textOf(await eventsFrom(backend.chat(ask('Hi'), never))), 'xxxx')
})

void t.test('the time that a reader takes is not the server\'s', async t => {
  const { backend } = await start(t, { firstToken: 200, nextToken: 200 }, ({ chunk, response }) => {
    for (let i = 0; i < 3; i++) chunk({ content: 'x' })
    chunk({}, 'stop')
    response.end()
  })
  let text = ''
  for await (const event of backend.chat(ask('Hi'), never)) {
    if (event.type !== 'fragment') continue
    text += event.text
    await sleep(300)
  }
  t.equal(text, 'xxx')
})

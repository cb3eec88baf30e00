import { Writable } from 'node:stream'
import t from 'tap'
import { plugin, tempFolder, write } from './support/folders.js'
import { AGENTS, chunksOf, script, startService, until } from './support/service.js'

const narrow = (steps: unknown[], more: object = {}) => ({ ...script(steps, more), model: 'narrow' })

void t.test('without a limit nobody waits', async t => {
  const { app, post } = await startService(t)
  const leaving = new AbortController()
  const replies = Array.from({ length: 30 }, () => post(script([{ hang: true }]), {}, leaving.signal).catch(() => 'gone'))
  await until(() => app.runs.load.taken === 30, 20_000)
  t.equal(app.runs.load.waiting, 0)
  leaving.abort()
  await Promise.all(replies)
  await until(() => app.runs.load.runs === 0)
})

void t.test('an agent\'s concurrency makes its further runs wait, and tells them where they stand', async t => {
  const { app, post, client } = await startService(t)
  const first = post(narrow([{ wait: 1500 }, 'one'], { stream: true }))
  await until(() => app.runs.load.taken === 1)
  const second = post(narrow(['two'], { stream: true }))
  await until(() => app.runs.load.waiting === 1)
  const third = post(narrow(['three'], { stream: true }))
  await until(() => app.runs.load.waiting === 2)
  t.equal((await client.chat.completions.create(script(['free']))).choices[0]?.message.content, 'free', 'another agent does not wait')
  const bodies = await Promise.all([first, second, third].map(async response => (await response).text()))
  const progress = bodies.map(body => chunksOf(body).map(chunk => chunk.choices[0].delta.reasoning_content ?? '').join(''))
  t.equal(progress[0], '')
  t.match(progress[1], /number 1 in the queue/)
  t.match(progress[2], /number 2 in the queue/)
  t.strictSame(bodies.map(body => chunksOf(body).map(chunk => chunk.choices[0].delta.content ?? '').join('')), ['one', 'two', 'three'])
})

void t.test('--max-runs bounds all runs together, first come first served', async t => {
  const { app, post } = await startService(t, { maxRuns: 2 })
  const order: string[] = []
  const ask = async (name: string, wait: number) => {
    await (await post(script([{ wait }, name]))).text()
    order.push(name)
  }
  const all = [ask('a', 300), ask('b', 600)]
  await until(() => app.runs.load.taken === 2)
  all.push(ask('c', 50))
  await until(() => app.runs.load.waiting === 1)
  all.push(ask('d', 50))
  await until(() => app.runs.load.waiting === 2)
  t.equal(app.runs.load.taken, 2)
  await Promise.all(all)
  t.strictSame(order, ['a', 'c', 'd', 'b'])
})

void t.test('--max-queue bounds the waiting: beyond it 503 overloaded with Retry-After', async t => {
  const { app, post } = await startService(t, { maxRuns: 1, maxQueue: 1 })
  const running = post(script([{ wait: 500 }, 'x']))
  await until(() => app.runs.load.taken === 1)
  const waiting = post(script(['y']))
  await until(() => app.runs.load.waiting === 1)
  for (const stream of [true, false]) {
    const refused = await post(script(['z'], { stream }))
    t.equal(refused.status, 503)
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    t.equal(refused.headers.get('x-should-retry'), null, 'an SDK may try again')
    t.match(await refused.json(), { error: { type: 'internal_error', code: 'overloaded', message: String } })
  }
  t.strictSame((await Promise.all([running, waiting])).map(response => response.status), [200, 200])
  t.strictSame(app.runs.load.taken, 0)
})

void t.test('a run that never settles ends at --run-timeout, and its slot is free', async t => {
  const { post } = await startService(t, { runTimeout: 300 })
  for (const steps of [[{ hang: true }], [{ deaf: true }]]) {
    const whole = await post(narrow(steps))
    t.equal(whole.status, 500)
    t.match(await whole.json(), { error: { code: 'agent_error', message: /^Agent processing failed: .*0\.3 s.*--run-timeout/ } })
    const body = await (await post(narrow(['begun', ...steps], { stream: true }))).text()
    t.match(body, /data: \{"error":\{"message":"Agent processing failed: [^"]*--run-timeout/)
  }
  t.equal((await post(narrow(['next']))).status, 200)
})

void t.test('an agent that throws where nobody awaits it, or rejects with anything, harms no other run', async t => {
  const { client, post } = await startService(t)
  const other = client.chat.completions.create(script([{ wait: 300 }, 'unharmed']))
  for (const step of [{ throwValue: null }, { throwValue: 'text' }, { throwValue: { a: 1 } }, { throwUndefined: true }, { type: 'unheard of' }, 5, null, { type: 'usage', prompt_tokens: 'many', completion_tokens: 1 }]) {
    const response = await post(script([step]))
    t.equal(response.status, 500)
    const { error } = await response.json() as { error: { message: string, code: string } }
    t.equal(error.code, 'agent_error')
    t.match(error.message, /^Agent processing failed: .+/)
  }
  t.equal((await other).choices[0]?.message.content, 'unharmed')
})

void t.test('a generator that never waits starves nobody, and a reader that does not read holds it back', { timeout: 30_000 }, async t => {
  const { app, post } = await startService(t)
  const reading = new AbortController()
  const response = await post(script([{ flood: 'x'.repeat(100) }], { stream: true }), {}, reading.signal)
  t.equal(response.status, 200)
  const before = process.memoryUsage().rss
  for (let i = 0; i < 20; i++) {
    t.equal((await app.inject('/health')).statusCode, 200)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  t.ok(process.memoryUsage().rss - before < 150 * 1024 * 1024, 'what is not read is not made')
  const whole = post(script([{ flood: '' }])).catch(() => 'gone')
  const silent = post(script([{ flood: { type: 'usage', prompt_tokens: 0, completion_tokens: 0 } }]), {}, reading.signal).catch(() => 'gone')
  await until(() => app.runs.load.runs === 3)
  t.equal((await app.inject('/health')).statusCode, 200, 'nor do empty fragments and other events')
  reading.abort()
  await silent
  await app.close()
  await whole
})

void t.test('a queue of 4000 runs that all fail starves nobody and leaves nothing', { timeout: 240_000 }, async t => {
  const lines: string[] = []
  const stream = new Writable({ write (chunk, _encoding, done) { lines.push(String(chunk)); done() } })
  const { app, post, url } = await startService(t, { logger: { level: 'error', stream } })
  const holding = new AbortController()
  const first = post(narrow([{ hang: true }]), {}, holding.signal).catch(() => 'gone')
  await until(() => app.runs.load.taken === 1)
  // Requests from this very process, since a machine may not have sockets for as many.
  const statuses = Array.from({ length: 4000 }, async (_, i) => {
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/v1/chat/completions', payload: narrow([{ throw: `no luck ${i}` }], { stream: i % 2 === 0 }) })
    return statusCode === 200 ? /data: \{"error":\{.*agent_error/.test(body) && !body.includes('[DONE]') : statusCode === 500
  })
  await until(() => app.runs.load.waiting === 4000, 120_000)
  holding.abort()
  const delays: number[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const since = performance.now()
      t.equal((await fetch(`${url}/health`)).status, 200)
      delays.push(performance.now() - since)
    }
  })()
  t.ok((await Promise.all(statuses)).every(Boolean), 'each is told of its failure')
  isOver = true
  await watching
  await first
  t.ok(delays.length > 20, `/health answered ${delays.length} times meanwhile`)
  t.comment(`after ${Math.round(Math.max(...delays))} ms at most`)
  t.equal(lines.filter(line => line.includes('no luck')).length, 4000)
  await until(() => app.runs.load.replies === 0)
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
  t.equal((await post(narrow(['next']))).status, 200)
})

void t.test('a background call takes no slot, though none is left and nobody may wait', async t => {
  const dir = write(tempFolder(t), {
    'busy/index.mjs': plugin('busy', { class_name: 'busy.agent.Busy', init_params: {}, description: 'Titles beside the work', concurrency: 1 }),
    'busy/agent.mjs': `export class Busy {
  modelInfo () { return { max_input_tokens: 100, max_output_tokens: 50 } }
  isBackground ({ messages }) { return messages.at(-1).content === 'title' }
  async * reply ({ messages }, signal) {
    if (messages.at(-1).content === 'work') await new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    yield messages.at(-1).content
  }
}
`
  })
  const { app, post } = await startService(t, { agentsDirs: [AGENTS, dir], maxRuns: 1, maxQueue: 0 })
  const ask = (content: string) => ({ model: 'busy', messages: [{ role: 'user', content }] })
  const leaving = new AbortController()
  const work = post(ask('work'), {}, leaving.signal).catch(() => 'gone')
  await until(() => app.runs.load.taken === 1)
  t.equal((await post(ask('more work'))).status, 503)
  for (const stream of [false, true]) {
    const title = await post({ ...ask('title'), stream })
    t.equal(title.status, 200)
    t.match(await title.text(), /"title"/)
  }
  t.equal(app.runs.load.taken, 1)
  leaving.abort()
  t.equal(await work, 'gone')
})

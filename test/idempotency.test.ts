import t from 'tap'
import { ends } from './support/ends.js'
import { chunksOf, script, startService, until } from './support/service.js'

const keyed = { 'idempotency-key': 'k1' }

void t.test('a second request with the same key and body joins the run in flight', async t => {
  const { post } = await startService(t)
  const before = ends.size
  const body = script([{ wait: 300 }, 'once'])
  const [one, two] = await Promise.all([post(body, keyed), post(body, keyed)])
  t.strictSame(await one.json(), await two.json())
  t.not(one.headers.get('x-request-id'), two.headers.get('x-request-id'))
  t.equal(ends.size, before + 1, 'one run')
})

void t.test('a finished reply is sent again, and its usage is counted once', async t => {
  const { post } = await startService(t)
  const before = ends.size
  const body = script(['once', { type: 'usage', prompt_tokens: 1, completion_tokens: 1 }])
  const one = await (await post(body, keyed)).json()
  t.strictSame(await (await post(body, keyed)).json(), one)
  t.equal(ends.size, before + 1)
})

void t.test('a joined stream is replayed from its first chunk under the same id', async t => {
  const { post } = await startService(t)
  const body = script(['a', { wait: 300 }, 'b'], { stream: true })
  const first = await post(body, keyed)
  await new Promise(resolve => setTimeout(resolve, 100))
  const second = await post(body, keyed)
  const [one, two] = [await first.text(), await second.text()]
  t.equal(one, two)
  t.equal(await (await post(body, keyed)).text(), one, 'also when it is over')
  t.equal(chunksOf(one).length, 4)
})

void t.test('the same key with another body is a conflict that no SDK repeats', async t => {
  const { post } = await startService(t)
  await (await post(script(['a']), keyed)).text()
  const conflict = await post(script(['b']), keyed)
  t.equal(conflict.status, 409)
  t.equal(conflict.headers.get('x-should-retry'), 'false')
  t.match(await conflict.json(), { error: { type: 'invalid_request_error', code: 'idempotency_conflict', message: String } })
  t.equal((await post(script(['b']), { 'idempotency-key': 'k2' })).status, 200)
})

void t.test('a failed run is not kept: the next request has a run of its own', async t => {
  const { post } = await startService(t)
  for (const body of [script([{ throw: 'no' }]), script(['half', { throw: 'no' }], { stream: true })]) {
    const key = { 'idempotency-key': `failed ${body.messages[0]?.content}` }
    const before = ends.size
    await (await post(body, key)).text()
    await (await post(body, key)).text()
    t.equal(ends.size, before + 2)
  }
})

void t.test('the run lives while one of its clients remains, and ends with the last', async t => {
  const { app, post } = await startService(t)
  const known = new Set(ends.keys())
  const body = script(['a', { wait: 400 }, 'b'], { stream: true })
  const leaving = new AbortController()
  const one = post(body, keyed, leaving.signal).then(response => response.text()).catch(() => 'left')
  const two = post(body, keyed)
  await until(() => app.runs.load.replies === 2)
  leaving.abort()
  t.equal(await one, 'left')
  t.equal(chunksOf(await (await two).text()).map(chunk => chunk.choices[0].delta.content ?? '').join(''), 'ab')

  const both = new AbortController()
  const hanging = script(['a', { hang: true }], { stream: true })
  const asked = [1, 2].map(() => post(hanging, { 'idempotency-key': 'k3' }, both.signal).then(response => response.text()).catch(() => 'left'))
  await until(() => app.runs.load.replies === 2)
  const id = [...ends.keys()].findLast(id => !known.has(id)) ?? ''
  both.abort()
  t.strictSame(await Promise.all(asked), ['left', 'left'])
  await until(() => ends.get(id) === 'closed after abort')
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
})

void t.test('all that is kept is bounded: the oldest replies go first', async t => {
  const { post } = await startService(t)
  const before = ends.size
  const large = (i: number) => script([{ repeat: 32, step: String(i % 10).repeat(256 * 1024) }]) // 16 MiB of UTF-16
  for (let i = 0; i < 5; i++) await (await post(large(i), { 'idempotency-key': `large ${i}` })).text()
  await (await post(large(4), { 'idempotency-key': 'large 4' })).text()
  t.equal(ends.size, before + 5, 'the newest is kept')
  await (await post(large(0), { 'idempotency-key': 'large 0' })).text()
  t.equal(ends.size, before + 6, 'the oldest is not')
})

void t.test('a run whose reply is too long to keep for its key fails with that reason, and without a key it is answered', { timeout: 60_000 }, async t => {
  const { app, post } = await startService(t)
  const before = ends.size
  const large = (more: object) => script([{ repeat: 130, step: 'x'.repeat(256 * 1024) }], more) // 65 MiB of UTF-16
  const whole = await post(large({}), { 'idempotency-key': 'whole' })
  t.equal(whole.status, 500)
  t.equal(whole.headers.get('x-should-retry'), 'false')
  t.match(await whole.json(), { error: { type: 'internal_error', code: 'agent_error', message: /^Agent processing failed: .*longer than can be kept for its Idempotency-Key; ask without one$/ } })
  const body = await (await post(large({ stream: true }), { 'idempotency-key': 'streamed' })).text()
  t.ok(body.length > 30 * 1024 * 1024, 'what could be kept was sent')
  t.match(body.slice(-300), /\n\ndata: \{"error":\{"message":"Agent processing failed: [^"]*Idempotency-Key[^"]*","type":"internal_error","code":"agent_error"\}\}\n\n$/)
  await until(() => app.runs.load.runs === 0)
  t.ok([...ends.values()].slice(before).every(end => end.startsWith('closed')), 'its agent was told to stop')
  t.equal((await post(script(['x']), { 'idempotency-key': 'whole' })).status, 200, 'the key is free again')
  const unkeyed = await post(script([{ repeat: 120, step: 'x'.repeat(256 * 1024) }, { type: 'usage', prompt_tokens: 1, completion_tokens: 1 }]))
  t.equal(unkeyed.status, 200)
  t.equal((await unkeyed.text()).length > 30 * 1024 * 1024, true)
  await until(() => app.runs.load.replies === 0)
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
})

void t.test('a reply of more than 32 million characters is an agent_error', { timeout: 60_000 }, async t => {
  const { post } = await startService(t)
  const response = await post(script([{ repeat: 129, step: 'x'.repeat(256 * 1024) }]))
  t.equal(response.status, 500)
  t.match(await response.json(), { error: { code: 'agent_error', message: /the reply grew past 32 million characters/ } })
})

void t.test('a finished reply is given again for ten minutes, and no longer', async t => {
  const { post } = await startService(t)
  const before = ends.size
  const real = globalThis.setTimeout
  const later: { ms: number, work: () => void }[] = []
  t.teardown(() => { globalThis.setTimeout = real })
  globalThis.setTimeout = Object.assign((work: () => void, ms = 0) => {
    later.push({ ms, work })
    return real(work, ms)
  }, real)
  const body = script(['once'])
  await (await post(body, keyed)).text()
  globalThis.setTimeout = real
  await (await post(body, keyed)).text()
  t.equal(ends.size, before + 1)
  const expiries = later.filter(({ ms }) => ms === 10 * 60 * 1000)
  t.equal(expiries.length, 1)
  expiries[0]?.work()
  await (await post(body, keyed)).text()
  t.equal(ends.size, before + 2)
})

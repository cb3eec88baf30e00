import http from 'node:http'
import t from 'tap'
import { ends } from './support/ends.js'
import { type Service, script, startService, until } from './support/service.js'

/** Starts a request, waits until its run is under way, and gives what makes the client go away. */
async function underWay ({ url }: Service, body: object) {
  const known = new Set(ends.keys())
  const request = http.request(`${url}/v1/chat/completions`, { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } })
  request.on('error', () => {})
  request.on('response', response => response.resume().on('error', () => {}))
  request.end(JSON.stringify(body))
  await until(() => [...ends.keys()].some(id => !known.has(id)))
  const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
  return { id, leave: () => request.destroy() }
}

for (const stream of [true, false]) {
  void t.test(`a client that goes away aborts its run (stream: ${stream})`, async t => {
    const service = await startService(t)
    const { id, leave } = await underWay(service, script(['a', { hang: true }], { stream }))
    leave()
    await until(() => ends.get(id) === 'closed after abort')
    await until(() => service.app.runs.load.runs === 0)
    t.strictSame(service.app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
  })

  void t.test(`a run that ignores the abort loses its slot after a second (stream: ${stream})`, async t => {
    const service = await startService(t)
    const { leave } = await underWay(service, { ...script([{ deaf: true }], { stream }), model: 'narrow' })
    leave()
    const since = performance.now()
    const next = await service.client.chat.completions.create({ ...script(['mine']), model: 'narrow' })
    t.equal(next.choices[0]?.message.content, 'mine')
    t.ok(performance.now() - since > 500, 'it waited for the slot')
  })
}

void t.test('a client that leaves the queue frees its place', async t => {
  const service = await startService(t)
  const first = await underWay(service, { ...script([{ hang: true }], { stream: true }), model: 'narrow' })
  const waiting = service.post({ ...script(['never'], { stream: true }), model: 'narrow' }, {}, AbortSignal.timeout(600)).then(response => response.text())
  await until(() => service.app.runs.load.waiting === 1)
  await t.rejects(waiting)
  await until(() => service.app.runs.load.waiting === 0)
  t.equal(service.app.runs.load.runs, 1)
  first.leave()
  await until(() => service.app.runs.load.runs === 0)
})

void t.test('200 streams of which 50 are aborted leave nothing behind, and /health answers meanwhile', { timeout: 60_000 }, async t => {
  const service = await startService(t)
  ends.clear()
  const aborted = new AbortController()
  const steps = [{ repeat: 40, step: 'a fragment of some length' }, { wait: 4000 }, { repeat: 200, step: 'and more of it' }, { wait: 400 }, 'end']
  const replies = Array.from({ length: 200 }, (_, i) => {
    // However slow the machine is, those that are to be aborted have not ended before.
    const [asked, signal] = i % 4 === 0 ? [[...steps.slice(0, 2), { hang: true }], aborted.signal] : [steps]
    return service.post(script(asked, { stream: true }), {}, signal).then(response => response.text()).catch(() => 'aborted')
  })
  await until(() => service.app.runs.load.runs >= 150, 20_000)
  aborted.abort()
  for (let i = 0; i < 40; i++) t.equal((await service.app.inject('/health')).statusCode, 200)
  const texts = await Promise.all(replies)
  t.equal(texts.filter(text => text === 'aborted').length, 50)
  t.equal(texts.filter(text => text.endsWith('data: [DONE]\n\n')).length, 150)
  await until(() => service.app.runs.load.runs === 0 && service.app.runs.load.replies === 0)
  t.strictSame(service.app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
  t.notOk([...ends.values()].some(end => end === 'running' || end === 'aborted'), 'every generator was closed')
  // Timers of a stream: its start, its progress, its keep-alive, its run's deadline.
  const timers = process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  t.ok(timers < 20, `${timers} timers are left`)
  await service.app.close()
  await until(() => !process.getActiveResourcesInfo().some(name => /^TCP/.test(name)))
})

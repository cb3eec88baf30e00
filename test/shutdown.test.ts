import http from 'node:http'
import t from 'tap'
import { chunksOf, eventsOf, script, startService, until } from './support/service.js'
import { SOON } from './support/time.js'

void t.test('runs that end in time finish; new ones get 503 meanwhile', async t => {
  const { app, post, url } = await startService(t, { drain: 5000 })
  const whole = post(script([{ wait: 600 }, 'finished']))
  const streamed = post(script(['a', { wait: 600 }, 'b'], { stream: true }))
  await until(() => app.runs.load.runs === 2)
  const closing = app.close()
  await until(() => app.runs.closing)
  const refused = await post(script(['late']))
  t.equal(refused.status, 503)
  t.match(await refused.json(), { error: { type: 'internal_error', code: 'shutting_down', message: String } })
  t.equal((await fetch(`${url}/health/ready`)).status, 503)
  t.match(await (await whole).json(), { choices: [{ message: { content: 'finished' } }] })
  t.ok((await (await streamed).text()).endsWith('data: [DONE]\n\n'))
  await closing
})

void t.test('what is left then ends with an error: an event in a stream, a 503 before it', async t => {
  const { app, post } = await startService(t, { drain: 300 })
  const whole = post(script([{ hang: true }]))
  const streamed = post(script(['a', { deaf: true }], { stream: true }))
  await until(() => app.runs.load.runs === 2)
  await app.close() // neither of the two would ever end by itself
  t.equal((await whole).status, 503)
  const body = await (await streamed).text()
  t.match(eventsOf(body).at(-1), /^data: \{"error":\{"message":"Agent processing failed: .*shutting down/)
  t.match(chunksOf(body).at(-1), { error: { type: 'internal_error', code: 'agent_error' } })
})

void t.test('idle keep-alive connections do not delay the end', async t => {
  const { app, url } = await startService(t, { drain: 2 * SOON })
  const agent = new http.Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  await new Promise<void>((resolve, reject) => {
    http.get(`${url}/health`, { agent }, response => response.resume().once('end', resolve)).once('error', reject)
  })
  const since = performance.now()
  await app.close()
  t.ok(performance.now() - since < SOON)
})

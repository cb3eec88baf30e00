import t from 'tap'
import { startService } from '../support/service.js'

void t.test('GET /health answers the two fields of the specification', async t => {
  const { url } = await startService(t)
  const response = await fetch(`${url}/health`)
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.same(await response.json(), { status: 'ok', service: 'svc' })
})

void t.test('GET /health never asks the backend', async t => {
  const { url } = await startService(t, { backendUrl: 'http://127.0.0.1:9/v1' })
  t.equal((await fetch(`${url}/health`)).status, 200)
})

import t from 'tap'
import { commandLine, freePort } from '../support/cli.js'

void t.test('a backend URL that leads back to this service is refused at the start', async t => {
  const cli = commandLine(t)
  const port = await freePort()
  const cases = [
    ['127.0.0.1', '127.0.0.1'], ['127.0.0.1', 'localhost'], ['localhost', '127.0.0.1'], ['127.0.0.1', '0.0.0.0'],
    ['0.0.0.0', '127.0.0.1'], ['0.0.0.0', 'localhost'], ['0.0.0.0', '127.0.0.2']
  ]
  for (const [host = '', backend = ''] of cases) {
    const { code, err } = await cli.here(['start', '--host', host, '--port', String(port), '--backend-url', `http://${backend}:${port}/v1`])
    t.equal(code, 1, `${backend} from ${host}`)
    t.match(err, /--backend-url .* leads back to this service.*--port/)
  }
})

void t.test('another port of this machine is no loop, nor the same port of another address', async t => {
  const cli = commandLine(t)
  const [port, free] = [await freePort(), await freePort()]
  await cli.start(['--port', String(port), '--backend-url', `http://127.0.0.1:${free}/v1`])
  await cli.start(['--host', '127.0.0.3', '--port', String(port), '--backend-url', `http://127.0.0.1:${port}/v1`])
  t.pass()
})

void t.test('a loop that could not be seen at the start ends with an error of its own, not with endless runs', async t => {
  const cli = commandLine(t)
  const { createServer, connect } = await import('node:net')
  const port = await freePort()
  // A proxy that leads back.
  const proxy = createServer(socket => {
    const other = connect(port, '127.0.0.1')
    for (const end of [socket, other]) end.on('error', () => { socket.destroy(); other.destroy() })
    socket.pipe(other).pipe(socket)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise<void>(resolve => proxy.close(() => resolve())))
  const { post } = await cli.start(['--port', String(port), '--backend-url', `http://127.0.0.1:${(proxy.address() as { port: number }).port}/v1`])
  const response = await post({ model: 'svc-code', messages: [{ role: 'user', content: 'hello' }] })
  t.equal(response.status, 500)
  t.match(await response.json(), { error: { code: 'agent_error', message: /leads back/ } })
})

import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import t, { type Test } from 'tap'
import { ends } from './support/ends.js'
import { type Service, script, startService, until } from './support/service.js'

const IDLE = { taken: 0, waiting: 0, runs: 0, replies: 0 }

/** One connection of a client that sends bytes as it likes. */
interface Line { socket: Socket, read: () => string, isOpen: () => boolean }

function dial (t: Test, { url }: Service, options: { allowHalfOpen?: boolean } = {}): Line {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ...options })
  let text = ''
  let open = true
  socket.setEncoding('utf8').on('data', part => { text += String(part) }).on('error', () => {}).once('close', () => { open = false })
  t.teardown(() => socket.destroy())
  return { socket, read: () => text, isOpen: () => open }
}

function post (body: object, headers: string[] = []): string {
  const text = JSON.stringify(body)
  return ['POST /v1/chat/completions HTTP/1.1', 'Host: x', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`, ...headers, '', text].join('\r\n')
}

/** The server's sides of all connections. */
function socketsOf ({ app }: Service): Set<Socket> {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

void t.test('requests that come at once on one connection are answered in their order', async t => {
  const service = await startService(t)
  const { socket, read } = dial(t, service)
  socket.write(post(script([{ wait: 200 }, 'first'])) + post(script(['second'], { stream: true })) + post(script([{ throw: 'third' }])) + post(script(['fourth'], { stream: true }), ['Connection: close']))
  await once(socket, 'close')
  t.match(read(), /"content":"first"[^]*"content":"second"[^]*\[DONE\][^]*HTTP\/1\.1 500 [^]*processing failed: third[^]*"content":"fourth"[^]*\[DONE\]/)
  await until(() => service.app.runs.load.runs === 0)
  t.strictSame(service.app.runs.load, IDLE)
})

void t.test('a connection that lives on keeps nothing of the requests that were answered on it', async t => {
  const service = await startService(t)
  const sockets = socketsOf(service)
  const { socket, read } = dial(t, service)
  const answers = () => read().split('HTTP/1.1 200').length - 1
  socket.write(post(script(['alone'])))
  await until(() => answers() === 1)
  const [server] = sockets
  const before = server?.listenerCount('close')
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  for (const round of [1, 2]) {
    socket.write(Array.from({ length: 40 }, (_, i) => post(script(['x'], { stream: i % 2 === 0 }))).join(''))
    await until(() => answers() === 1 + 40 * round)
    await until(() => service.app.runs.load.replies === 0)
    t.equal(server?.listenerCount('close'), before)
  }
  t.strictSame(warnings, [])
})

for (const stream of [true, false]) {
  void t.test(`a disconnect in the middle of requests that came at once leaves nothing behind (the first a stream: ${stream})`, async t => {
    const service = await startService(t)
    ends.clear()
    const { socket } = dial(t, service)
    const others = [script(['x', { hang: true }], { stream: true }), script([{ hang: true }]), { ...script(['x']), model: 'narrow' }, script([{ repeat: 100, step: 'x'.repeat(5000) }])]
    const before = timers()
    socket.write([script(['begun', { hang: true }], { stream }), ...others].map(body => post(body)).join('') + post(others[0] ?? {}, ['Idempotency-Key: k']))
    await until(() => ends.size === 1)
    await new Promise(resolve => setTimeout(resolve, 400)) // long enough for the start of any stream
    t.equal(ends.size, 1, 'the others wait for their turn')
    socket.destroy()
    await until(() => [...ends.values()][0] === 'closed after abort')
    await until(() => service.app.runs.load.replies === 0)
    t.strictSame(service.app.runs.load, IDLE)
    t.ok(timers() <= before + 2, 'but for the watch over runs and that over replies in the making')
    await new Promise(resolve => setTimeout(resolve, 200))
    t.equal(ends.size, 1, 'nor does any of them begin when nobody is there any more')
  })
}

void t.test('garbage from a client in the middle of the stream that it reads ends the stream and its run, and adds nothing to it', async t => {
  const service = await startService(t)
  for (const garbage of ['garbage\r\n\r\n', '\0\0\0\0', 'GET / HTTP/9.9\r\n\r\n', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n\r\n`]) {
    const known = new Set(ends.keys())
    const { socket, read, isOpen } = dial(t, service)
    socket.write(post(script(['begun', { hang: true }], { stream: true })))
    await until(() => read().includes('begun'))
    socket.write(garbage)
    await until(() => !isOpen())
    t.equal(read().split('HTTP/1.1').length, 2, 'one head')
    t.notMatch(read(), /invalid_request|DONE/)
    const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
    await until(() => ends.get(id) === 'closed after abort')
  }
  t.strictSame(service.app.runs.load, IDLE)
})

void t.test('garbage behind a request whose reply has not begun is answered, and ends its run', async t => {
  const service = await startService(t)
  ends.clear()
  const { socket, read, isOpen } = dial(t, service)
  socket.write(post(script([{ hang: true }])))
  await until(() => service.app.runs.load.runs === 1)
  socket.write('garbage\r\n\r\n')
  await until(() => !isOpen())
  t.match(read(), /^HTTP\/1\.1 400 [^]*"code":"invalid_request"/)
  await until(() => service.app.runs.load.runs === 0)
  t.strictSame(service.app.runs.load, IDLE)
})

void t.test('a peer that keeps its half of the connection open after a 400 keeps nothing here', async t => {
  const service = await startService(t)
  const sockets = socketsOf(service)
  for (const bytes of ['garbage\r\n\r\n', `GET /health HTTP/1.1\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 'POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n']) {
    const { socket, read } = dial(t, service, { allowHalfOpen: true })
    socket.write(bytes)
    await until(() => /^HTTP\/1\.1 4\d\d /.test(read()) && read().endsWith('}}'))
    await until(() => sockets.size === 0)
    socket.destroy()
  }
})

void t.test('a client that half-closes its connection counts as gone: its run ends, and its connection is closed', async t => {
  const service = await startService(t)
  const sockets = socketsOf(service)
  for (const stream of [true, false]) {
    ends.clear()
    const { socket } = dial(t, service, { allowHalfOpen: true })
    socket.write(post(script([{ hang: true }], { stream })))
    await until(() => ends.size === 1)
    socket.end()
    await until(() => [...ends.values()][0] === 'closed after abort')
    await until(() => sockets.size === 0)
    t.strictSame(service.app.runs.load, IDLE)
  }
})

void t.test('a body that is cut off starts no run', async t => {
  const service = await startService(t)
  const sockets = socketsOf(service)
  ends.clear()
  const { socket } = dial(t, service)
  socket.write(post(script(['never'])).slice(0, -5))
  await until(() => sockets.size === 1)
  await new Promise(resolve => setTimeout(resolve, 100))
  socket.destroy()
  await until(() => sockets.size === 0)
  t.equal(ends.size, 0)
  t.strictSame(service.app.runs.load, IDLE)
})

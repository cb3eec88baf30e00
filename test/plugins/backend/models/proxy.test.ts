import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as listen } from 'node:net'
import t from 'tap'
import { proxyFor, proxyHeaders } from '../../../../plugins/backend/models/proxy.js'
import { ask, textOf } from '../../../../plugins/backend/models/web.js'
import { never } from '../contract.js'

const hub = new URL('https://hub.test/x')

void t.test('the variables are those of curl: by scheme, small or capital letters, one for all', async t => {
  t.equal(proxyFor(hub, {}), undefined)
  t.equal(proxyFor(hub, { https_proxy: 'http://p:1' })?.host, 'p:1')
  t.equal(proxyFor(hub, { HTTPS_PROXY: 'p:2' })?.host, 'p:2', 'without a scheme')
  t.equal(proxyFor(hub, { HTTP_PROXY: 'http://p:3' }), undefined)
  t.equal(proxyFor(hub, { ALL_PROXY: 'http://p:4' })?.host, 'p:4')
  t.throws(() => proxyFor(hub, { HTTPS_PROXY: 'socks5://p:5' }), /socks5:\/\/p:5 is no http/)
  t.same(proxyHeaders(new URL('http://me:s%40cret@p:1')), { 'proxy-authorization': `Basic ${Buffer.from('me:s@cret').toString('base64')}` })
  t.same(proxyHeaders(new URL('http://p:1')), {})
})

void t.test('what NO_PROXY names goes without: hosts, their subdomains, ports, all', async t => {
  const isExcepted = (address: string, exceptions: string) => proxyFor(new URL(address), { ALL_PROXY: 'http://p:1', NO_PROXY: exceptions }) === undefined
  t.ok(isExcepted('https://hub.test', 'other.test, hub.test'))
  t.ok(isExcepted('https://cdn.hub.test', 'hub.test'))
  t.ok(isExcepted('https://cdn.hub.test', '.hub.test'))
  t.notOk(isExcepted('https://nothub.test', 'hub.test'))
  t.ok(isExcepted('https://hub.test', 'hub.test:443'))
  t.notOk(isExcepted('https://hub.test:8443', 'hub.test:443'))
  t.ok(isExcepted('http://[::1]:80', '::1'))
  t.ok(isExcepted('http://127.0.0.1:5', '*'))
})

void t.test('a page is asked for through the proxy, with its password, and a tunnel is asked for where it is https', async t => {
  const seen: string[] = []
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host} ${request.headers['proxy-authorization']}`)
    response.end('from the proxy')
  })
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
    delete process.env.http_proxy
    delete process.env.https_proxy
  })
  process.env.http_proxy = `http://me:secret@127.0.0.1:${port}`
  process.env.https_proxy = process.env.http_proxy
  t.equal(await textOf(await ask(new URL('http://hub.test/a?b'), { signal: never })), 'from the proxy')
  await t.rejects(ask(new URL('https://hub.test/a'), { signal: never }), /proxy 127\.0\.0\.1:\d+ refuses \(status 403\)/)
  t.same(seen, [`GET http://hub.test/a?b hub.test Basic ${Buffer.from('me:secret').toString('base64')}`, 'CONNECT hub.test:443'])
})

void t.test('through a tunnel the other end is spoken to in TLS', async t => {
  const first: Buffer[] = []
  const end = listen(socket => socket.on('error', () => socket.destroy()).once('data', (data: Buffer) => { first.push(data); socket.destroy() }))
  const proxy = createServer().on('connect', (_request, socket) => {
    const { port } = end.address() as AddressInfo
    const other = connect(port, '127.0.0.1', () => { socket.write('HTTP/1.1 200 OK\r\n\r\n'); socket.pipe(other).pipe(socket) })
    for (const one of [other, socket]) one.on('error', () => socket.destroy())
    other.on('close', () => socket.destroy())
  })
  for (const server of [end, proxy]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => { server.close() })
  }
  process.env.https_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  t.teardown(() => { delete process.env.https_proxy })
  await t.rejects(ask(new URL('https://hub.test/'), { signal: never }))
  t.equal(first[0]?.[0], 22, 'a TLS handshake')
  t.ok(first[0]?.includes('hub.test'), 'with the name of the host')
})

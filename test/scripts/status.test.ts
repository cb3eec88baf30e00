import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import t from 'tap'
import { commandLine, foreigner, freePort } from '../support/cli.js'
import { startBackend } from '../support/backend.js'
import { write } from '../support/folders.js'

void t.test('status tells what runs, since when, the agents, and the backend with its model and context; exit 0', async t => {
  const cli = commandLine(t)
  const backend = await startBackend(t, () => {}, { '/v1/models': { data: [{ id: 'small-model', context_length: 32768 }] } })
  const { port, pid, url } = await cli.start(['--backend-url', backend.url])
  const { code, out, err } = await cli.run(['status', '--port', String(port)])
  t.equal(code, 0)
  t.equal(err, '')
  t.ok(out.includes(url.replace('localhost', '127.0.0.1')))
  t.ok(out.includes(`pid ${pid}`))
  t.match(out, /since .*\d/)
  t.match(out, /agents +svc-code/)
  t.ok(out.includes(backend.url))
  t.match(out, /model small-model/)
  t.match(out, /context 32768/)
})

void t.test('status --json tells the same as data', async t => {
  const cli = commandLine(t)
  const before = Date.now()
  const backend = await startBackend(t, () => {}, { '/v1/models': { data: [{ id: 'small-model', context_length: 16384 }] } })
  const { port, pid } = await cli.start(['--backend-url', backend.url])
  const { code, out } = await cli.here(['status', '--json', '--port', String(port)])
  t.equal(code, 0)
  const told = JSON.parse(out)
  t.match(told, {
    status: 'running', url: `http://127.0.0.1:${port}`, host: '127.0.0.1', port, pid, agents: ['svc-code'],
    backend: { url: backend.url, model: 'small-model', context: 16384, problem: /32768/, remedy: /32768/ }
  })
  t.ok(Date.parse(told.since) >= before - 1000 && Date.parse(told.since) <= Date.now())
})

void t.test('a backend that is wanting is told with what to do, and status is 0 all the same', async t => {
  const cli = commandLine(t)
  const { port } = await cli.start()
  const { code, out } = await cli.here(['status', '--port', String(port)])
  t.equal(code, 0)
  t.match(out, /problem +no language model is configured/)
  t.match(out, /to do +npm run model -- pull .*\n +or .*--backend-url/)
})

void t.test('where nothing listens: exit 1, and how to start', async t => {
  const cli = commandLine(t)
  const port = await freePort()
  const { code, out } = await cli.here(['status', '--port', String(port)])
  t.equal(code, 1)
  t.match(out, new RegExp(`not running.*port ${port}.*npm start -- --port ${port}`))
  const json = await cli.here(['status', '--json', '--port', String(port)])
  t.equal(json.code, 1)
  t.match(JSON.parse(json.out), { status: 'not running', host: '127.0.0.1', port })
})

void t.test('a foreign HTTP server: exit 2, and another port is proposed', async t => {
  const cli = commandLine(t)
  const port = await foreigner(t, (_request, response) => response.end('{"status":"ok","service":"svc"}'))
  const { code, out } = await cli.here(['status', '--port', String(port)])
  t.equal(code, 2)
  t.match(out, new RegExp(`port ${port}.*--port ${port + 1}`))
  const json = await cli.here(['status', '--json', '--port', String(port)])
  t.equal(json.code, 2)
  t.match(JSON.parse(json.out), { status: 'foreign', port })
})

void t.test('a listener that never answers: exit 2 after two seconds', async t => {
  const cli = commandLine(t)
  const port = await foreigner(t)
  const since = performance.now()
  t.equal((await cli.here(['status', '--port', String(port)])).code, 2)
  const took = performance.now() - since
  t.ok(took >= 1900 && took < 15_000, `it took ${Math.round(took)} ms`)
})

void t.test('an answer that never ends is not waited for either', async t => {
  const cli = commandLine(t)
  const port = await foreigner(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-svc-instance': 'no' })
    const timer = setInterval(() => response.write(' '), 100)
    response.once('close', () => clearInterval(timer))
  })
  t.equal((await cli.here(['status', '--port', String(port)])).code, 2)
})

void t.test('listeners that hang up, or speak something else, are foreign', async t => {
  const cli = commandLine(t)
  const hangsUp = await foreigner(t, request => request.socket.destroy())
  const garbled = await foreigner(t, request => request.socket.end('220 mail.example ESMTP\r\n'))
  t.equal((await cli.here(['status', '--port', String(hangsUp)])).code, 2)
  t.equal((await cli.here(['status', '--port', String(garbled)])).code, 2)
})

void t.test('the record of a dead process is not believed: exit 1', async t => {
  const cli = commandLine(t)
  const { port, command } = await cli.start()
  command.kill('SIGKILL')
  await command.ended
  t.equal(cli.records().length, 1, 'its record is still there')
  t.equal((await cli.here(['status', '--port', String(port)])).code, 1)
})

void t.test('a service that hangs is told from a foreign listener: exit 2, its pid, and how to end it', { skip: !existsSync('/proc/self/stat') && 'needs /proc' }, async t => {
  const cli = commandLine(t)
  const { port, pid, command } = await cli.start()
  command.kill('SIGSTOP')
  const { code, out } = await cli.here(['status', '--port', String(port)])
  t.equal(code, 2)
  t.match(out, new RegExp(`pid ${pid}, .*port ${port} .*does not answer[^]*npm stop -- --port ${port}.*kill -9 ${pid}`))
  const json = await cli.here(['status', '--json', '--port', String(port)])
  t.equal(json.code, 2)
  t.match(JSON.parse(json.out), { status: 'not answering', pid, port })
  t.match(await cli.run(['start', '--port', String(port)]), { code: 1, err: new RegExp(`svc already \\(pid ${pid}\\), which does not answer. Stop it: npm stop -- --port ${port}`) })
  command.kill('SIGCONT')
})

void t.test('what repeats the instance of a service that is gone has neither its pid nor its agents, and may answer anything', async t => {
  const cli = commandLine(t)
  for (const body of ['null', '[]', '7', '{"backend":7,"sandbox":[],"data":{}}', '{"backend":{"kind":"none"},"data":[7]}', '{"backend":{"kind":"x","url":"\\u001b[2Jhttp://\\u0007","model":"a\\nb","reason":null,"problem":null,"remedy":null},"data":[{"id":"\\u001b[31mred"}]}']) {
    const port = await foreigner(t, (_request, response) => response.setHeader('x-svc-instance', 'gone').end(body))
    const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
    await once(gone, 'close')
    write(cli.runtime, {
      [`svc/${port}-127.0.0.1.json`]: JSON.stringify({ pid: gone.pid, born: '1', instance: 'gone', scheme: 'http', host: '127.0.0.1', port, since: new Date().toISOString(), agents: ['of the dead'], drain: 10 })
    })
    const { code, out, err } = await cli.here(['status', '--port', String(port)])
    t.equal(code, 0, body)
    t.equal(err, '')
    t.match(out, /started by somebody else/)
    t.notMatch(out, /pid|of the dead/)
    t.notOk(out.includes('\u0007') || out.includes('\u001b'), 'nothing that steers the terminal')
  }
})

void t.test('the record of a process whose pid is another one\'s now is not believed: exit 1', async t => {
  const cli = commandLine(t)
  const port = await freePort()
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.teardown(() => other.kill('SIGKILL'))
  write(cli.runtime, {
    [`svc/${port}-127.0.0.1.json`]: JSON.stringify({ pid: other.pid, born: '1', instance: 'gone', scheme: 'http', host: '127.0.0.1', port, since: new Date().toISOString(), agents: ['svc-code'], drain: 10 })
  })
  t.equal((await cli.here(['status', '--port', String(port)])).code, 1)
})

void t.test('a record that was cut off while it was written does no harm', async t => {
  const cli = commandLine(t)
  const port = await freePort()
  write(cli.runtime, { [`svc/${port}-127.0.0.1.json`]: '{"pid":' })
  const { code, err } = await cli.here(['status', '--port', String(port)])
  t.equal(code, 1)
  t.equal(err, '')
})

void t.test('a service without a record here is recognised, with the agents it tells and no pid', async t => {
  const cli = commandLine(t)
  const elsewhere = commandLine(t)
  const { port } = await elsewhere.start()
  const { code, out } = await cli.here(['status', '--json', '--port', String(port)])
  t.equal(code, 0)
  t.match(JSON.parse(out), { status: 'running', pid: null, since: null, agents: ['svc-code'], backend: { kind: 'none' } })
})

void t.test('a service is found by either name of this machine', async t => {
  const cli = commandLine(t)
  const { port, pid } = await cli.start(['--host', '127.0.0.1'])
  const { code, out } = await cli.here(['status', '--json', '--host', 'localhost', '--port', String(port)])
  t.equal(code, 0)
  t.equal(JSON.parse(out).pid, pid)
})

void t.test('a service on all addresses is found at each', async t => {
  const cli = commandLine(t)
  const { port, pid } = await cli.start(['--host', '0.0.0.0'])
  for (const host of ['0.0.0.0', '127.0.0.1', '127.0.0.2', 'localhost']) {
    const { code, out } = await cli.here(['status', '--json', '--host', host, '--port', String(port)])
    t.equal(code, 0, host)
    t.equal(JSON.parse(out).pid, pid, host)
  }
})

void t.test('a service on another address with the same port is not mistaken for the one asked for', async t => {
  const cli = commandLine(t)
  const { port } = await cli.start(['--host', '127.0.0.1'])
  const { code } = await cli.here(['status', '--host', '127.0.0.2', '--port', String(port)])
  t.equal(code, 1)
})

void t.test('a host name that is not known: exit 1, since nothing answers there', async t => {
  const cli = commandLine(t)
  const { code, out, err } = await cli.here(['status', '--host', 'no-such-host.invalid', '--port', '8080'])
  t.equal(code, 1)
  t.match(out + err, /no-such-host\.invalid/)
  t.notMatch(out + err, /Something else than svc answers/)
})

void t.test('the address comes from the environment where the command line has none', async t => {
  const cli = commandLine(t)
  const { port } = await cli.start()
  t.equal((await cli.here(['status'], { env: { SVC_PORT: String(port) } })).code, 0)
  const free = await freePort()
  t.equal((await cli.here(['status', '--port', String(free)], { env: { SVC_PORT: String(port) } })).code, 1)
})

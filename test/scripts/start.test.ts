import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SCRIPTED, commandLine, foreigner, freePort } from '../support/cli.js'
import { startBackend } from '../support/backend.js'
import { tempFolder, write } from '../support/folders.js'

void t.test('start says where it listens, which models it serves, what the backend is and a request to try', async t => {
  const cli = commandLine(t)
  const backend = await startBackend(t, () => {}, { '/v1/models': { data: [{ id: 'small-model', context_length: 32768 }] } })
  const { command, port } = await cli.start([...SCRIPTED, '--backend-url', backend.url])
  t.match(command.log[0].msg, new RegExp(`^svc \\d+\\.\\d+\\.\\d+ listens on http://127\\.0\\.0\\.1:${port}$`))
  t.match(command.logged('ready'), {
    url: `http://localhost:${port}`,
    models: ['svc-code', 'scripted', 'narrow'],
    backend: { url: backend.url, model: 'small-model', context: 32768, problem: null },
    try: new RegExp(`^curl http://localhost:${port}/v1/chat/completions .*"model":"svc-code"`)
  })
})

void t.test('the request to try is one that works', { skip: process.platform === 'win32' }, async t => {
  const { execFile } = await import('node:child_process')
  const { promisify } = await import('node:util')
  const hasCurl = await promisify(execFile)('curl', ['--version']).then(() => true, () => false)
  if (!hasCurl) { t.pass('there is no curl'); return }
  const cli = commandLine(t)
  const { command } = await cli.start(['--api-key', 'secret'])
  const { try: attempt } = command.logged(/^ready/)
  const { stdout } = await promisify(execFile)('sh', ['-c', attempt], { env: { PATH: process.env.PATH, KEY: 'secret' } })
  // There is no backend: the agent was reached, and says so.
  t.match(JSON.parse(stdout), { error: { code: 'agent_error', message: /--backend-url/ } })
})

void t.test('where the log is no terminal, each line of it is JSON', async t => {
  const cli = commandLine(t)
  const { command, post } = await cli.start(SCRIPTED)
  await post({ model: 'scripted', messages: [{ role: 'user', content: '[{"throw":"two\\nlines"}]' }] })
  await command.until(() => command.logged(/two/))
  command.kill('SIGTERM')
  const { out, err } = await command.ended
  t.equal(err, '')
  for (const line of out.trimEnd().split('\n')) t.match(JSON.parse(line), { level: Number, time: Number, msg: String })
})

void t.test('without a backend it starts all the same, and says what to do', async t => {
  const cli = commandLine(t)
  const free = await freePort()
  const none = await cli.start()
  t.match(none.command.logged(/^ready/).msg, /no language model[^]*--backend-url/)
  const unreachable = await cli.start(['--backend-url', `http://127.0.0.1:${free}/v1`])
  t.match(unreachable.command.logged(/^ready/).msg, new RegExp(`127\\.0\\.0\\.1:${free}.*cannot be reached`))
})

void t.test('a backend that never answers does not hold up the start', async t => {
  const cli = commandLine(t)
  const silent = await foreigner(t)
  const { url } = await cli.start(['--backend-url', `http://127.0.0.1:${silent}`])
  t.equal((await fetch(`${url}/health`)).status, 200)
})

void t.test('a port that another program has: exit 1, and how to choose another', async t => {
  const cli = commandLine(t)
  const http = await foreigner(t, (_request, response) => response.end('{}'))
  const silent = await foreigner(t)
  for (const port of [http, silent]) {
    const { code, err } = await cli.run(['start', '--port', String(port)])
    t.equal(code, 1)
    t.match(err, new RegExp(`[Pp]ort ${port} .*in use by another program.*npm start -- --port ${port + 1}`))
    t.notMatch(err, /^ +at /m, 'no stack')
  }
})

void t.test('a port that svc has already: exit 1, its pid, and how to stop it; the first goes on and keeps its record', async t => {
  const cli = commandLine(t)
  const first = await cli.start()
  const { code, err } = await cli.run(['start', '--port', String(first.port)])
  t.equal(code, 1)
  t.match(err, new RegExp(`[Pp]ort ${first.port} .*svc already \\(pid ${first.pid}\\).*npm stop -- --port ${first.port}.*--port ${first.port + 1}`))
  t.equal((await fetch(`${first.url}/health`)).status, 200)
  t.match(cli.records(), [{ pid: first.pid }])
})

void t.test('a host that is not this machine, or no host at all: exit 1, and what could be given instead', async t => {
  const cli = commandLine(t)
  for (const host of ['192.0.2.1', 'no-such-host.invalid', '256.1.1.1']) {
    const { code, err } = await cli.run(['start', '--host', host, '--port', '0'])
    t.equal(code, 1)
    t.match(err, new RegExp(`--host ${host.replaceAll('.', '\\.')}.*127\\.0\\.0\\.1`))
    t.notMatch(err, /^ +at /m, 'no stack')
  }
})

void t.test('listening beyond this machine without a key: a warning that says what is exposed', async t => {
  const cli = commandLine(t)
  const [open, keyed, own] = await Promise.all([
    cli.start(['--host', '0.0.0.0']), cli.start(['--host', '0.0.0.0', '--api-key', 'secret']), cli.start(['--host', 'localhost'])
  ])
  const warning = open.command.log.find(({ level }) => level === 40)
  t.match(warning?.msg, /Anybody who reaches 0\.0\.0\.0:\d+ can use the agents.*--api-key/)
  t.equal(keyed.command.log.find(({ level }) => level === 40), undefined)
  t.equal(own.command.log.find(({ level }) => level === 40), undefined)
})

void t.test('IPv6 is served, and shown as URLs want it', async t => {
  const cli = commandLine(t)
  const command = cli.spawn(['start', '--host', '::1', '--port', '0'])
  const isReady = await command.until(() => command.logged(/^ready/)).then(() => true, () => false)
  if (!isReady) { t.pass('there is no IPv6'); return }
  const { url } = command.logged(/^ready/)
  t.match(url, /^http:\/\/\[::1\]:\d+$/)
  t.equal((await fetch(`${url}/health`)).status, 200)
  t.equal((await cli.run(['status', '--host', '::1', '--port', new URL(url).port])).code, 0)
  t.equal((await cli.run(['stop', '--host', '::1', '--port', new URL(url).port])).code, 0)
})

void t.test('an agents folder that is not there: exit 1, and nothing listens', async t => {
  const cli = commandLine(t)
  const missing = join(tempFolder(t), 'not-there')
  const { code, err, out } = await cli.run(['start', '--port', '0', '--agents-dir', missing])
  t.equal(code, 1)
  t.ok(err.includes(missing))
  t.match(err, /--agents-dir .*no such folder/)
  t.notMatch(out, /listens/)
})

void t.test('a broken agent: exit 1 with folder and cause, and nothing listens', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { 'broken/index.mjs': 'export default async function () { throw new Error("its reason") }' })
  const { code, err, out } = await cli.run(['start', '--port', '0', '--agents-dir', dir])
  t.equal(code, 1)
  t.ok(err.includes(join(dir, 'broken')))
  t.match(err, /its reason/)
  t.notMatch(err, /^ +at /m, 'no stack')
  t.notMatch(out, /listens/)
})

void t.test('an agent whose plugin does not settle is named after five seconds, long before it is given up', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { 'slow/index.mjs': 'export default async function () { await new Promise(() => {}) }' })
  const command = cli.spawn(['start', '--port', '0', '--agents-dir', dir])
  await command.until(() => command.logged(/the start waits for the agent in/))
  t.match(command.logged(/the start waits/).msg, new RegExp(`${join(dir, 'slow')}: its plugin has not ended after 5 s\\. It is given \\d+ s more`))
  t.equal(command.result, undefined)
})

void t.test('a broken agent that left a timer running keeps no process: exit 1', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { 'broken/index.mjs': 'setInterval(() => {}, 1000)\nexport default async function () { throw new Error("its reason") }' })
  const { code, err } = await cli.run(['start', '--port', '0', '--agents-dir', dir])
  t.equal(code, 1)
  t.match(err, /its reason/)
})

void t.test('without a folder for its record it starts, warns, and is still recognised', { skip: process.getuid?.() === 0 && 'root may write anywhere' }, async t => {
  const cli = commandLine(t)
  chmodSync(cli.runtime, 0o500)
  const { command, port } = await cli.start()
  t.ok(command.logged(/no folder/))
  t.equal((await cli.run(['status', '--port', String(port)])).code, 0)
  chmodSync(cli.runtime, 0o700)
})

void t.test('a run-time folder that is a file does not break the start', async t => {
  const cli = commandLine(t)
  const file = join(write(tempFolder(t), { file: '' }), 'file')
  const { command } = await cli.start([], { env: { XDG_RUNTIME_DIR: file } })
  await command.until(() => command.logged(/XDG_RUNTIME_DIR/))
  t.pass()
})

void t.test('the log holds no prompts', async t => {
  const cli = commandLine(t)
  const { command, post } = await cli.start(SCRIPTED)
  const ask = (content: unknown, more: object = {}) => post({ model: 'scripted', messages: [{ role: 'user', content }], ...more }).then(response => response.text())
  await ask('a SECRET prompt')
  await ask('a SECRET prompt', { stream: true })
  await ask(JSON.stringify(['SECRET', { throw: 'failed' }]))
  await ask('SECRET', { model: 'no-such-model' })
  await ask('SECRET', { temperature: 'SECRET' })
  await ask([{ type: 'SECRET' }])
  await ask('SECRET', { model: 'svc-code' })
  await ask(JSON.stringify(['SECRET', { later: 'late' }]))
  await fetch(`${new URL(command.logged(/^ready/).url).origin}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"messages": "SECRET' }).then(response => response.text())
  await command.until(() => command.logged(/something failed outside/))
  t.ok(command.logged(/failed/))
  t.notMatch(command.out + command.err, /SECRET/)
})

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import t from 'tap'
import { findRecord } from '../../scripts/svc/record.js'
import { SCRIPTED, commandLine, foreigner, freePort, isAlive } from '../support/cli.js'
import { write } from '../support/folders.js'
import { gated, readUntil } from '../support/gate.js'

const isLinux = existsSync('/proc/self/stat')

function recordOf (port: number, more: object) {
  return {
    [`svc/${port}-127.0.0.1.json`]: JSON.stringify({ pid: 1, born: '1', instance: 'gone', scheme: 'http', host: '127.0.0.1', port, since: new Date().toISOString(), agents: ['svc-code'], drain: 10, ...more })
  }
}

void t.test('stop ends the service, waits until it is gone, and leaves no record', async t => {
  const cli = commandLine(t)
  const { port, pid, command } = await cli.start()
  t.match(cli.records(), [{ pid, port, scheme: 'http', host: '127.0.0.1', agents: ['svc-code'] }])
  const { code, out, err } = await cli.run(['stop', '--port', String(port)])
  t.equal(code, 0)
  t.equal(err, '')
  t.match(out, new RegExp(`port ${port} \\(pid ${pid}\\) has stopped`))
  t.notOk(isAlive(pid))
  t.match(await command.ended, { code: 0, signal: null })
  t.same(cli.records(), [])
  t.equal((await cli.here(['status', '--port', String(port)])).code, 1)
})

void t.test('stop ends just the one on its port', async t => {
  const cli = commandLine(t)
  const [one, other] = await Promise.all([cli.start(), cli.start()])
  t.equal((await cli.here(['stop', '--port', String(one.port)])).code, 0)
  t.notOk(isAlive(one.pid))
  t.equal((await fetch(`${other.url}/health`)).status, 200)
})

void t.test('where none runs: exit 1, and it says so', async t => {
  const cli = commandLine(t)
  const port = await freePort()
  const { code, err } = await cli.here(['stop', '--port', String(port)])
  t.equal(code, 1)
  t.match(err, new RegExp(`not running.*port ${port}`))
})

void t.test('a foreign listener is left alone: exit 1', async t => {
  const cli = commandLine(t)
  const http = await foreigner(t, (_request, response) => response.end('{}'))
  const silent = await foreigner(t)
  for (const port of [http, silent]) {
    const { code, err } = await cli.here(['stop', '--port', String(port)])
    t.equal(code, 1)
    t.match(err, /left alone/)
  }
})

void t.test('a service that has no record here is left alone: exit 1', async t => {
  const cli = commandLine(t)
  const { port, url } = await commandLine(t).start()
  const { code, err } = await cli.here(['stop', '--port', String(port)])
  t.equal(code, 1)
  t.match(err, /left alone/)
  t.equal((await fetch(`${url}/health`)).status, 200)
})

void t.test('the stale record of a dead process: exit 1, not running', async t => {
  const cli = commandLine(t)
  const { port, command } = await cli.start()
  command.kill('SIGKILL')
  await command.ended
  const { code, err } = await cli.here(['stop', '--port', String(port)])
  t.equal(code, 1)
  t.match(err, /not running/)
})

void t.test('the stale record of a dead process, and a foreign listener on its port: left alone', async t => {
  const cli = commandLine(t)
  const port = await foreigner(t, (_request, response) => response.end('{}'))
  const dead = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(dead, 'close')
  write(cli.runtime, recordOf(port, { pid: dead.pid }))
  const { code, err } = await cli.here(['stop', '--port', String(port)])
  t.equal(code, 1)
  t.match(err, /left alone/)
})

void t.test('a record whose pid is another process now: that one is left alone, whether anything listens or not', async t => {
  const cli = commandLine(t)
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.teardown(() => other.kill('SIGKILL'))
  const { port: taken } = await commandLine(t).start()
  const foreign = await foreigner(t)
  const ports = [await freePort(), taken, foreign]
  for (const port of ports) write(cli.runtime, recordOf(port, { pid: other.pid }))
  for (const port of ports) {
    const { code, err } = await cli.here(['stop', '--port', String(port)])
    t.equal(code, 1)
    t.match(err, new RegExp(`${other.pid}.*left alone`))
    t.equal(other.exitCode ?? other.signalCode, null)
  }
  // A system that does not tell when a process began gives no proof either.
  write(cli.runtime, recordOf(ports[0] ?? 0, { pid: other.pid, born: null }))
  t.equal((await cli.here(['stop', '--port', String(ports[0])])).code, 1)
  t.equal(other.exitCode ?? other.signalCode, null)
})

void t.test('a foreign server that repeats the instance of a service that is gone has no other process killed', async t => {
  const cli = commandLine(t)
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.teardown(() => other.kill('SIGKILL'))
  const port = await foreigner(t, (_request, response) => response.setHeader('x-svc-instance', 'gone').end('{}'))
  for (const born of ['1', ...(isLinux ? [null] : [])]) { // a record without a birth is no proof where the system tells of births
    write(cli.runtime, recordOf(port, { pid: other.pid, born }))
    const { code, err, out } = await cli.here(['stop', '--port', String(port)])
    t.equal(code, 1)
    t.match(err, new RegExp(`${other.pid}.*left alone`))
    t.equal(out, '')
    t.equal(other.exitCode ?? other.signalCode, null)
  }
})

void t.test('a record of another shape is none: nothing is killed, and the file is named', async t => {
  const cli = commandLine(t)
  const port = await freePort()
  const file = `svc/${port}-127.0.0.1.json`
  const whole = JSON.parse(recordOf(port, {})[file] ?? '') as object
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.teardown(() => other.kill('SIGKILL'))
  const shapes = [{}, null, [], 7, 'text', ...[0, 1, -1, -(other.pid ?? 0), 2.5, String(other.pid), null].map(pid => ({ ...whole, pid })), { ...whole, pid: other.pid, drain: 'x' }, { ...whole, pid: other.pid, host: 7 }, { ...whole, pid: other.pid, since: 'once' }]
  const { XDG_RUNTIME_DIR: before } = process.env
  t.teardown(() => { if (before === undefined) delete process.env.XDG_RUNTIME_DIR; else process.env.XDG_RUNTIME_DIR = before })
  process.env.XDG_RUNTIME_DIR = cli.runtime
  for (const shape of shapes) {
    write(cli.runtime, { [file]: JSON.stringify(shape) })
    t.equal(await findRecord({ host: '127.0.0.1', port }), undefined, JSON.stringify(shape))
  }
  for (const shape of [{}, null, { ...whole, pid: -(other.pid ?? 0) }]) {
    write(cli.runtime, { [file]: JSON.stringify(shape) })
    const [stop, status] = await Promise.all([cli.run(['stop', '--port', String(port)]), cli.run(['status', '--port', String(port)])])
    t.match(stop, { code: 1, out: '', err: /svc.*json is no record of a service.*\n.*not running/ })
    t.match(status, { code: 1, err: '' })
  }
  t.equal(other.exitCode ?? other.signalCode, null)
})

void t.test('a service that hangs is known by its birth, and is ended all the same', { skip: !isLinux && 'needs /proc' }, async t => {
  const cli = commandLine(t)
  const { port, pid, command } = await cli.start(['--drain', '30'])
  command.kill('SIGSTOP')
  const stop = cli.spawn(['stop', '--port', String(port)])
  const isAsked = () => {
    const pending = /ShdPnd:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
    return (BigInt(`0x${pending}`) & (1n << 14n)) !== 0n // SIGTERM waits for it
  }
  await stop.until(isAsked)
  await stop.until(() => stop.out.includes(`pid ${pid}) does not answer. It was asked to stop all the same`) && stop.out.includes(`kill -9 ${pid}`))
  t.equal(stop.result, undefined, 'it waits until the service is gone')
  command.kill('SIGCONT')
  t.equal((await stop.ended).code, 0)
  t.match(await command.ended, { code: 0 })
})

void t.test('stop waits for runs that drain', async t => {
  const cli = commandLine(t)
  const { port, post } = await cli.start([...SCRIPTED, '--drain', '30'])
  const response = await post({ model: 'scripted', stream: true, messages: [{ role: 'user', content: JSON.stringify(['a', { wait: 3000 }, 'b']) }] })
  const { code } = await cli.here(['stop', '--port', String(port)])
  t.equal(code, 0)
  t.ok((await response.text()).endsWith('data: [DONE]\n\n'))
})

void t.test('a second stop during a drain is no second signal: it says so and waits, too', async t => {
  const cli = commandLine(t)
  const gate = gated(t)
  const { port, pid, post, command } = await cli.start(['--agents-dir', gate.dir, '--drain', '50'])
  const rest = await readUntil(await post({ model: 'gated', stream: true, messages: [{ role: 'user', content: 'x' }] }), 'waiting')
  const stops = [cli.spawn(['stop', '--port', String(port)])]
  await command.until(() => command.logged(/^svc stops/))
  stops.push(cli.spawn(['stop', '--port', String(port)]), cli.spawn(['stop', '--port', String(port)]))
  for (const later of stops.slice(1)) await later.until(() => later.out.includes(`(pid ${pid}) is stopping already`))
  t.equal(command.result, undefined)
  gate.open()
  t.ok((await rest()).endsWith('data: [DONE]\n\n'))
  for (const { ended } of stops) t.match(await ended, { code: 0, out: /has stopped/, err: '' })
  t.match(await command.ended, { code: 0, signal: null })
})

void t.test('two stops at the same moment are one', async t => {
  const cli = commandLine(t)
  const gate = gated(t)
  const { post, command } = await cli.start(['--agents-dir', gate.dir, '--drain', '50'])
  const rest = await readUntil(await post({ model: 'gated', stream: true, messages: [{ role: 'user', content: 'x' }] }), 'waiting')
  command.kill('SIGTERM')
  await command.until(() => command.logged(/^svc stops/))
  command.kill('SIGTERM') // of a stop that had looked at the record just before
  gate.open()
  t.ok((await rest()).endsWith('data: [DONE]\n\n'))
  t.match(await command.ended, { code: 0, signal: null })
})

void t.test('a service on another address with the same port is not stopped in its place', async t => {
  const cli = commandLine(t)
  const { port, url } = await cli.start(['--host', '127.0.0.1'])
  t.equal((await cli.here(['stop', '--host', '127.0.0.2', '--port', String(port)])).code, 1)
  t.equal(await fetch(`${url}/health`).then(({ status }) => status, () => 'it was stopped'), 200)
})

void t.test('the folder of the records is its user\'s alone', { skip: process.platform === 'win32' }, async t => {
  const { statSync } = await import('node:fs')
  const cli = commandLine(t)
  await cli.start()
  t.equal(statSync(`${cli.runtime}/svc`).mode & 0o777, 0o700)
})

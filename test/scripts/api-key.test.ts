import t from 'tap'
import { commandLine, freePort, isAlive } from '../support/cli.js'

void t.test('with a key, callers must send it; status and stop need none', async t => {
  const cli = commandLine(t)
  const { url, port, pid } = await cli.start(['--api-key', 'a-secret'])
  t.equal((await fetch(`${url}/v1/models`)).status, 401)
  t.equal((await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer a-secret' } })).status, 200)
  const { code, out } = await cli.here(['status', '--json', '--port', String(port)])
  t.equal(code, 0)
  t.match(JSON.parse(out), { status: 'running', pid, agents: ['svc-code'], backend: { kind: 'none' } })
  t.equal((await cli.run(['stop', '--port', String(port)])).code, 0)
  t.notOk(isAlive(pid))
})

void t.test('the key is in no log, no record and no status', async t => {
  const cli = commandLine(t)
  const free = await freePort()
  const { command, port, url } = await cli.start(['--debug', '--api-key', 'a-secret', '--backend-key', 'another-secret', '--backend-url', `http://user:password@127.0.0.1:${free}/v1`])
  await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer a-secret-that-is-wrong' } })
  await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { authorization: 'Bearer a-secret', 'content-type': 'application/json' }, body: '{"model":"svc-code","messages":[{"role":"user","content":"x"}]}' })
  await command.until(() => command.logged(/Agent processing failed/))
  const { out } = await cli.here(['status', '--port', String(port)])
  t.notMatch(command.out + command.err + out + JSON.stringify(cli.records()), /a-secret|another-secret|user:password/)
})

void t.test('without the record, status says why it cannot tell the agents', async t => {
  const cli = commandLine(t)
  const { port } = await commandLine(t).start(['--api-key', 'a-secret'])
  const { code, out } = await cli.here(['status', '--port', String(port)])
  t.equal(code, 0)
  t.match(out, /agents +not shown without the API key/)
})

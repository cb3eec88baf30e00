import t, { type Test } from 'tap'
import { AGENTS, SCRIPTED, type CommandLine, type Started, commandLine, freePort } from '../support/cli.js'
import { say, startBackend, type ScriptedBackend } from '../support/backend.js'
import { agentFiles, tempFolder, write } from '../support/folders.js'
import { gated, readUntil } from '../support/gate.js'

const KEY = { authorization: 'Bearer a-key' }
const ask = (model: string, steps: unknown, more: object = {}) => ({ model, messages: [{ role: 'user', content: JSON.stringify(steps) }], ...more })

/** A value for each flag of start, TLS apart, and what makes their effects visible. */
async function everything (t: Test): Promise<{ values: Record<string, string[]>, backend: ScriptedBackend }> {
  const backend = await startBackend(t, say('from the backend'), { '/v1/models': { data: [{ id: 'another', context_length: 32768 }] } })
  const dir = write(tempFolder(t), agentFiles('dropped'))
  const values = {
    host: ['127.0.0.2'], port: [String(await freePort())], debug: [], 'backend-url': [backend.url], 'backend-model': ['chosen'], 'backend-key': ['backend-key'],
    'backend-search': ['none'], 'first-token-timeout': ['50'], 'next-token-timeout': ['50'],
    'agents-dir': [AGENTS, dir, gated(t).dir], alias: ['gpt-4o=dropped', 'o3=scripted'], 'api-key': ['a-key'], 'cors-origin': ['http://one.test', 'app://two.test'],
    'max-runs': ['1'], 'max-queue': ['0'], 'run-timeout': ['4'], drain: ['0.5'], 'json-keepalive': ['0.2'], 'no-progress': [], 'body-limit': ['4k']
  }
  return { values, backend }
}

async function checkEverything (
  t: Test, cli: CommandLine, { url, command, post, port }: Started, { values, backend }: Awaited<ReturnType<typeof everything>>
): Promise<void> {
  t.equal(url, `http://127.0.0.2:${values.port?.[0]}`, 'host and port')

  t.equal((await fetch(`${url}/v1/models`)).status, 401, 'api-key')
  const { data } = await fetch(`${url}/v1/models`, { headers: KEY }).then(response => response.json()) as { data: Array<{ id: string }> }
  t.same(data.map(({ id }) => id), ['svc-code', 'scripted', 'narrow', 'dropped', 'gated'], 'agents-dir')

  const content = async (model: string) => (await (await post(ask(model, ['played']), KEY)).json() as any).choices[0].message.content // eslint-disable-line @typescript-eslint/no-explicit-any
  t.equal(await content('gpt-4o'), 'dropped', 'alias')
  t.equal(await content('o3'), 'played', 'alias')

  t.equal(await content('svc-code'), 'from the backend', 'backend-url')
  t.equal(backend.calls[0]?.body.model, 'chosen', 'backend-model')
  t.equal(backend.calls[0]?.headers.authorization, 'Bearer backend-key', 'backend-key')
  t.ok(command.logged('run begins'), 'debug')

  for (const [origin, allowed] of [['http://one.test', true], ['app://two.test', true], ['http://three.test', false]] as const) {
    const { headers } = await fetch(`${url}/health`, { headers: { origin } })
    t.equal(headers.get('access-control-allow-origin'), allowed ? origin : null, 'cors-origin')
  }

  t.match(await (await post(ask('scripted', [{ wait: 1500 }, 'text']), KEY)).text(), /^ +\{/, 'json-keepalive')
  t.notMatch(await (await post(ask('scripted', [{ type: 'progress', text: 'working' }, { wait: 1500 }, 'text'], { stream: true }), KEY)).text(), /working/, 'no-progress')
  t.equal((await post(ask('scripted', ['x'.repeat(5000)]), KEY)).status, 413, 'body-limit')
  t.equal((await post(ask('scripted', ['x'.repeat(3000)]), KEY)).status, 200, 'body-limit')

  const rest = await readUntil(await post(ask('gated', [], { stream: true }), KEY), 'waiting')
  const refused = await post(ask('scripted', []), KEY)
  t.match(await refused.json(), { error: { code: 'overloaded' } }, 'max-runs and max-queue')
  t.match(await rest(), /--run-timeout/, 'run-timeout')

  const last = await readUntil(await post(ask('gated', [], { stream: true }), KEY), 'waiting')
  t.match(cli.records(), [{ port, drain: 0.5 }])
  command.kill('SIGTERM')
  t.match(await last(), /shutting down/, 'drain')
  t.match(await command.ended, { code: 0 })
}

void t.test('every flag does what it says on the command line', async t => {
  const cli = commandLine(t)
  const all = await everything(t)
  const args = Object.entries(all.values).flatMap(([flag, values]) => values.length === 0 ? [`--${flag}`] : values.flatMap(value => [`--${flag}`, value]))
  await checkEverything(t, cli, await cli.start(args), all)
})

void t.test('every flag does the same as a variable of the environment, lists parted by commas', async t => {
  const cli = commandLine(t)
  const all = await everything(t)
  const env = Object.fromEntries(Object.entries(all.values).map(([flag, values]) => [`SVC_${flag.toUpperCase().replaceAll('-', '_')}`, values.join(',') || 'true']))
  await checkEverything(t, cli, await cli.start([], { env }), all)
})

void t.test('the command line beats the environment', async t => {
  const cli = commandLine(t)
  const [port, other] = [await freePort(), await freePort()]
  const env = {
    SVC_PORT: String(other), SVC_API_KEY: 'of the environment', SVC_ALIAS: 'a=svc-code', SVC_BACKEND_URL: 'http://127.0.0.1:9/v1', SVC_DRAIN: '77', SVC_HOST: '0.0.0.0'
  }
  const { url } = await cli.start(['--port', String(port), '--api-key', 'of-the-line', '--alias', 'b=svc-code', '--drain', '3', '--host', '127.0.0.1'], { env })
  t.equal(url, `http://localhost:${port}`)
  t.equal((await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer of-the-line' } })).status, 200)
  const statusOf = async (id: string) => (await fetch(`${url}/v1/models/${id}`, { headers: { authorization: 'Bearer of-the-line' } })).status
  t.equal(await statusOf('b'), 200)
  t.equal(await statusOf('a'), 404)
  t.match(cli.records(), [{ drain: 3, host: '127.0.0.1' }])
  const ready = await fetch(`${url}/health/ready`)
  t.match(await ready.json(), { backend: { url: 'http://127.0.0.1:9/v1' } }, 'what the line leaves open comes from the environment')
})

void t.test('variables that are no flags do not break any command', async t => {
  const cli = commandLine(t)
  const env = { SVC_SOMETHING: 'else', SVC_: 'x', SVC_HOME: '/', SVC_MAX_SOMETHING: '1', SVC_JSON: 'true', SVC_JS: 'true' }
  const { port } = await cli.start([], { env })
  t.equal((await cli.run(['status', '--port', String(port)], { env })).code, 0)
  t.equal((await cli.run(['stop', '--port', String(port)], { env })).code, 0)
})

void t.test('a switch in the environment can be off', async t => {
  const cli = commandLine(t)
  const { command } = await cli.start(SCRIPTED, { env: { SVC_DEBUG: 'false' } })
  t.notOk(command.log.some(({ level }) => level < 30))
})

void t.test('unknown flags and commands are refused with the nearest known one, or where to look', async t => {
  const cli = commandLine(t)
  for (const [args, message] of [
    [['start', '--prot', '1'], /prot.*\n[^\n]*--help/], [['strat'], /start/], [[], /start, status, stop, mcp, verify, model, new-agent/], [['start', 'extra'], /extra/], [['status', '--debug'], /debug/]
  ] as Array<[string[], RegExp]>) {
    const { code, err } = await cli.run(args)
    t.equal(code, 1)
    t.match(err, message)
    t.notMatch(err, /^ +at /m, 'no stack')
  }
})

void t.test('--help names every flag, --version the version', async t => {
  const cli = commandLine(t)
  const { code, out } = await cli.run(['start', '--help'])
  t.equal(code, 0)
  for (const flag of [...Object.keys((await everything(t)).values), 'tls-cert', 'tls-key', 'model', 'pull', 'models-dir', 'threads', 'no-gpu', 'no-embedded']) t.ok(out.includes(`--${flag}`), flag)
  t.match((await cli.run(['--version'])).out, /^\d+\.\d+\.\d+\n$/)
  const told = out.replaceAll(/\s+/g, ' ')
  for (const [flag, value] of [['json-keepalive', '240'], ['run-timeout', '3600'], ['drain', '10'], ['body-limit', '"8MiB"'], ['max-model-calls', '8']]) t.match(told, new RegExp(`--${flag} (?:(?! --).)*\\[default: ${value}\\]`), `${flag}: ${value}`)
})

import t, { type Test } from 'tap'
import { commandLine, freePort } from '../support/cli.js'
import { NO_TERMINAL, inTerminal } from '../support/terminal.js'

const QUESTION = /Download qwen2\.5-coder-.*\? \[Y\/n\]/

// More addresses than a signal may have listeners; nothing listens there.
const SEARCH = Array.from({ length: 12 }, (_, i) => `http://127.0.0.1:${i + 1}/v1`).join(',')

async function asked (t: Test, args: string[] = []) {
  const cli = commandLine(t)
  const port = await freePort()
  const env = { XDG_RUNTIME_DIR: cli.runtime, SVC_MODELS_DIR: `${cli.runtime}/models`, SVC_BACKEND_SEARCH: SEARCH, HF_ENDPOINT: 'http://127.0.0.1:9' }
  const terminal = inTerminal(t, ['start', '--port', String(port), ...args], env)
  await terminal.until(() => QUESTION.test(terminal.shown))
  return { cli, terminal, port, url: `http://127.0.0.1:${port}` }
}

void t.test('Ctrl-C at the question whether to download a model ends the service', { skip: NO_TERMINAL }, async t => {
  const { cli, terminal, url, port } = await asked(t)
  terminal.type('\x03')
  t.equal(await terminal.ended, 130, 'as the shell has it')
  await t.rejects(fetch(`${url}/health`), 'nothing listens')
  t.same(cli.records(), [])
  t.notMatch(terminal.shown, /models +svc-code|MaxListeners|Warning/)
  t.match(terminal.shown, new RegExp(`listens on .*:${port}`))
})

void t.test('the port answers while the question stands, and tells that it does', { skip: NO_TERMINAL }, async t => {
  const { cli, terminal, url, port } = await asked(t)
  t.equal((await fetch(`${url}/health`)).status, 200)
  const ready = await fetch(`${url}/health/ready`)
  t.equal(ready.status, 503)
  t.match(await ready.json(), { status: 'not_ready', backend: { kind: 'none', problem: /no language model/, remedy: /^say in the terminal of this service whether it may download qwen2\.5-coder/ } })
  t.match(await cli.run(['status', '--port', String(port)]), { code: 0, out: /in the terminal of this service/ })
  t.equal((await cli.run(['stop', '--port', String(port)])).code, 0)
  t.equal(await terminal.ended, 0)
})

void t.test('after a no the service goes on, and says once, in three lines, what is missing and what helps', { skip: NO_TERMINAL }, async t => {
  const { terminal, url } = await asked(t)
  terminal.type('n\r')
  await terminal.until(() => terminal.shown.includes('Ctrl-C'))
  t.equal((await fetch(`${url}/health`)).status, 200)
  const said = terminal.shown.split(/\r?\n/)
  const at = said.findIndex(line => /^ {2}problem/.test(line))
  t.match(said.slice(at, at + 4), [/^ {2}problem {2}no language model is configured/, /^ {2}to do {4}npm run model -- pull qwen/, /^ {11}or start Ollama.*--model demo/, /^ {2}try/])
  for (const line of said.slice(at, at + 3)) t.ok(line.replace(/\(127.*?\)/, '').split(' ').length < 45, 'short')
  t.equal(terminal.shown.match(/no language model is configured/g)?.length, 1)
  t.match(await (await fetch(`${url}/health/ready`)).json(), { backend: { remedy: /^npm run model -- pull/ } })
})

void t.test('a model that was named is asked for likewise, and readiness says that an answer is awaited', { skip: NO_TERMINAL }, async t => {
  const { terminal, url } = await asked(t, ['--model', 'qwen2.5-coder-7b'])
  t.match(await (await fetch(`${url}/health/ready`)).json(), { status: 'not_ready', backend: { problem: /the terminal of this service asks whether qwen2\.5-coder-7b \(4\.7 GB\) may be downloaded/ } })
  terminal.type('n\r')
  await terminal.until(() => terminal.shown.includes('Ctrl-C'))
  t.match(await (await fetch(`${url}/health/ready`)).json(), { backend: { problem: /is not on this machine/ } })
})

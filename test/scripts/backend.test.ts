import t from 'tap'
import type { Call } from '../support/backend.js'
import { commandLine, freePort } from '../support/cli.js'
import { startDialect } from '../support/dialects.js'

void t.test('the start and status say which server was taken, and why', async t => {
  const cli = commandLine(t)
  const small = await startDialect(t, 'llama.cpp', 8192)
  const fine = await startDialect(t, 'lm-studio', 40960)
  const { command, port } = await cli.start(['--backend-search', small.url, '--backend-search', fine.url])
  t.match(command.logged('ready'), { backend: { kind: 'lm-studio', url: fine.url, reason: /found there.*also found: llama\.cpp at .*8192/, problem: null } })
  t.ok(command.logged(/the language model is at .*found there/))
  const { out } = await cli.here(['status', '--port', String(port)])
  t.match(out, new RegExp(`backend +${fine.url} \\(lm-studio, model qwen/qwen3-14b, context 40960\\)`))
  t.match(out, /why +found there/)
  t.match(JSON.parse((await cli.here(['status', '--json', '--port', String(port)])).out), { backend: { kind: 'lm-studio', reason: /found there/ } })
})

void t.test('a server with a small context is told at the start with the command that mends it', async t => {
  const cli = commandLine(t)
  const small = await startDialect(t, 'ollama', 4096)
  const { command, port } = await cli.start(['--backend-url', small.url])
  t.match(command.logged(/^ready/).msg, /4096 tokens, and agents need 32768; .*OLLAMA_CONTEXT_LENGTH=32768 ollama serve/)
  const { out } = await cli.here(['status', '--port', String(port)])
  t.match(out, /problem .*4096[^]*to do .*OLLAMA_CONTEXT_LENGTH=32768/)
})

void t.test('another svc is not taken for a language model', async t => {
  const cli = commandLine(t)
  const first = await cli.start()
  const { command } = await cli.start([], { env: { SVC_BACKEND_SEARCH: `${first.url}/v1` } })
  t.match(command.logged(/^ready/), { backend: { kind: 'none' }, msg: /no language model/ })
})

void t.test('without an address of its own a service looks at its own port, too, and does not take itself', async t => {
  const cli = commandLine(t)
  const port = await freePort()
  const { command, post } = await cli.start(['--port', String(port), '--backend-search', `http://127.0.0.1:${port}/v1`])
  t.match(command.logged(/^ready/), { backend: { kind: 'none' } })
  const reply = await post({ model: 'svc-code', messages: [{ role: 'user', content: 'x' }] })
  t.match(await reply.json(), { error: { message: /no language model/ } })
})

void t.test('the deadlines of a model are the user\'s to set', async t => {
  const cli = commandLine(t)
  for (const [flag, answer] of [['first-token-timeout', () => undefined], ['next-token-timeout', ({ chunk }: Call) => chunk({ content: 'a' })]] as const) {
    const server = await startDialect(t, 'vllm', 40960, { answer })
    const { post } = await cli.start(['--backend-url', server.url, `--${flag}`, '0.3'])
    const reply = await post({ model: 'svc-code', messages: [{ role: 'user', content: 'x' }] })
    t.match(await reply.json(), { error: { code: 'agent_error', message: new RegExp(`vLLM at .* has sent nothing for 0\\.3 s; .*--${flag}`) } })
  }
})

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import OpenAI from 'openai'
import t from 'tap'
import { buildApp } from '../app.js'
import { DEMO_PROMPTS } from '../plugins/backend/reciter/demo.js'
import { commandLine, isAlive } from './support/cli.js'
import { tempFolder } from './support/folders.js'
import { relayAgents } from './support/relay.js'
import { startService, until } from './support/service.js'
import { ANSWERS, ENDLESS, PALINDROME, tinyModelFile } from './support/tiny-model.js'

const ENGINE = () => ({ model: tinyModelFile(), threads: 1, useGpu: false })

const asking = (content: string) => ({ model: 'relay', temperature: 0, messages: [{ role: 'user' as const, content }] })

/** The processes that a process has started. */
function childrenOf (pid: number): number[] {
  return spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout.trim().split(/\s+/).map(Number).filter(child => child > 0 && isAlive(child))
}

void t.test('the openai SDK gets a program from a model in this service, streaming and not', async t => {
  const { client } = await startService(t, { agentsDirs: [relayAgents(t)], engine: ENGINE() })
  const whole = await client.chat.completions.create(asking('Write is_palindrome'))
  t.equal(whole.choices[0]?.message.content, PALINDROME)
  t.ok((whole.usage?.prompt_tokens ?? 0) > 5 && (whole.usage?.completion_tokens ?? 0) > 20)
  let text = ''
  let pieces = 0
  for await (const chunk of await client.chat.completions.create({ ...asking('Write is_palindrome'), stream: true })) {
    text += chunk.choices[0]?.delta.content ?? ''
    pieces++
  }
  t.equal(text, PALINDROME)
  t.ok(pieces > 2, 'a short reply comes in one piece where the machine is busy')
  let more = 0
  for await (const chunk of await client.chat.completions.create({ ...asking(ENDLESS), stream: true })) {
    if (chunk.choices[0]?.delta.content && ++more > 5) break
  }
  t.ok(more > 5, 'a long one never')
  const cut = await client.chat.completions.create({ ...asking(ENDLESS), max_tokens: 7 })
  t.equal(cut.choices[0]?.finish_reason, 'length')
  t.equal(cut.usage?.completion_tokens, 7)
})

void t.test('an engine that is killed in the middle of a stream gives an error frame at once, and the next request works', async t => {
  const cli = commandLine(t)
  const { url, pid } = await cli.start(['--model', tinyModelFile(), '--threads', '1', '--no-gpu', '--agents-dir', relayAgents(t)])
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 })
  let killed = false
  await t.rejects(async () => {
    for await (const chunk of await client.chat.completions.create({ ...asking(ENDLESS), stream: true })) {
      if (!chunk.choices[0]?.delta.content || killed) continue
      killed = true
      for (const child of childrenOf(pid)) process.kill(child, 'SIGKILL')
    }
  }, /Agent processing failed: the engine has crashed \(SIGKILL\); ask again/)
  t.ok(killed)
  t.equal((await client.chat.completions.create(asking(ANSWERS[0][0]))).choices[0]?.message.content, ANSWERS[0][1])

  const [engine = 0] = childrenOf(pid)
  t.ok(isAlive(engine))
  process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(engine), 20_000)
  t.pass('the engine does not outlive the service, however that ends')
})

void t.test('the demo model answers each of its tasks with a verified program, lists its tasks for anything else, and always says that it only recites', async t => {
  const cli = commandLine(t)
  const { command, url, port } = await cli.start(['--model', 'demo', '--threads', '1', '--no-gpu'])
  t.match(command.logged(/^ready/), { backend: { kind: 'demo', model: /only recites/ }, try: /add_numbers/ })
  t.match((await cli.run(['status', '--port', String(port)])).out, /the engine of this service \(model demo \(it only recites\)/)
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 })
  const asking = (content: string) => ({ model: 'svc-code', messages: [{ role: 'user' as const, content }] })
  const whole = async (prompt: string) => (await client.chat.completions.create(asking(prompt))).choices[0]?.message.content ?? ''
  const streamed = async (prompt: string) => {
    let text = ''
    for await (const chunk of await client.chat.completions.create({ ...asking(prompt), stream: true })) text += chunk.choices[0]?.delta.content ?? ''
    return text
  }
  for (const [i, prompt] of DEMO_PROMPTS.entries()) {
    const reply = await (i % 2 === 0 ? whole : streamed)(prompt)
    t.match(reply, /^The demo model behind this service does not think: it recites/, prompt)
    t.match(reply, /^verified: it was run here, and your /m, prompt)
  }
  const later = await client.chat.completions.create({ model: 'svc-code', messages: [{ role: 'user', content: DEMO_PROMPTS[0] ?? '' }, { role: 'assistant', content: await whole(DEMO_PROMPTS[0] ?? '') }, { role: 'user', content: 'Thanks!' }] })
  t.match(later.choices[0]?.message.content, /I don't think, I only recite/, 'what was asked for before is over')
  for (const other of [await whole('Write a function called quicksort: quicksort([2, 1]) == [1, 2]'), await streamed('Hello'), await whole('Create a small Python package `shop`.')]) {
    t.match(other, /^The demo model behind this service does not think[^]*I don't think, I only recite/)
    for (const prompt of DEMO_PROMPTS) t.ok(other.includes(prompt), prompt)
    t.notMatch(other, /### Verification/)
  }
})

void t.test('without a model, a server or permission to download, the service runs, and says what to do', async t => {
  const cli = commandLine(t)
  const { post, command } = await cli.start(['--pull'], { env: { HF_ENDPOINT: 'http://127.0.0.1:9' } })
  const { error } = await (await post({ ...asking('Hi'), model: 'svc-code' })).json() as { error: { code: string, message: string } }
  t.equal(error.code, 'agent_error')
  for (const way of [/--backend-url/, /go online/, /--model FILE\.gguf/, /--model demo/]) t.match(error.message, way)
  t.match(command.logged(/^ready/).msg, /no language model is configured/)
})

void t.test('impossible combinations of flags are reported before the start', async t => {
  const cli = commandLine(t)
  for (const [args, message] of [
    [['--model', 'demo', '--backend-url', 'http://127.0.0.1:9/v1'], /--backend-url and --model exclude each other/],
    [['--model', 'demo', '--no-embedded'], /--model and --no-embedded exclude each other/],
    [['--model', join(tempFolder(t), 'none.gguf')], /neither a file nor a known name/],
    [['--threads', '0'], /--threads must be a whole number/]
  ] as const) {
    const { code, err } = await cli.run(['start', '--port', '0', ...args])
    t.equal(code, 1)
    t.match(err, message)
  }
})

void t.test('a service without the engine starts none', async t => {
  const app = await buildApp()
  t.teardown(() => app.close())
  t.match(await app.backend.info(), { kind: 'none' })
})

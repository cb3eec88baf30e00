import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { ends } from './support/ends.js'
import { type Problem, refusal } from './support/envelope.js'
import { AGENTS, script, startService, until } from './support/service.js'

const DROP = fileURLToPath(new URL('./fixtures/failing-agents', import.meta.url))

const { app, post, client } = await startService(t, { agentsDirs: [AGENTS, DROP] })
const { WAYS, ODD } = await import(`${DROP}/failing/agent.mjs`) as { WAYS: string[], ODD: string[] }

const failing = (content: string, more: object = {}) => ({ model: 'failing', messages: [{ role: 'user', content }], ...more })

async function agentError (t: Test, response: Response): Promise<Problem> {
  t.equal(response.headers.get('x-should-retry'), 'false', 'no SDK repeats the run')
  const problem = await refusal(t, response, 500, 'agent_error', 'internal_error')
  t.match(problem.message, /^Agent processing failed: \S/)
  return problem
}

for (const stream of [false, true]) {
  const mode = stream ? 'a stream' : 'a JSON reply'

  void t.test(`${mode}: a failure of the agent is a 500 agent_error, in whatever way it fails`, async t => {
    for (const way of WAYS) {
      await t.test(way, async t => {
        const response = await post(failing(way, { stream }), {}, AbortSignal.timeout(10_000))
        const { message } = await agentError(t, response)
        t.ok(message.length < 3000)
        t.ok(message.isWellFormed(), 'Python clients fail on half a character')
        t.notMatch(message, /\bann\b|\bprivate\b|\bat .*:\d+:\d+/, 'no path and no stack')
      })
    }
  })

  void t.test(`${mode}: the error tells what the agent said`, async t => {
    for (const [way, says] of [
      ['an error', 'out of luck'], ['an error of a class', 'not my type'], ['a string', 'plain words'], ['an object with a message', 'from an object'], ['a rejection', 'later'],
      ['at once', 'before any event'], ['next throws', 'in next'], ['an error of several', 'two at once'], ['a real stack', 'Error: with a stack'], ['a real file error', "ENOENT: no such file or directory, open 'keys.txt'"]
    ] as const) {
      t.equal((await agentError(t, await post(failing(way, { stream })))).message, `Agent processing failed: ${says}`)
    }
    t.match((await agentError(t, await post(failing('undefined', { stream })))).message, /undefined/)
    t.match((await agentError(t, await post(failing('null', { stream })))).message, /null/)
  })

  void t.test(`${mode}: something that is no event is an agent_error`, async t => {
    for (const step of [5, true, null, { type: 'nonsense' }, { type: 'tool_call', name: 'x' }, { type: null }, { type: 'usage', prompt_tokens: 'many', completion_tokens: 1 }, { type: 'usage', prompt_tokens: -1, completion_tokens: 1 }]) {
      t.match((await agentError(t, await post(script([step], { stream })))).message, /the agent (yielded|reported)/, JSON.stringify(step))
    }
  })

  void t.test(`${mode}: input that is too long for the agent is a 400 context_length_exceeded`, async t => {
    const response = await post(script([{ tooLong: 'more than /home/ann/private/limits.txt allows' }], { stream }))
    t.match((await refusal(t, response, 400, 'context_length_exceeded')).message, /(^|: )more than limits\.txt allows$/)
  })
}

void t.test('paths of the machine are never shown, however they are written', async t => {
  for (const text of [
    '/home/ann/private/keys.txt', '"/home/ann/private/keys.txt"', '(/home/ann/private/keys.txt:3:5)', 'file:///home/ann/private/keys.txt', '~/ann/private/keys.txt', '/home/ann/private/',
    'C:\\Users\\ann\\private\\keys.txt', "'C:\\Users\\ann private\\keys.txt'", 'C:/Users/ann/private/keys.txt', 'path=/home/ann/private/keys.txt', '{"path":"/home/ann/private/keys.txt"}',
    '[/home/ann/private/keys.txt]', '</home/ann/private/keys.txt>', '\n/home/ann/private/keys.txt\n', 'cwd:/home/ann/private/keys.txt', 'PATH=/usr/bin:/home/ann/bin', "'/home/ann smith/keys.txt'",
    '-I/home/ann/include', 'File "/home/ann/private/x.py", line 3, in f',
    '/home/ann', '/home/ann/', "'/home/ann'", '/Users/ann', 'file:///home/ann', 'file:///home/ann/x.mjs', 'file://localhost/home/ann/x.mjs', '~/ann', '~ann/x', 'C:\\Users\\ann', 'C:\\Users\\ann\\', 'c:/Users/ann',
    'C:\\\\Users\\\\ann\\\\keys.txt', '{"path":"C:\\\\Users\\\\ann\\\\keys.txt"}', 'file:///C:/Users/ann/x.mjs', '//ann/home', '//ann/home/x.txt', '\\\\ann\\home', '\\\\ann\\home\\x.txt', "'//ann/home/x y.txt'",
    '/v1/../home/ann', '/v1/../home/ann/keys.txt', '/api/../../home/ann', "'/v1/../home/ann/x'", '../../home/ann/x', '/home/ann/..', '/home/ann.smith', '/home/./ann', '//home//ann//x', 'fn@file:///home/ann/x.js:3:5', 'webpack:///home/ann/x.ts',
    '/home/ann/a:/home/ann/b', '`/home/ann/x y`', 'a=/home/ann', '@/home/ann/x', '/home/ann\n', '/home/ann%20smith/x',
    '/home/ann private/keys.txt', '/Users/Joe Ann private/keys.txt', '/Users/Joe ann/My private/keys.txt', 'file:///home/joe ann/x', '~/joe ann/keys.txt', '/home/joe ann/'
  ]) {
    await t.test(text.trim(), async t => {
      const { message } = await agentError(t, await post(failing(`open ${text} failed`)))
      t.notMatch(message, /ann\b|\bhome\b|\bUsers\b/)
      t.match(message, /open[^]*failed/, 'the words around it stay')
    })
  }
})

void t.test('addresses are no paths and stay', async t => {
  for (const text of ['http://127.0.0.1:8000/v1/models does not answer', 'GET https://example.com/a/b/c failed', 'POST /v1/chat/completions gave 500', 'and/or', '3/4/5', './a/b', 'https://user.example/home/x?q=/home/y',
    'ws://127.0.0.1/home/x', 'use /help', 'a </div> too many', 'POST /health/ready', '1 // 2', 'http://[::1]:8080/home/a/b', '"http://a.example/b/c.d"', 'n/a', '50 %/s', '~5 s']) {
    t.equal((await agentError(t, await post(failing(text)))).message, `Agent processing failed: ${text}`)
  }
})

void t.test('only the part of the text after a path that may belong to the path is cut', async t => {
  for (const [text, shown] of [
    ['/usr/bin/python3 src/main.py failed', 'python3 main.py failed'], ['/a/b/c.txt and/or d', 'c.txt and/or d'], ['use /help and/or ask', 'use /help and/or ask'], ['POST /v1/chat/completions and/or ask', 'POST /v1/chat/completions and/or ask'],
    ['/a/b/c failed for x', 'c failed for x'], ['/a/b/c Failed For x', 'c Failed For x'], ['/a/b/c http://x.example/y', 'c http://x.example/y'], ['/a/b/c.txt /d/e/f.txt', 'c.txt f.txt']
  ] as const) {
    t.equal((await agentError(t, await post(failing(text)))).message, `Agent processing failed: ${shown}`)
  }
})

void t.test('an agent that yields an invalid event is stopped', async t => {
  for (const step of [5, { type: 'usage', prompt_tokens: -1, completion_tokens: 0 }]) {
    const known = new Set(ends.keys())
    await agentError(t, await post(script([step, { hang: true }])))
    const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
    t.equal(ends.has(id), true)
    await until(() => ends.get(id)?.startsWith('closed') === true)
  }
})

void t.test('the service lives on after all of it', async t => {
  const reply = await client.chat.completions.create(script(['fine']))
  t.equal(reply.choices[0]?.message.content, 'fine')
  await until(() => app.runs.load.runs === 0)
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
})

void t.test('what breaks whoever looks at it is an agent_error all the same', async t => {
  for (const way of ODD) {
    await t.test(way, async t => {
      await agentError(t, await post(failing(way), {}, AbortSignal.timeout(10_000)))
      await agentError(t, await post(failing(way, { stream: true }), {}, AbortSignal.timeout(10_000)))
    })
  }
})

void t.test('failed runs leave nothing behind, whatever they threw and whatever is logged', async t => {
  const stream = new Writable({ write (_chunk, _encoding, done) { done() } })
  const { app, post } = await startService(t, { agentsDirs: [DROP], logger: { level: 'debug', stream } })
  for (const way of [...WAYS, ...ODD]) await agentError(t, await post(failing(way), {}, AbortSignal.timeout(10_000)))
  await until(() => app.runs.load.runs === 0)
  t.strictSame(app.runs.load, { taken: 0, waiting: 0, runs: 0, replies: 0 })
})

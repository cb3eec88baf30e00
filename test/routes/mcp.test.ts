import { setMaxListeners } from 'node:events'
import http from 'node:http'
import t from 'tap'
import { refusal } from '../support/envelope.js'
import { ends } from '../support/ends.js'
import { call, connect } from '../support/mcp.js'
import { type Service, startService, until } from '../support/service.js'

const service = await startService(t)
const steps = (...all: unknown[]) => ({ prompt: JSON.stringify(all) })
const python = (text: string) => ({ language: 'python', files: { 'main.py': text }, entry: 'main.py' })
const typescript = (text: string) => ({ language: 'typescript', files: { 'main.ts': text }, entry: 'main.ts' })
const IDLE = { taken: 0, waiting: 0, runs: 0, replies: 0 }

/** The two versions of the protocol: until 2025 with a handshake, since 2026 with all information in each request. */
const ERAS = [{ era: '2025', options: {} }, { era: '2026', options: { versionNegotiation: { mode: { pin: '2026-07-28' } } } }] as const

for (const { era, options } of ERAS) {
  void t.test(`the official client of ${era} finds a tool for each agent and the tools of the sandbox`, async t => {
    const client = await connect(t, service.url, { options })
    const { tools } = await client.listTools()
    t.strictSame(tools.map(({ name }) => name), ['svc-code', 'scripted', 'narrow', 'check_code', 'test_code', 'run_code'])
    for (const { name, description, inputSchema } of tools) {
      t.match(name, /^[\w-]{1,64}$/)
      t.type(description, 'string')
      t.equal(inputSchema.type, 'object')
    }
    t.match(tools[0], { inputSchema: { required: ['prompt'], properties: { prompt: { type: 'string' }, reasoning_effort: {} } } })
    t.notMatch(tools[1], { inputSchema: { properties: { reasoning_effort: {} } } }, 'an agent is only offered what it accepts')
    t.match(client.getServerVersion(), { name: 'svc' })
  })

  void t.test(`an agent (client of ${era}) answers with text, and the result holds its usage`, async t => {
    const client = await connect(t, service.url, { options })
    const result = await call(client, 'scripted', steps('hello ', 'there', { type: 'usage', prompt_tokens: 3, completion_tokens: 2 }))
    t.strictSame(result.content, [{ type: 'text', text: 'hello there' }])
    t.notOk(result.isError)
    t.match(result._meta, { run: /^chatcmpl-/, finish_reason: 'stop', usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })
    t.strictSame(service.app.runs.load, IDLE)
  })

  void t.test(`progress reaches a caller of ${era} that asks for it, in order`, async t => {
    const client = await connect(t, service.url, { options })
    const received: { progress: number, message?: string | undefined }[] = []
    const doing = (text: string) => ({ type: 'progress', text })
    const script = [doing('Writing a draft.\n'), { wait: 1300 }, doing('Testing it.\n'), { wait: 400 }, 'done']
    const result = await call(client, 'scripted', steps(...script), { onprogress: (progress: typeof received[number]) => received.push(progress) })
    t.match(result.content, [{ text: 'done' }])
    t.strictSame(received.map(({ message }) => message).slice(0, 2), ['Writing a draft.', 'Testing it.'])
    t.strictSame(received.map(({ progress }) => progress).slice(0, 2), [1, 2])
  })

  void t.test(`a caller of ${era} that cancels ends the run`, async t => {
    const client = await connect(t, service.url, { options })
    const controller = new AbortController()
    const known = new Set(ends.keys())
    const called = call(client, 'scripted', steps('a', { hang: true }), { signal: controller.signal })
    await until(() => [...ends.keys()].some(id => !known.has(id)))
    const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
    controller.abort()
    await t.rejects(called)
    await until(() => ends.get(id) === 'closed after abort')
    await until(() => service.app.runs.load.replies === 0)
    t.strictSame(service.app.runs.load, IDLE)
  })

  void t.test(`an agent (client of ${era}) that fails gives a result with the error, not an error of the protocol`, async t => {
    const client = await connect(t, service.url, { options })
    for (const [script, words] of [
      [{ throw: 'no luck' }, /^Agent processing failed: no luck$/],
      [{ tooLong: 'far too long' }, /maximum context length/]
    ] as const) {
      const result = await call(client, 'scripted', steps(script))
      t.equal(result.isError, true)
      t.match(result.content[0]?.text, words)
    }
    t.strictSame(service.app.runs.load, IDLE)
  })

  void t.test(`a call of an unknown tool (${era}) gets an error of the protocol that names the tools`, async t => {
    const client = await connect(t, service.url, { options })
    await t.rejects(call(client, 'nothing', {}), { code: -32602, message: /no tool "nothing".*svc-code.*check_code/ })
  })
}

void t.test('a client that goes away ends its run within a second, and leaves nothing behind', async t => {
  const known = new Set(ends.keys())
  const request = http.request(`${service.url}/mcp`, { method: 'POST', agent: false, headers: HEADERS })
  request.on('error', () => {})
  request.end(JSON.stringify(message('tools/call', { name: 'scripted', arguments: steps('a', { hang: true }) })))
  await until(() => [...ends.keys()].some(id => !known.has(id)))
  const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
  request.destroy()
  await until(() => ends.get(id) === 'closed after abort')
  await until(() => service.app.runs.load.replies === 0)
  t.strictSame(service.app.runs.load, IDLE)
})

void t.test('calls wait for the slots of their agent like any other run', async t => {
  const client = await connect(t, service.url)
  const controller = new AbortController()
  const first = t.rejects(call(client, 'narrow', steps({ hang: true }), { signal: controller.signal }))
  await until(() => service.app.runs.load.taken === 1)
  const second = call(client, 'narrow', steps('mine'))
  await until(() => service.app.runs.load.waiting === 1)
  controller.abort()
  await first
  t.match(await second, { content: [{ text: 'mine' }] })
})

void t.test('earlier turns, settings and null mean the same as in a chat completion', async t => {
  const client = await connect(t, service.url)
  const messages = [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'hello' }, { role: 'assistant', content: 'hi' }]
  const result = await call(client, 'scripted', { ...steps({ seen: true }), messages, max_tokens: 7, temperature: null })
  const seen = JSON.parse(result.content[0]?.text ?? '')
  t.strictSame(seen, { messages: [...messages, { role: 'user', content: '[{"seen":true}]' }], temperature: 0.7, top_p: 1, max_tokens: 7 })
})

void t.test('a reply that was cut says so', async t => {
  const result = await call(await connect(t, service.url), 'scripted', steps('half', { type: 'finish', reason: 'length' }))
  t.match(result, { content: [{ text: 'half' }, { text: /ends here/ }], _meta: { finish_reason: 'length' } })
})

void t.test('invalid arguments are refused by name and nothing starts; unknown arguments are ignored and named', async t => {
  const client = await connect(t, service.url)
  const before = ends.size
  const job = (more: object) => ({ language: 'python', files: { 'a.py': 'print(1)\n' }, ...more })
  for (const [tool, given, words] of [
    ['scripted', {}, /^prompt is required$/],
    ['scripted', { prompt: 5 }, /^prompt must be a string$/],
    ['scripted', { prompt: '' }, /^prompt must not be empty$/],
    ['scripted', { prompt: 'x', messages: [{ role: 'user', content: 'x' }, { role: 'tool' }] }, /^messages\[1\]\.content is required$/],
    ['scripted', { prompt: 'x', messages: [{ role: 'tool', content: 'x' }] }, /^messages\[0\]\.role must be one of system, user/],
    ['scripted', { prompt: 'x', max_tokens: 0 }, /^max_tokens must be 1 or more$/],
    ['svc-code', { prompt: 'x', reasoning_effort: 'hard' }, /^reasoning_effort must be one of none, minimal/],
    ['check_code', { files: {} }, /^language is required$/],
    ['check_code', { language: 'go', files: {} }, /^language must be one of python, typescript$/],
    ['check_code', { language: 'python', files: {} }, /^files must not be empty$/],
    ['check_code', { language: 'python', files: { 'src/a.py': 1 } }, /^files\['src\/a\.py'\] must be a string$/],
    ['check_code', { language: 'python', files: { '../a.py': '' } }, /^files: the path '\.\.\/a\.py' must not lead out of its folder$/],
    ['check_code', { language: 'python', files: { 'a.py': '#'.repeat(1024 * 1024 + 1) } }, /^files may hold 1 MiB together/],
    ['test_code', job({}), /^tests is required here.*test_\*\.py/],
    ['test_code', job({ tests: ['b.py'] }), /^tests names 'b\.py', and there is no such file$/],
    ['test_code', job({ tests: ['a.py'], timeout_seconds: 61 }), /^timeout_seconds must be 60 or less$/],
    ['run_code', job({}), /^entry is required$/],
    ['run_code', job({ entry: 'b.py' }), /^entry names 'b\.py', and there is no such file$/],
    ['run_code', job({ entry: 'a.py', args: ['a', 1] }), /^args\[1\] must be a string$/],
    ['run_code', job({ entry: 'a.py', stdin: 'x'.repeat(1024 * 1024 + 1) }), /^stdin may have 1 MiB$/]
  ] as const) {
    const result = await call(client, tool, given)
    t.equal(result.isError, true, String(words))
    t.match(result.content[0]?.text, words)
  }
  t.equal(ends.size, before, 'no run was begun')
  const result = await call(client, 'scripted', { ...steps('done'), promt: 'x' })
  t.match(result, { content: [{ text: 'done' }, { text: /ignored: promt\. scripted takes prompt, messages/ }] })
})

void t.test('check_code reports what the linter and the type checker find, and returns the formatted files', async t => {
  const client = await connect(t, service.url)
  const files = { 'src/a.py': 'import os\nx: int = "a"\nprint( y )\n', 'b.py': 'import numpy\n' }
  const { content, structuredContent: report, isError } = await call(client, 'check_code', { language: 'python', files, format: true })
  t.notOk(isError)
  t.match(report.diagnostics, [
    { file: 'b.py' },
    { file: 'src/a.py', line: 1, code: 'F401', source: 'lint' },
    { line: 2, source: 'types', severity: 'error' },
    { line: 3, code: 'F821' }
  ])
  t.strictSame(report.missing, ['numpy'])
  t.match(report.formatted['src/a.py'], /^import os\n[^]*^print\(y\)$/m, 'an import is kept, even if nothing uses it yet')
  t.match(content[0]?.text, /^2 errors, 2 warnings:[^]*src\/a\.py:3:8 error F821 \(lint\): /)
  t.match(content[0]?.text, /not checked: numpy\nFormatted src\/a\.py:\n```\n/)
  const mistyped = await call(client, 'check_code', { language: 'typescript', files: { 'a.ts': 'export const a: number = "b"\n' } })
  t.match(mistyped.structuredContent, { diagnostics: [{ file: 'a.ts', line: 1, source: 'types' }] })
  t.notOk('formatted' in mistyped.structuredContent)
  const clean = await call(client, 'check_code', { language: 'typescript', files: { 'a.ts': 'export const a = 1;\n' }, format: true })
  t.equal(clean.content[0]?.text, 'No errors, no warnings.\nFormatted: no changes.')
})

void t.test('test_code reports each test, what was not run and why, and whether a pass can be trusted', async t => {
  const client = await connect(t, service.url)
  const tests = 'from add import add\n\ndef test_two():\n    assert add(1, 1) == 2\n\ndef test_three():\n    assert add(1, 1) == 3\n'
  const files = { 'add.py': 'def add(a, b):\n    return a + b\n', 'test_add.py': tests }
  const { content, structuredContent: report } = await call(client, 'test_code', { language: 'python', files })
  t.match(report, { passed: false, outcome: 'failed', vouched: false })
  t.match(report.tests, [
    { name: 'test_two', passed: true, trust: 'ran' },
    { name: 'test_three', passed: false, frame: { file: 'test_add.py', line: 7 } }
  ])
  t.match(content[0]?.text, /^Failed: 1 passed, 1 failed\.[^]*passed test_add\.py test_two[^]*failed test_add\.py test_three/)

  const good = {
    'add.ts': 'export const add = (a: number, b: number) => a + b\n',
    'add.test.ts': 'import { expect, test } from "vitest"\nimport { add } from "./add"\ntest("adds", () => expect(add(1, 2)).toBe(3))\n'
  }
  const passed = await call(client, 'test_code', { language: 'typescript', files: good })
  t.match(passed.structuredContent, { passed: true, vouched: true, doubts: [], tests: [{ name: 'adds', passed: true }] })
  t.match(passed.content[0]?.text, /^Passed: 1 passed\.\nThe pass can be trusted\./)

  const hollow = await call(client, 'test_code', { language: 'python', files: { 'test_a.py': 'def test_a():\n    assert True\n' } })
  t.match(hollow.structuredContent, { passed: true, vouched: false })
  t.ok(hollow.structuredContent.doubts.length > 0)
  t.match(hollow.content[0]?.text, /cannot be trusted:\n- ./)

  const numpy = 'import numpy\n\ndef test_a():\n    assert numpy.zeros(1)[0] == 0\n'
  const unavailable = await call(client, 'test_code', { language: 'python', files: { 'test_a.py': numpy } })
  t.match(unavailable.structuredContent, { passed: false, missing: ['numpy'] })
  t.match(unavailable.content[0]?.text, /not run[^]*Not available here, so code that needs it was not run: numpy/i)
})

void t.test('run_code reports what a program prints, how it ends, and which files it writes', async t => {
  const client = await connect(t, service.url)
  const program = [
    'import sys',
    'print(sys.argv[1], sys.stdin.read())',
    'open("out.txt", "w").write("kept")',
    'print("trouble", file=sys.stderr)',
    'sys.exit(3)'
  ].join('\n')
  const job = { ...python(program), args: ['one'], stdin: 'two' }
  const { content, structuredContent: report, isError } = await call(client, 'run_code', job)
  t.notOk(isError, 'the exit code 3 of a program is no error of the tool')
  t.match(report, { outcome: 'exited', exitCode: 3, stdout: 'one two\n', stderr: 'trouble\n', files: { 'out.txt': 'kept' } })
  t.match(content[0]?.text, /^Exit code 3\.\nStandard output:\n```\none two\n```\nStandard error:\n```\ntrouble\n```\nIt wrote out\.txt:/)
  const endless = await call(client, 'run_code', { ...typescript('for (;;);\n'), timeout_seconds: 1 })
  t.match(endless, { structuredContent: { outcome: 'time' }, content: [{ text: /^It did not run to its end \(time\)\./ }] })
  const reaching = await call(client, 'run_code', python('import urllib.request\nurllib.request.urlopen("http://127.0.0.1")\n'))
  t.match(reaching, { structuredContent: { outcome: 'not run' } })
})

void t.test('a job of the sandbox ends with its caller', async t => {
  const client = await connect(t, service.url)
  const controller = new AbortController()
  const running = call(client, 'run_code', { ...typescript('for (;;);\n'), timeout_seconds: 60 }, { signal: controller.signal })
  setTimeout(() => controller.abort(), 500)
  await t.rejects(running)
  // More than may run at once, so they would have to wait if the cancelled job still ran.
  const jobs = Array.from({ length: 8 }, () => call(client, 'run_code', typescript('console.log(1)\n')))
  for (const { structuredContent } of await Promise.all(jobs)) t.equal(structuredContent.stdout, '1\n')
})

void t.test('however many calls of code tools there are, agents find a free slot of the sandbox, and too many are refused', async t => {
  const crowded = await startService(t)
  const client = await connect(t, crowded.url)
  const controller = new AbortController()
  setMaxListeners(100, controller.signal)
  const endless = { ...typescript('for (;;);\n'), timeout_seconds: 60 }
  const calls = Array.from({ length: 64 }, () => call(client, 'run_code', endless, { signal: controller.signal }).catch(() => 'cancelled'))
  await t.rejects(Promise.race([...calls.map(async called => { throw new Error(JSON.stringify(await called)) }), soon()]), /soon/)
  const busy = await call(client, 'run_code', endless)
  t.match(busy, { isError: true, content: [{ text: /64 jobs are waiting already: try again later/ }] })
  const job = { language: 'typescript' as const, files: { 'a.ts': 'export const f = () => 2\n' }, calls: [{ file: 'a.ts', expression: 'f()' }] }
  const outcomes = await crowded.app.sandbox.evaluate(job, { signal: AbortSignal.timeout(30_000) })
  t.match(outcomes, [{ type: 'returned', value: { value: '2' } }])
  controller.abort()
  await Promise.all(calls)
})

void t.test('a job of a code tool gets its result during the shutdown, and what does not end is told of it', async t => {
  const closing = await startService(t, { drain: 4000 })
  const client = await connect(t, closing.url)
  await call(client, 'run_code', typescript('console.log(0)\n'))
  const short = call(client, 'run_code', typescript('setTimeout(() => console.log(1), 1000)\n'))
  const endless = call(client, 'run_code', { ...typescript('for (;;);\n'), timeout_seconds: 60 })
  await soon().catch(() => undefined)
  const closed = closing.app.close()
  t.match(await short, { structuredContent: { stdout: '1\n' } })
  t.match(await endless, { isError: true, content: [{ text: /shutting down/ }] })
  await closed
})

void t.test('a call without an available sandbox gets an error with the reason and what to do', async t => {
  const service = await startService(t, { packages: '/nowhere' })
  const result = await call(await connect(t, service.url), 'run_code', { language: 'python', files: { 'a.py': 'print(1)' }, entry: 'a.py' })
  t.equal(result.isError, true)
  t.match(result.content[0]?.text, /^The sandbox is not available, so nothing was checked or run: --packages .*no node_modules.*call again/)
})

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const message = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
const INITIALIZE = message('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } })

/** Fails after a moment in which calls have begun. */
async function soon (): Promise<never> {
  await new Promise(resolve => setTimeout(resolve, 500))
  throw new Error('soon')
}

function post ({ url }: Pick<Service, 'url'>, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${url}/mcp`, { method: 'POST', headers: { ...HEADERS, ...headers }, body: text })
}

void t.test('invalid messages are refused with the reason, and nothing starts', async t => {
  const before = ends.size
  const hanging = message('tools/call', { name: 'scripted', arguments: steps({ hang: true }) })
  for (const [what, body, headers, words] of [
    ['a batch', [INITIALIZE, hanging], {}, /batch is not taken/],
    ['an unknown version', hanging, { 'mcp-protocol-version': '1999-01-01' }, /1999-01-01/],
    ['a version of 2026 without its envelope', hanging, { 'mcp-protocol-version': '2026-07-28' }, /_meta/],
    ['no JSON-RPC', { hello: 'there' }, {}, /JSON-RPC/],
    ['a wrong version of JSON-RPC', { ...hanging, jsonrpc: '1.0' }, {}, /JSON-RPC/],
    ['an id of the wrong type', { ...hanging, id: { a: 1 } }, {}, /JSON-RPC/],
    ['a number', '7', {}, /JSON-RPC/],
    ['null', 'null', {}, /JSON-RPC/]
  ] as const) {
    const response = await post(service, body, headers)
    t.equal(response.status, 400, what)
    const { jsonrpc, error } = await response.json() as { jsonrpc: string, error: { code: number, message: string } }
    t.equal(jsonrpc, '2.0')
    t.type(error.code, 'number')
    t.match(error.message, words, what)
  }
  t.equal(ends.size, before)
  t.strictSame(service.app.runs.load, IDLE)
})

void t.test('a body that is not JSON, is too large or has another type is refused with the usual error envelope', async t => {
  t.match((await refusal(t, await post(service, '{'), 400, 'invalid_request')).message, /not valid JSON/)
  const cancelled = message('notifications/cancelled', { requestId: { toString: 1, valueOf: 1 } })
  t.not((await post(service, cancelled, { 'mcp-session-id': 'a' })).status, 500, 'an id that is no id')
  t.match((await refusal(t, await post(service, ''), 400, 'invalid_request')).message, /empty: send a JSON-RPC message/)
  await refusal(t, await post(service, 'x', { 'content-type': 'text/plain' }), 415, 'invalid_request')
  const small = await startService(t, { bodyLimit: 1000 })
  await refusal(t, await post(small, message('tools/list', { pad: 'x'.repeat(1000) })), 413, 'invalid_request')
})

for (const method of ['GET', 'DELETE', 'PUT']) {
  void t.test(`${method} /mcp gets a 405 that names POST`, async t => {
    const response = await fetch(`${service.url}/mcp`, { method, headers: { accept: 'text/event-stream' } })
    t.equal(response.headers.get('allow'), 'POST, OPTIONS')
    await refusal(t, response, 405, 'method_not_allowed')
  })
}

void t.test('an unknown method gets an error of JSON-RPC, and a notification gets no answer', async t => {
  t.match(await (await post(service, message('tools/fly'))).text(), /"code":-32601/)
  const notified = await post(service, { jsonrpc: '2.0', method: 'notifications/initialized' })
  t.equal(notified.status, 202)
  t.equal(await notified.text(), '')
})

void t.test('a client is answered whatever its Accept header says', async t => {
  for (const accept of ['*/*', 'application/json', '']) t.match(await (await post(service, INITIALIZE, { accept })).text(), /"serverInfo"/)
})

void t.test('only the session that started a call can cancel it', async t => {
  const known = new Set(ends.keys())
  const hanging = message('tools/call', { name: 'scripted', arguments: steps('a', { hang: true }) }, 5)
  const called = post(service, hanging, { 'mcp-session-id': 'mine' }).then(response => response.text())
  await until(() => [...ends.keys()].some(id => !known.has(id)))
  const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }
  for (const headers of [{}, { 'mcp-session-id': 'another' }]) await (await post(service, cancel, headers)).text()
  await (await post(service, { ...cancel, params: { requestId: '5' } }, { 'mcp-session-id': 'mine' })).text()
  t.equal(ends.get(id), 'running')
  await (await post(service, cancel, { 'mcp-session-id': 'mine' })).text()
  await until(() => ends.get(id) === 'closed after abort')
  await called
  await until(() => service.app.runs.load.replies === 0)
})

const OWN = ['http://localhost:3000', 'http://127.0.0.1:5173', 'https://[::1]:1', 'http://app.localhost']
const OTHERS = [
  'https://app.example', 'http://localhost.example', 'http://10.0.0.1', 'null', 'app://localhost', 'http://localhost@evil.example'
]

const status = async (service: Service, headers: Record<string, string>) => {
  const response = await post(service, INITIALIZE, headers)
  const text = await response.text()
  if (response.status === 403) t.match(text, /--cors-origin/)
  return response.status
}

void t.test('pages of this machine may call, pages of other origins only if --cors-origin names them', async t => {
  const listing = await startService(t, { corsOrigin: ['https://app.example', 'app://obsidian.md'] })
  const all = await startService(t, { corsOrigin: ['*'] })
  for (const origin of OWN) t.equal(await status(service, { origin }), 200, origin)
  for (const origin of OTHERS) {
    t.equal(await status(service, { origin }), 403, origin)
    t.equal(await status(all, { origin }), 200, `${origin}, if all are allowed`)
  }
  t.equal(await status(listing, { origin: 'https://app.example' }), 200)
  t.equal(await status(listing, { origin: 'app://obsidian.md' }), 200)
  t.equal(await status(listing, { origin: 'https://other.example' }), 403)
  t.equal(await status(listing, {}), 200, 'a program, not a page')
  const { port } = new URL(service.url)
  t.equal(await status(service, { origin: `http://evil.example:${port}` }), 403, 'a page whose host name was made to resolve to this machine')
})

void t.test('/mcp needs the key of --api-key', async t => {
  const guarded = await startService(t, { apiKey: 'secret' })
  const response = await post(guarded, INITIALIZE)
  t.equal(response.headers.get('www-authenticate'), 'Bearer')
  await refusal(t, response, 401, 'invalid_api_key', 'authentication_error')
  await t.rejects(connect(t, guarded.url))
  const client = await connect(t, guarded.url, { headers: { authorization: 'Bearer secret' } })
  t.match(await call(client, 'scripted', steps('in')), { content: [{ text: 'in' }] })
})

void t.test('a call in flight gets its result during the shutdown, and a new one is refused', async t => {
  const closing = await startService(t, { drain: 5000 })
  const client = await connect(t, closing.url)
  const called = call(client, 'scripted', steps({ wait: 700 }, 'done'))
  await until(() => closing.app.runs.load.taken === 1)
  const closed = closing.app.close()
  await until(() => closing.app.runs.closing)
  await refusal(t, await post(closing, INITIALIZE), 503, 'shutting_down', 'internal_error')
  t.match(await called, { content: [{ text: 'done' }] })
  await closed
})

void t.test('a caller that asks for progress gets a message every 10 seconds from a silent agent', { timeout: 60_000 }, async t => {
  const messages: unknown[] = []
  const client = await connect(t, service.url)
  await call(client, 'scripted', steps({ wait: 11_500 }, 'done'), { onprogress: ({ message }) => messages.push(message), timeout: 30_000 })
  t.match(messages, [/^at work for 1\d s$/])
})

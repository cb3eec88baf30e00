import http from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { refusal } from '../support/envelope.js'
import { ends } from '../support/ends.js'
import { type Result, call, connect } from '../support/mcp.js'
import { type Service, startService, until } from '../support/service.js'

const service = await startService(t)
const steps = (...all: unknown[]) => ({ prompt: JSON.stringify(all) })
const IDLE = { taken: 0, waiting: 0, runs: 0, replies: 0 }

/** The two ways in which the protocol is spoken: with a handshake, as until 2025, and with all of it in each request. */
const ERAS = [{ era: '2025', options: {} }, { era: '2026', options: { versionNegotiation: { mode: { pin: '2026-07-28' } } } }] as const

for (const { era, options } of ERAS) {
  void t.test(`the official client of ${era} finds a tool for each agent, and those of the sandbox`, async t => {
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

  void t.test(`an agent of ${era} answers with text, and its usage is told beside it`, async t => {
    const client = await connect(t, service.url, { options })
    const result = await call(client, 'scripted', steps('hello ', 'there', { type: 'usage', prompt_tokens: 3, completion_tokens: 2 }))
    t.strictSame(result.content, [{ type: 'text', text: 'hello there' }])
    t.notOk(result.isError)
    t.match(result._meta, { run: /^chatcmpl-/, finish_reason: 'stop', usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })
    t.strictSame(service.app.runs.load, IDLE)
  })

  void t.test(`progress of ${era} reaches a caller that asks for it, in order`, async t => {
    const client = await connect(t, service.url, { options })
    const told: { progress: number, message?: string | undefined }[] = []
    const script = [{ type: 'progress', text: 'Writing a draft.\n' }, { wait: 1300 }, { type: 'progress', text: 'Testing it.\n' }, { wait: 400 }, 'done']
    const result = await call(client, 'scripted', steps(...script), { onprogress: (progress: typeof told[number]) => told.push(progress) })
    t.match(result.content, [{ text: 'done' }])
    t.strictSame(told.map(({ message }) => message), ['Writing a draft.', 'Testing it.'])
    t.strictSame(told.map(({ progress }) => progress), [1, 2])
  })

  void t.test(`a caller of ${era} that cancels ends the run within a second`, async t => {
    const client = await connect(t, service.url, { options })
    const controller = new AbortController()
    const known = new Set(ends.keys())
    const called = call(client, 'scripted', steps('a', { hang: true }), { signal: controller.signal })
    await until(() => [...ends.keys()].some(id => !known.has(id)))
    const id = [...ends.keys()].find(id => !known.has(id)) ?? ''
    const since = performance.now()
    controller.abort()
    await t.rejects(called)
    await until(() => ends.get(id) === 'closed after abort')
    t.ok(performance.now() - since < 1000)
    await until(() => service.app.runs.load.replies === 0)
    t.strictSame(service.app.runs.load, IDLE)
  })

  void t.test(`an agent of ${era} that fails is a result that says so, not an error of the protocol`, async t => {
    const client = await connect(t, service.url, { options })
    for (const [script, words] of [[{ throw: 'no luck' }, /^Agent processing failed: no luck$/], [{ tooLong: 'far too long' }, /maximum context length/]] as const) {
      const result = await call(client, 'scripted', steps(script))
      t.equal(result.isError, true)
      t.match(result.content[0]?.text, words)
    }
    t.strictSame(service.app.runs.load, IDLE)
  })

  void t.test(`an unknown tool of ${era} is an error of the protocol that names the tools`, async t => {
    const client = await connect(t, service.url, { options })
    await t.rejects(call(client, 'nothing', {}), { code: -32602, message: /no tool "nothing".*svc-code.*check_code/ })
  })
}

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { randomUUID } from 'node:crypto'
import { Agent, OpenAIResponsesModel, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import { startService } from './support/service.mjs'

// An agent of the Agents SDK that thinks with an agent of this service, over the Responses interface.

let service
before(async () => { service = await startService() })
after(() => service?.stop())

const runner = new Runner({ tracingDisabled: true })

function agentOf (more = {}) {
  const client = new OpenAI({ baseURL: service.url, apiKey: 'unused', maxRetries: 0 })
  return new Agent({ name: 'Weather', instructions: 'Be brief.', model: new OpenAIResponsesModel(client, 'tooled'), ...more })
}

const scriptOf = (steps, key = randomUUID()) => JSON.stringify({ key, steps })

for (const stream of [false, true]) {
  const check = (title, work) => test(`${stream ? 'stream' : 'no stream'}: ${title}`, { timeout: 30_000 }, work)

  /** The run, and the text as it came. */
  async function run (agent, input, more = {}) {
    const result = await runner.run(agent, input, { stream, ...more })
    let text = ''
    if (stream) {
      for await (const event of result) if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') text += event.data.delta
      await result.completed
    }
    return { result, text }
  }

  check('the answer is the whole text of the reply, progress left out', async () => {
    const steps = [{ type: 'progress', text: 'plan\n' }, { wait: 1200 }, 'Hel', { type: 'progress', text: 'test\n' }, 'lo']
    const { result, text } = await run(agentOf(), scriptOf(steps))
    assert.equal(result.finalOutput, 'Hello')
    if (stream) assert.equal(text, 'Hello')
  })

  check('an empty reply is an answer', async () => {
    assert.equal((await run(agentOf(), scriptOf([]))).result.finalOutput, '')
  })

  check('a tool is called, and its result goes back', async () => {
    const key = randomUUID()
    const asked = []
    const weather = tool({
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
      strict: true,
      execute: ({ city }) => { asked.push(city); return scriptOf(['It is ', 'sunny.'], key) }
    })
    const { result } = await run(agentOf({ tools: [weather] }), scriptOf(['Let me see.', { type: 'tool_call', index: 0, name: 'get_weather', arguments: '{"city":"Paris"}' }], key))
    assert.deepEqual(asked, ['Paris'])
    assert.equal(result.finalOutput, 'It is sunny.')
    const { request, runs } = await service.witness(key)
    assert.equal(runs, 2)
    assert.deepEqual(request.messages.slice(0, 2).map(({ role }) => role), ['system', 'user'])
    assert.match(JSON.stringify(request.messages.at(-2)), /"content":"Let me see.","tool_calls":\[\{.*"name":"get_weather"/)
  })

  check('a second turn brings the first with it', async () => {
    const key = randomUUID()
    const { result } = await run(agentOf(), scriptOf([{ type: 'progress', text: 'plan\n' }, { wait: 1200 }, 'One.'], key))
    await run(agentOf(), [...result.history, { role: 'user', content: scriptOf(['Two.'], key) }])
    const { request } = await service.witness(key)
    assert.deepEqual(request.messages.map(({ role }) => role), ['system', 'user', 'assistant', 'user'])
    assert.equal(request.messages[2].content, 'One.')
  })

  check('an agent that fails is an error with the words of the service', async () => {
    await assert.rejects(run(agentOf(), scriptOf([{ throw: 'no luck' }])), /no luck/)
    await assert.rejects(run(agentOf(), scriptOf(['half', { throw: 'no luck' }])), stream ? /response\.failed/ : /no luck/) // it does not say why
  })

  check('a client that gives up ends the run', async () => {
    const key = randomUUID()
    const leaving = new AbortController()
    const outcome = async () => (await service.witness(key)).outcome
    const asked = run(agentOf(), scriptOf(['first', { hang: true }], key), { signal: leaving.signal }).then(() => 'ended', () => 'rejected')
    while (await outcome() !== 'running') await new Promise(resolve => setTimeout(resolve, 20))
    const left = Date.now()
    leaving.abort()
    await asked
    while (await outcome() === 'running') await new Promise(resolve => setTimeout(resolve, 20))
    assert.equal(await outcome(), 'aborted')
    assert.ok(Date.now() - left < 1000)
  })
}

import t from 'tap'
import { refusal } from './support/envelope.js'
import { ends } from './support/ends.js'
import { CLOCK, WEATHER, relayAgents } from './support/relay.js'
import { AGENTS, chunksOf, script, startService, until } from './support/service.js'

// What an agent yields of calls, as a client sees it.

const { client, post } = await startService(t, { agentsDirs: [AGENTS, relayAgents(t)] })

const call = (index: number, args: string, more: object = {}) => ({ type: 'tool_call', index, arguments: args, ...more })
const tooled = (steps: unknown[], more: object = {}) => script(steps, { model: 'tooled', tools: [WEATHER, CLOCK], ...more })

const CALLS = ['Let me see.', call(0, '{"ci', { id: 'c1', name: 'get_weather' }), call(0, 'ty":"Paris"}'), call(1, '', { name: 'get_time' }), call(1, '{}'), { type: 'finish', reason: 'tool_calls' }]

void t.test('calls are in the message of a JSON reply, beside its text', async t => {
  const { choices: [choice] } = await client.chat.completions.create(tooled(CALLS))
  t.equal(choice?.finish_reason, 'tool_calls')
  t.equal(choice?.message.content, 'Let me see.')
  t.match(choice?.message.tool_calls, [
    { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
    { id: /^call_\w{32}$/, type: 'function', function: { name: 'get_time', arguments: '{}' } }
  ])
  const { choices: [silent] } = await client.chat.completions.create(tooled([call(0, '{}', { name: 'get_time' })]))
  t.equal(silent?.message.content, '', 'content is a string where there is no text')
  t.equal(silent?.finish_reason, 'tool_calls', 'also where the agent did not say so')
  const { choices: [plain] } = await client.chat.completions.create(tooled(['hi', { type: 'finish', reason: 'tool_calls' }]))
  t.strictSame(plain?.message, { role: 'assistant', content: 'hi' })
  t.equal(plain?.finish_reason, 'stop', 'nothing was called')
  t.equal((await client.chat.completions.create(tooled([call(0, '{"ci', { name: 'get_weather' }), { type: 'finish', reason: 'length' }]))).choices[0]?.finish_reason, 'length')
})

void t.test('a stream has them in pieces, to the letter', async t => {
  const chunks = chunksOf(await (await post(tooled(CALLS, { stream: true }))).text())
  const deltas = chunks.map(({ choices: [{ delta }] }) => delta)
  const { id } = deltas[4].tool_calls[0]
  t.match(id, /^call_\w{32}$/)
  t.strictSame(deltas, [
    { role: 'assistant', content: '' },
    { content: 'Let me see.' },
    { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"ci' } }] },
    { tool_calls: [{ index: 0, function: { arguments: 'ty":"Paris"}' } }] },
    { tool_calls: [{ index: 1, id, type: 'function', function: { name: 'get_time', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    {}
  ])
  t.equal(chunks.at(-1).choices[0].finish_reason, 'tool_calls')
})

void t.test('the SDK puts a stream together, and runs the tools of a reply', async t => {
  const stream = client.chat.completions.stream(tooled(CALLS))
  const { choices: [choice] } = await stream.finalChatCompletion()
  t.match(choice?.message.tool_calls, [{ id: 'c1', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }, { function: { name: 'get_time', arguments: '{}' } }])
  t.equal(choice?.finish_reason, 'tool_calls')
})

void t.test('whatever an agent numbers its calls by, and however it cuts them, clients get whole characters numbered from 0', async t => {
  const steps = [call(7, '{"city":"\uD83D', { id: 'same', name: 'get_weather' }), call(3, '{"', { id: 'same', name: 'get_time' }), call(7, '\uDC4B"}', { name: 'ignored' }), call(3, '}\uD83D')]
  const { choices: [choice] } = await client.chat.completions.create(tooled(steps))
  const [one, two, ...more] = choice?.message.tool_calls ?? []
  t.match(one, { id: 'same', function: { name: 'get_weather', arguments: '{"city":"\u{1F44B}"}' } })
  t.match(two, { id: /^call_/, function: { name: 'get_time', arguments: '{"}' } }, 'no id is given twice, and half a character is none')
  t.equal(more.length, 0)
})

void t.test('a call of a tool that was not offered is a fault of the agent, and says so', async t => {
  const wrong = call(0, '{}', { name: 'delete_everything' })
  const failed = async (body: object, message: RegExp) => t.match((await refusal(t, await post(body), 500, 'agent_error', 'internal_error')).message, message)
  await failed(tooled([wrong]), /^Agent processing failed: the tool "delete_everything" was called, and the caller offered only "get_weather", "get_time"\. Ask again/)
  await failed(tooled([wrong], { tools: undefined }), /the caller offered no tools/)
  await failed(script([call(0, '{}', { name: 'get_weather' })], { tools: [WEATHER] }), /the caller offered no tools/)
  await failed(tooled([call(0, '{}')]), /tool_call without a name/)
  await failed(tooled([call(0.5, '{}', { name: 'get_time' })]), /index is not a whole number/)
  await failed(tooled([{ type: 'tool_call', index: 0, name: 'get_time', arguments: {} }]), /arguments are not text/)
  await t.rejects(client.chat.completions.stream(tooled(['x', wrong])).finalChatCompletion(), /delete_everything/)
})

void t.test('calls are output like text: they count, they are kept for a joined request, and quick ones drop the progress', async t => {
  const counted = await client.chat.completions.create(tooled(CALLS))
  const text = await client.chat.completions.create(tooled(['Let me see.']))
  t.ok((counted.usage?.completion_tokens ?? 0) >= (text.usage?.completion_tokens ?? 0) + 6)
  const bare = await client.chat.completions.create(tooled(CALLS.slice(0, 1), { tools: [CLOCK] }))
  t.ok((text.usage?.prompt_tokens ?? 0) > (bare.usage?.prompt_tokens ?? 0) + 20, 'and so do the tools that are offered')
  const streamed = tooled(CALLS, { stream: true, stream_options: { include_usage: true } })
  const keyed = { 'idempotency-key': 'tools' }
  const first = await (await post(streamed, keyed)).text()
  t.equal(await (await post(streamed, keyed)).text(), first)
  t.equal(chunksOf(first).at(-1).usage.completion_tokens, counted.usage?.completion_tokens)
  t.notMatch(await (await post(tooled([{ type: 'progress', text: 'p' }, ...CALLS], { stream: true }))).text(), /reasoning_content/)
})

void t.test('arguments without end end the run', async t => {
  const steps = [call(0, '', { name: 'get_time' }), { repeat: 40, step: { repeat: 1, step: call(0, 'x'.repeat(900_000)) } }]
  t.match((await refusal(t, await post(tooled(steps)), 500, 'agent_error', 'internal_error')).message, /grew past 32 million characters/)
})

void t.test('a client that goes away in the middle of a call ends the run', async t => {
  const abort = new AbortController()
  const response = await post(tooled([call(0, '{"ci', { name: 'get_weather' }), { hang: true }], { stream: true }), {}, abort.signal)
  const id = await new Promise<string>(resolve => void (async () => {
    for await (const part of response.body ?? []) {
      const [, id] = /"id":"(chatcmpl-[^"]+)"[^\n]*tool_calls/.exec(new TextDecoder().decode(part as Uint8Array)) ?? []
      if (id !== undefined) resolve(id)
    }
  })().catch(() => undefined))
  t.equal(ends.get(id), 'running')
  abort.abort()
  await until(() => ends.get(id) === 'closed after abort')
})

void t.test('an agent that accepts what is no setting does not start', async t => {
  const { buildApp } = await import('../app.js')
  const { plugin, tempFolder, write } = await import('./support/folders.js')
  for (const accepts of ["['tool_choice']", "'tools'", '[5]']) {
    const dir = write(tempFolder(t), {
      'odd/index.mjs': plugin('odd', { class_name: 'odd.agent.Odd', init_params: {}, description: 'x' }),
      'odd/agent.mjs': `export class Odd { accepts = ${accepts}\n modelInfo () { return { max_input_tokens: 1, max_output_tokens: 1 } }\n async * reply () {} }`
    })
    await t.rejects(buildApp({ agentsDirs: [dir] }), /odd.*accepts .*tools, response_format, reasoning_effort, stop, seed/)
  }
})

import type { ResponseInput } from 'openai/resources/responses/responses'
import t from 'tap'
import { type Call, say, startBackend } from '../../../support/backend.js'
import { relayAgents } from '../../../support/relay.js'
import { AGENTS, startService } from '../../../support/service.js'

// From the official SDK to a language model and back, with the caller's tools and schemas.

let script: (call: Call) => unknown = () => undefined
const backend = await startBackend(t, call => script(call))
const { client } = await startService(t, { agentsDirs: [AGENTS, relayAgents(t)], backendUrl: backend.url })

const weather = { type: 'function' as const, name: 'get_weather', description: 'The weather of a city', parameters: { type: 'object', properties: { city: { type: 'string' } } }, strict: false }
const QUESTION = { role: 'user' as const, content: 'What is the weather in Paris?' }

/** A model that calls the tool and, when it gets the tool's result, replies with it. */
function callsWeather (call: Call) {
  const last = call.body.messages.at(-1)
  if (last.role === 'tool') return say(`It is ${last.content}.`)(call)
  call.chunk({ role: 'assistant', tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"ci' } }] })
  call.chunk({ tool_calls: [{ index: 0, function: { arguments: 'ty":"Paris"}' } }] })
  call.chunk({}, 'tool_calls')
  call.raw('data: [DONE]\n\n')
  call.response.end()
  return undefined
}

for (const model of ['relay', 'svc-code']) {
  for (const isStreamed of [false, true]) {
    void t.test(`${model}${isStreamed ? ', streamed' : ''}: the caller gets the call, and the model gets its result`, async t => {
      script = callsWeather
      const ask = (input: ResponseInput) => {
        const body = { model, input, tools: [weather] }
        return isStreamed ? client.responses.stream(body).finalResponse() : client.responses.create(body)
      }
      const first = await ask([QUESTION])
      const [call] = first.output
      t.match(call, { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Paris"}', status: 'completed' })
      t.match(backend.calls.at(-1)?.body.tools, [{ type: 'function', function: { name: 'get_weather', description: weather.description, parameters: weather.parameters } }])
      // As the guide of the Responses API says: the items of the response are sent back, followed by the result.
      const items = JSON.parse(JSON.stringify(first.output)) as ResponseInput
      const second = await ask([QUESTION, ...items, { type: 'function_call_output', call_id: 'c1', output: 'sunny' }])
      t.equal(second.output_text, 'It is sunny.')
      t.match(backend.calls.at(-1)?.body.messages.slice(-2), [
        { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }] },
        { role: 'tool', content: 'sunny', tool_call_id: 'c1' }
      ])
    })
  }

  void t.test(`${model}: the model gets the JSON schema, and the SDK parses the reply`, async t => {
    const schema = { type: 'object', properties: { name: { type: 'string' }, ages: { type: 'array', items: { type: 'integer' } } }, required: ['name', 'ages'], additionalProperties: false }
    const format = { type: 'json_schema' as const, name: 'person', schema, strict: true }
    script = say('{"name":"Ada","ages":[36,37]}')
    // The SDK's helpers put their parser into properties of the format that JSON.stringify leaves out.
    const parsing = Object.defineProperties({ ...format }, { $brand: { value: 'auto-parseable-response-format' }, $parseRaw: { value: JSON.parse } })
    const parsed = await client.responses.parse({ model, input: 'Who is she?', text: { format: parsing } })
    t.strictSame(parsed.output_parsed, { name: 'Ada', ages: [36, 37] })
    t.match(backend.calls.at(-1)?.body.response_format, { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } })
    const streamed = await client.responses.stream({ model, input: 'Who is she?', text: { format: parsing } }).finalResponse()
    t.strictSame(streamed.output_parsed, { name: 'Ada', ages: [36, 37] })
  })
}

void t.test('svc-code replies as in a chat completion', async t => {
  script = say('A stack is last in, first out.')
  const { output_text: text } = await client.responses.create({ model: 'svc-code', input: 'What is a stack?', instructions: 'Be brief.' })
  t.equal(text, 'A stack is last in, first out.')
  t.match(backend.calls.at(-1)?.body.messages[0], { role: 'system', content: /Be brief\./ })
})

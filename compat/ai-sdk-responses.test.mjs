import assert from 'node:assert/strict'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { suite } from './support/suite.mjs'

// The provider's default, `openai(id)`, is the Responses interface.

const IGNORED = { stopSequences: ['never'], seed: 1, frequencyPenalty: 0.5, presencePenalty: 0.5, topK: 3, toolChoice: 'auto', tools: { never: tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }) }) } }

const modelOf = (url, id) => createOpenAI({ baseURL: url, apiKey: 'unused' })(id)
const KEPT_HERE = { openai: { store: false } } // the service keeps nothing: without it, a turn that came before is sent as a reference
const call = (url, { model, messages, signal, ignored, retries, ...more }) => ({
  model: modelOf(url, model), messages, allowSystemInMessages: true, abortSignal: signal, maxRetries: retries, providerOptions: KEPT_HERE, ...(ignored && IGNORED), ...more
})

const { check, script, thrownBy, service } = suite({
  showsProgress: 'always',
  retriesByStatus: true,
  errors: { 400: 'AI_APICallError', 404: 'AI_APICallError', 500: 'AI_APICallError' },
  error: ({ statusCode: status, data, message, name }) => ({ status, code: data?.error?.code, message, name }),

  async complete (url, request) {
    const { text, finishReason: finish, usage, reasoningText: reasoning } = await generateText(call(url, request))
    return { text, finish, usage: plain(usage), reasoning }
  },

  async stream (url, request, onText) {
    const result = streamText({ ...call(url, request), onError: () => undefined })
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') await onText?.(part.text)
      if (part.type === 'abort') throw new Error('aborted')
      if (part.type === 'error') throw part.error
    }
    return { text: await result.text, finish: await result.finishReason, usage: plain(await result.usage), reasoning: await result.reasoningText }
  }
})

/** A model that calls a tool, and the tool whose result tells it what to say then. */
function conversation () {
  const { request, key } = script(['Let me see.', { type: 'tool_call', index: 0, name: 'get_weather', arguments: '{"ci' }, { type: 'tool_call', index: 0, arguments: 'ty":"Paris"}' }])
  const asked = []
  const tools = {
    get_weather: tool({
      description: 'The weather of a city',
      inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
      execute: ({ city }) => { asked.push(city); return JSON.stringify({ key, steps: ['It is ', 'sunny.'] }) }
    })
  }
  return { request: { ...request, model: 'tooled' }, asked, more: { tools, stopWhen: stepCountIs(3) } }
}

check('no stream: a tool is called, and its result goes back', async () => {
  const { request, asked, more } = conversation()
  const { text, steps } = await generateText(call(service().url, { ...request, ...more }))
  assert.deepEqual(asked, ['Paris'])
  assert.deepEqual(steps.map(step => [step.text, step.finishReason]), [['Let me see.', 'tool-calls'], ['It is sunny.', 'stop']])
  assert.equal(text, 'It is sunny.')
})

check('stream: a tool is called, and its result goes back', async () => {
  const { request, asked, more } = conversation()
  const result = streamText(call(service().url, { ...request, ...more }))
  const parts = []
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type.startsWith('tool-')) parts.push(part.type)
  }
  assert.deepEqual(asked, ['Paris'])
  assert.deepEqual(parts, ['tool-input-start', 'tool-input-delta', 'tool-input-delta', 'tool-input-end', 'tool-call', 'tool-result'])
  assert.equal(await result.text, 'It is sunny.')
})

check('without store: false, an earlier text is a reference, and the error says what to do', async () => {
  const { request, more } = conversation()
  const error = await thrownBy(generateText(call(service().url, { ...request, ...more, providerOptions: {} })))
  assert.equal(error.statusCode, 400)
  assert.match(error.message, /none is kept here: .*providerOptions: \{ openai: \{ store: false \} \}/)
})

check('the parameters that were not taken are named in a header', async () => {
  const { request } = script(['fine'])
  const { response } = await generateText(call(service().url, { ...request, ignored: true }))
  assert.deepEqual(response.headers['x-ignored-parameters'].split(', ').sort(), ['tool_choice', 'tools'])
})

function plain ({ inputTokens: input, outputTokens: output, totalTokens: total, outputTokenDetails: details }) {
  return { input, output, total, reasoning: details.reasoningTokens }
}

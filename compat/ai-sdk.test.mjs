import assert from 'node:assert/strict'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, jsonSchema, streamText, tool } from 'ai'
import { suite } from './support/suite.mjs'

const IGNORED = {
  stopSequences: ['never'], seed: 1, frequencyPenalty: 0.5, presencePenalty: 0.5, topK: 3, toolChoice: 'auto',
  tools: { never: tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }) }) }
}

const providerOf = url => createOpenAICompatible({ name: 'svc', baseURL: url, includeUsage: true })
const call = (url, { model, messages, signal, ignored, retries }) => ({
  model: providerOf(url)(model), messages, allowSystemInMessages: true, abortSignal: signal, maxRetries: retries, ...(ignored && IGNORED)
})

const { check, script, thrownBy, service } = suite({
  showsProgress: true,
  retriesByStatus: true,
  errors: { 400: 'AI_APICallError', 404: 'AI_APICallError', 500: 'AI_APICallError' },
  error: ({ statusCode: status, data, message, name }) => ({ status, code: data?.error?.code, message, name }),

  async complete (url, request) {
    const { text, finishReason: finish, usage, reasoningText: reasoning } = await generateText(call(url, request))
    return { text, finish, usage: plain(usage), reasoning }
  },

  async stream (url, request, onText) {
    let reported
    const result = streamText({ ...call(url, request), onError: ({ error }) => { reported = error } })
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') await onText?.(part.text)
      if (part.type === 'abort') throw new Error('aborted')
      if (part.type === 'error') {
        assert.equal(reported, part.error)
        throw part.error
      }
    }
    return { text: await result.text, finish: await result.finishReason, usage: plain(await result.usage), reasoning: await result.reasoningText }
  }
})

check('with maxRetries 0, an agent that fails is run once', async () => {
  const { request, key } = script([{ throw: 'no luck' }])
  const error = await thrownBy(generateText({ ...call(service().url, request), maxRetries: 0 }))
  assert.ok(APICallError.isInstance(error))
  assert.equal((await service().witness(key)).runs, 1)
})

check('the parameters that were not taken are named in a header', async () => {
  const { request } = script(['fine'])
  const { response } = await generateText(call(service().url, { ...request, ignored: true }))
  assert.deepEqual(response.headers['x-ignored-parameters'].split(', ').sort(), ['frequency_penalty', 'presence_penalty', 'seed', 'stop', 'tool_choice', 'tools'])
})

function plain ({ inputTokens: input, outputTokens: output, totalTokens: total, outputTokenDetails: details }) {
  return { input, output, total, reasoning: details.reasoningTokens }
}

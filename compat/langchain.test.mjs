import assert from 'node:assert/strict'
import { ChatOpenAI } from '@langchain/openai'
import { suite } from './support/suite.mjs'

const IGNORED = {
  n: 1, stop: ['never'], user: 'somebody', logprobs: false, frequencyPenalty: 0.5, presencePenalty: 0.5,
  modelKwargs: { seed: 1, response_format: { type: 'text' } }
}
const TOOL = { type: 'function', function: { name: 'never', parameters: { type: 'object', properties: {} } } }

// By default it retries six times, for more than a minute.
const modelOf = (url, { model, ignored, retries = 2 }, more) =>
  new ChatOpenAI({ model, apiKey: 'unused', configuration: { baseURL: url }, maxRetries: retries, ...(ignored && IGNORED), ...more })
const turnsOf = ({ messages }) => messages.map(({ role, content }) => [role, content])
const options = ({ signal, ignored }) => ({ signal, ...(ignored && { tools: [TOOL], tool_choice: 'auto' }) })

const { check, script, thrownBy, service } = suite({
  showsProgress: true,
  retriesByStatus: true,
  errors: { 400: 'ContextOverflowError', 404: 'NotFoundError', 500: 'InternalServerError' },
  error: told,

  async complete (url, request) {
    return plain(await modelOf(url, request).invoke(turnsOf(request), options(request)))
  },

  async stream (url, request, onText) {
    let whole
    for await (const chunk of await modelOf(url, request).stream(turnsOf(request), options(request))) {
      whole = whole?.concat(chunk) ?? chunk
      if (chunk.text) await onText?.(chunk.text)
    }
    return plain(whole)
  }
})

check('with a handler that reads x-should-retry, an agent that fails is run once', async () => {
  const { request, key } = script([{ throw: 'no luck' }])
  const onFailedAttempt = error => { if (error.headers?.get('x-should-retry') === 'false') throw error }
  const { status } = await thrownBy(modelOf(service().url, request, { onFailedAttempt }).invoke(turnsOf(request)))
  assert.equal(status, 500)
  assert.equal((await service().witness(key)).runs, 1)
})

function told (error) {
  const { status, code } = error.cause ?? error
  return { status, code, message: error.message, name: error.constructor.name }
}

function plain ({ text, response_metadata: { finish_reason: finish }, usage_metadata: usage, additional_kwargs: { reasoning_content: reasoning } }) {
  return {
    text, finish, reasoning,
    usage: { input: usage.input_tokens, output: usage.output_tokens, total: usage.total_tokens, reasoning: usage.output_token_details?.reasoning }
  }
}

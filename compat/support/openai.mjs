import assert from 'node:assert/strict'
import { suite } from './suite.mjs'

const IGNORED = {
  n: 1, stop: ['never'], seed: 1, user: 'somebody', logprobs: false, frequency_penalty: 0.5, presence_penalty: 0.5,
  response_format: { type: 'text' }, parallel_tool_calls: false, tool_choice: 'auto',
  tools: [{ type: 'function', function: { name: 'never', parameters: { type: 'object', properties: {} } } }]
}

/** The official SDK, whichever of its versions. */
export function openaiSuite (OpenAI) {
  const clientOf = (url, { retries: maxRetries } = {}) => new OpenAI({ baseURL: url, apiKey: 'unused', ...(maxRetries !== undefined && { maxRetries }) })
  const body = ({ model, messages, ignored }) => ({ model, messages, ...(ignored && IGNORED) })

  const { check, script, until, service } = suite({
    showsProgress: true,
    errors: { 400: 'BadRequestError', 404: 'NotFoundError', 500: 'InternalServerError' },
    error: ({ status, code, message, constructor: { name } }) => ({ status, code, message, name }),

    async complete (url, request) {
      const { choices: [{ message, finish_reason: finish }], usage } = await clientOf(url, request).chat.completions.create(body(request), { signal: request.signal })
      return { text: message.content, finish, usage: plain(usage), reasoning: message.reasoning_content }
    },

    async stream (url, request, onText) {
      const stream = await clientOf(url, request).chat.completions.create({ ...body(request), stream: true, stream_options: { include_usage: true } }, { signal: request.signal })
      const reply = { text: '' }
      for await (const { choices: [choice], usage } of stream) {
        if (usage) reply.usage = plain(usage)
        if (choice?.finish_reason) reply.finish = choice.finish_reason
        if (choice?.delta.reasoning_content) reply.reasoning = (reply.reasoning ?? '') + choice.delta.reasoning_content
        if (!choice?.delta.content) continue
        reply.text += choice.delta.content
        await onText?.(choice.delta.content)
      }
      return reply
    }
  })

  check('the parameters that were not taken are named in a header', async () => {
    const { request } = script(['fine'])
    const { response } = await clientOf(service().url).chat.completions.create(body({ ...request, ignored: true })).withResponse()
    assert.deepEqual(response.headers.get('x-ignored-parameters').split(', ').sort(), Object.keys(IGNORED).sort())
  })

  check('the models are listed, and one of them is told of', async () => {
    const { models } = clientOf(service().url)
    const listed = []
    for await (const { id } of models.list()) listed.push(id)
    assert.ok(listed.includes('scripted'))
    assert.equal((await models.retrieve('scripted')).max_input_tokens, 1000)
  })

  check('stream: its helper puts the completion together', async () => {
    const { request } = script(['Hel', 'lo', { type: 'usage', prompt_tokens: 7, completion_tokens: 5 }])
    const stream = clientOf(service().url).chat.completions.stream({ ...body(request), stream_options: { include_usage: true } })
    const { choices: [{ message, finish_reason: finish }], usage } = await stream.finalChatCompletion()
    assert.deepEqual({ content: message.content, finish, total: usage.total_tokens }, { content: 'Hello', finish: 'stop', total: 12 })
  })

  check('responses: what its helper puts together is what is given at once', async () => {
    const { request } = script([{ type: 'progress', text: 'plan' }, { wait: 1200 }, 'Hel', 'lo', { type: 'usage', prompt_tokens: 7, completion_tokens: 5, reasoning_tokens: 2 }])
    const { responses } = clientOf(service().url)
    const asked = { model: request.model, input: request.messages, instructions: 'Be brief.' }
    const replies = [await responses.create(asked), await responses.stream(asked).finalResponse()]
    for (const { status, output, output_text: text, usage } of replies) {
      assert.deepEqual({ status, text, types: output.map(({ type }) => type) }, { status: 'completed', text: 'Hello', types: ['reasoning', 'message'] })
      assert.deepEqual([usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.output_tokens_details.reasoning_tokens], [7, 5, 12, 2])
    }
  })

  check('stream: leaving the loop ends the run', async () => {
    const { request, key } = script(['first', { hang: true }])
    const stream = await clientOf(service().url).chat.completions.create({ ...body(request), stream: true })
    for await (const { choices: [choice] } of stream) if (choice.delta.content) break
    await until(async () => (await service().witness(key)).outcome === 'aborted')
  })
}

/** `usage` in this SDK's words. */
export function plain ({ prompt_tokens: input, completion_tokens: output, total_tokens: total, completion_tokens_details: details }) {
  return { input, output, total, reasoning: details?.reasoning_tokens }
}

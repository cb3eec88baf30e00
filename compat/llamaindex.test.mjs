import assert from 'node:assert/strict'
import { OpenAI } from '@llamaindex/openai'
import { plain } from './support/openai.mjs'
import { suite } from './support/suite.mjs'

const IGNORED = {
  n: 1, stop: ['never'], seed: 1, user: 'somebody', frequency_penalty: 0.5, presence_penalty: 0.5, response_format: { type: 'text' }, tool_choice: 'auto',
  tools: [{ type: 'function', function: { name: 'never', parameters: { type: 'object', properties: {} } } }]
}

const modelOf = (url, { model, signal, retries: maxRetries }, more) => new OpenAI({ model, apiKey: 'unused', baseURL: url, maxRetries, ...giveUpOn(signal), ...more })
const chat = ({ messages, ignored }, more) => ({ messages, additionalChatOptions: { ...(ignored && IGNORED), ...more } })

// It takes no signal, and leaving its loop does not close the connection: only a custom fetch can abort before its timeout.
function giveUpOn (signal) {
  return signal && { maxRetries: 0, additionalSessionOptions: { fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.any([init.signal, signal]) }) } }
}

const { check, script, thrownBy, until, service } = suite({
  showsProgress: false,
  errors: { 400: 'BadRequestError', 404: 'NotFoundError', 500: 'InternalServerError' },
  error: ({ status, code, message, constructor: { name } }) => ({ status, code, message, name }),

  async complete (url, request) {
    const { message, raw: { usage, choices: [choice] } } = await modelOf(url, request).chat(chat(request))
    return { text: message.content, finish: choice.finish_reason, usage: plain(usage) }
  },

  async stream (url, request, onText) {
    const reply = { text: '' }
    for await (const { delta, raw } of await modelOf(url, request).chat({ ...chat(request, { stream_options: { include_usage: true } }), stream: true })) {
      if (raw.usage) reply.usage = plain(raw.usage)
      if (raw.choices[0]?.finish_reason) reply.finish = raw.choices[0].finish_reason
      if (delta === '') continue
      reply.text += delta
      await onText?.(delta)
    }
    return reply
  }
})

check('no stream: its time-out ends the run', async () => {
  const { request, key } = script([{ hang: true }])
  const error = await thrownBy(modelOf(service().url, request, { timeout: 500, maxRetries: 0 }).chat(chat(request)))
  assert.equal(error.constructor.name, 'APIConnectionTimeoutError')
  await until(async () => (await service().witness(key)).outcome === 'aborted')
})

// Its timeout is 60 s by default, and covers the time until the response headers.
check('no stream: a reply that takes longer than its time-out arrives where --json-keepalive is shorter', async () => {
  const { request, key } = script([{ wait: 4000 }, 'at last'])
  assert.equal((await modelOf(service().url, request, { timeout: 3000 }).chat(chat(request))).message.content, 'at last')
  assert.equal((await service().witness(key)).runs, 1)
})

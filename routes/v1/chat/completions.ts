import type { FastifyPluginAsync } from 'fastify'
import { ChatChunk, ChatCompletion, ChatRequest, ignoredParameters } from '../../../schemas/chat.js'
import { agentRequest } from '../../../schemas/conversation.js'
import { collect } from '../reply/collect.js'
import { KeepAlives, type ReplyOptions } from '../reply/keep-alives.js'
import { runErrors, runHooks, startRun } from '../reply/start.js'
import { stream } from '../reply/stream.js'
import { CompletionWriter } from './body.js'
import { CompletionEvents } from './events.js'

const completions: FastifyPluginAsync<ReplyOptions> = async (fastify, { jsonKeepalive }) => {
  const keepAlives = new KeepAlives(jsonKeepalive)
  fastify.post<{ Body: ChatRequest }>('/v1/chat/completions', {
    schema: {
      summary: 'A reply of an agent',
      description: 'With `stream: true` the reply comes as server-sent events, each `data: ` and a chat.completion.chunk, and ends with '
        + '`data: [DONE]`. Settings that an agent does not accept are ignored and named in the header `x-ignored-parameters`, like unknown '
        + 'parameters.',
      tags: ['chat'],
      body: ChatRequest,
      response: { 200: ChatCompletion, ...runErrors }
    },
    config: { events: ChatChunk },
    ...runHooks
  }, async (request, reply) => {
    const { body } = request
    const { model } = body
    const includeUsage = body.stream_options?.include_usage === true
    const isStreamed = body.stream === true
    const { run } = await startRun(request, reply, {
      model,
      agentRequest: accepts => agentRequest(body, accepts),
      ignored: accepts => ignoredParameters(body, accepts)
    })
    return isStreamed
      ? stream(reply, { run, writer: new CompletionEvents({ run, model, includeUsage }) })
      : collect(reply, { run, keepAlives, writer: new CompletionWriter({ run, model }) })
  })
}

export default completions

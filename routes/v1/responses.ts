import type { FastifyPluginAsync } from 'fastify'
import type { AgentRequest } from '../../agents/types.js'
import { messagesOf } from '../../schemas/responses/input.js'
import { namesIn } from '../../schemas/responses/names.js'
import { ResponseEvent, ResponseObject } from '../../schemas/responses/reply.js'
import { ResponsesRequest, refuseStored } from '../../schemas/responses/request.js'
import { ignoredInResponses, responsesSettings } from '../../schemas/responses/settings.js'
import { collect } from './reply/collect.js'
import { KeepAlives, type ReplyOptions } from './reply/keep-alives.js'
import { runErrors, runHooks, startRun } from './reply/start.js'
import { stream } from './reply/stream.js'
import { ResponseWriter } from './responses/body.js'
import { ResponseEvents } from './responses/events.js'
import { echoOf } from './responses/response.js'

const responses: FastifyPluginAsync<ReplyOptions> = async (fastify, { jsonKeepalive }) => {
  const keepAlives = new KeepAlives(jsonKeepalive)
  fastify.post<{ Body: ResponsesRequest }>('/v1/responses', {
    schema: {
      summary: 'A reply of an agent, as a response',
      description: 'Replies of the same agents as those of a chat completion. With `stream: true` the reply comes as named server-sent '
        + 'events, from `response.created` to `response.completed`, `response.incomplete` or `response.failed`. Nothing is '
        + 'stored: `store` is false in every response.',
      tags: ['responses'],
      body: ResponsesRequest,
      response: { 200: ResponseObject, ...runErrors }
    },
    config: { events: ResponseEvent },
    ...runHooks
  }, async (request, reply) => {
    const { body } = request
    const isStreamed = body.stream === true
    refuseStored(body)
    const messages = messagesOf(body)
    const echo = echoOf(body)
    const { run, agentRequest } = await startRun(request, reply, {
      model: body.model,
      agentRequest: (accepts): AgentRequest => ({
        messages, temperature: body.temperature ?? 0.7, top_p: body.top_p ?? 1, ...responsesSettings(body, accepts),
        ...(typeof body.max_output_tokens === 'number' && { max_tokens: body.max_output_tokens })
      }),
      ignored: accepts => ignoredInResponses(body, accepts)
    })
    const parts = { run, echo: echo(agentRequest), names: namesIn(agentRequest.tools && body.tools) }
    return isStreamed
      ? stream(reply, { run, writer: new ResponseEvents(parts) })
      : collect(reply, { run, keepAlives, writer: new ResponseWriter(parts) })
  })
}

export default responses

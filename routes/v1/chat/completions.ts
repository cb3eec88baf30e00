import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { ChatChunk, ChatCompletion, ChatRequest, ignoredParameters } from '../../../schemas/chat.js'
import { agentRequest } from '../../../schemas/conversation.js'
import { ContextLengthExceeded, ErrorBody, InvalidRequest } from '../../../schemas/errors.js'
import { Beats, collect } from './collect.js'
import { awaitTurn, readerOf } from './reader.js'
import { stream } from './stream.js'

export interface ChatOptions {
  /** Milliseconds after which a JSON reply in the making says that it lives. */
  jsonKeepalive?: number
}

const completions: FastifyPluginAsync<ChatOptions> = async (fastify, { jsonKeepalive = 240_000 }) => {
  const beats = new Beats(jsonKeepalive)
  fastify.post<{ Body: ChatRequest }>('/v1/chat/completions', {
    schema: {
      summary: 'A reply of an agent',
      description: 'With `stream: true` the reply comes as server-sent events, each `data: ` and a chat.completion.chunk, and ends with `data: [DONE]`. '
        + 'Settings that an agent does not accept are ignored and named in the header `x-ignored-parameters`, like unknown parameters.',
      tags: ['chat'],
      body: ChatRequest,
      response: { 200: ChatCompletion, 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 413: ErrorBody, 415: ErrorBody, 500: ErrorBody, 503: ErrorBody }
    },
    config: { events: ChatChunk },
    onRequest: checkBodyHead,
    preValidation: awaitTurn
  }, async (request, reply) => {
    const { body, headers } = request
    const agent = fastify.agents.get(body.model)
    const start = { request: agentRequest(body, agent.accepts), agent, key: keyOf(request) }
    if (fastify.runs.has(headers['x-svc-run'])) {
      throw new InvalidRequest('This request comes from this very service: --backend-url leads back to it. Start it with the address of a language model.')
    }
    const { max_input_tokens: limit } = agent.model
    const fits = fastify.fitsInput(start.request, limit)
    if (fits !== true && !await fits) throw ContextLengthExceeded.over(limit, body.model)
    const ignored = ignoredParameters(body, agent.accepts)
    if (ignored.length > 0) {
      reply.header('x-ignored-parameters', headerList(ignored))
      request.log.debug({ request: request.id, ignored: headerList(ignored) }, 'parameters ignored')
    }
    const run = fastify.runs.start(start, readerOf(reply.raw))
    const { model } = body
    Object.assign(request, { body: undefined }) // a stream may be open for an hour: what was asked lives on in the run alone
    return body.stream === true
      ? stream(reply, { run, model, includeUsage: body.stream_options?.include_usage === true })
      : collect(reply, { run, model, beats })
  })
}

export default completions

function checkBodyHead (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { headers } = request
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return done(new InvalidRequest('A compressed body is not taken: send it without Content-Encoding.', 415))
  // Without a body its type says nothing: the schema tells what is missing.
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') delete headers['content-type']
  done()
}

function keyOf (request: FastifyRequest): { value: string, body: string } | undefined {
  const value = request.headers['idempotency-key']
  return typeof value === 'string' && value !== '' ? { value, body: request.bodyDigest } : undefined
}

/** Names that a caller made up, fit for a header. */
function headerList (names: string[]): string {
  return names.slice(0, 50).map(name => name.slice(0, 50).replace(/[^\w.-]/g, '?')).join(', ').slice(0, 512)
}

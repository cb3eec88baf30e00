import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { ChatChunk, ChatCompletion, ChatRequest, ignoredParameters } from '../../../schemas/chat.js'
import { agentRequest } from '../../../schemas/conversation.js'
import { ContextLengthExceeded, ErrorBody, InvalidRequest } from '../../../schemas/errors.js'
import { KeepAlives, collect } from './collect.js'
import { readerOf } from './reader.js'
import { stream } from './stream.js'

export interface ChatOptions {
  /** Milliseconds after which an unfinished JSON reply begins to send white space, so that its client keeps waiting. */
  jsonKeepalive?: number
}

const LOOP = 'This request comes from this very service: --backend-url leads back to it. Start it with the address of a language model.'

const ERRORS = { 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 413: ErrorBody, 415: ErrorBody, 500: ErrorBody, 503: ErrorBody }

const completions: FastifyPluginAsync<ChatOptions> = async (fastify, { jsonKeepalive = 240_000 }) => {
  const keepAlives = new KeepAlives(jsonKeepalive)
  fastify.post<{ Body: ChatRequest }>('/v1/chat/completions', {
    schema: {
      summary: 'A reply of an agent',
      description: 'With `stream: true` the reply comes as server-sent events, each `data: ` and a chat.completion.chunk, '
        + 'and ends with `data: [DONE]`. Settings that an agent does not accept are ignored and named in the header '
        + '`x-ignored-parameters`, like unknown parameters.',
      tags: ['chat'],
      body: ChatRequest,
      response: { 200: ChatCompletion, ...ERRORS }
    },
    config: { events: ChatChunk },
    onRequest: checkBodyHead,
    preValidation: awaitTurn
  }, async (request, reply) => {
    const { body, headers } = request
    const agent = fastify.agents.get(body.model)
    const start = { request: agentRequest(body, agent.accepts), agent, key: keyOf(request) }
    if (fastify.runs.has(headers['x-svc-run'])) throw new InvalidRequest(LOOP)
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
    Object.assign(request, { body: undefined }) // a stream may stay open for an hour, and the run holds all it needs of the body
    return body.stream === true
      ? stream(reply, { run, model, includeUsage: body.stream_options?.include_usage === true })
      : collect(reply, { run, model, keepAlives })
  })
}

export default completions

function checkBodyHead (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { headers } = request
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return done(new InvalidRequest('A compressed body is not taken: send it without Content-Encoding.', 415))
  }
  // Where there is no body, its content type does not matter: the schema reports what is missing.
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') delete headers['content-type']
  done()
}

// Pipelined requests of one connection are handled one after the other. While a reply is queued behind another one, Node
// reports neither that the client has gone nor that it has read, and the queued data would stop the socket from being read.
function awaitTurn (_request: FastifyRequest, { raw }: FastifyReply, done: () => void): void {
  if (raw.socket === null) raw.once('socket', () => done())
  else done()
}

function keyOf (request: FastifyRequest): { value: string, body: string } | undefined {
  const value = request.headers['idempotency-key']
  return typeof value === 'string' && value !== '' ? { value, body: request.bodyDigest } : undefined
}

/** The caller's own names, cut and cleaned so that they are safe in a header. */
function headerList (names: string[]): string {
  return names.slice(0, 50).map(name => name.slice(0, 50).replace(/[^\w.-]/g, '?')).join(', ').slice(0, 512)
}

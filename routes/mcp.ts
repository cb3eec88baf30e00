import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { CorsOptions } from '../plugins/cors.js'
import { Cancels } from '../plugins/mcp/cancels.js'
import { isLoopbackOrigin } from '../plugins/pages.js'
import { ErrorBody, OriginRefused, ShuttingDown } from '../schemas/errors.js'
import { McpMessage, McpRefusal, McpReply } from '../schemas/mcp.js'
import { awaitTurn, readerOf } from './v1/reply/reader.js'

const INVALID_REQUEST = -32600

// The headers that the protocol's SDK reads.
const HEADERS = /^(?:content-type|mcp-[a-z-]+)$/

// The Model Context Protocol (Streamable HTTP) without state: each request is handled on its own, and any session id is accepted.
const mcp: FastifyPluginAsync<CorsOptions> = async (fastify, { corsOrigin = [] }) => {
  const cancels = new Cancels()
  fastify.post('/mcp', {
    schema: {
      summary: 'The agents and the sandbox as tools',
      description: 'The Model Context Protocol over Streamable HTTP, without state. A stream has progress notifications, then the result.',
      tags: ['mcp'],
      body: McpMessage,
      response: { 200: McpReply, 400: McpRefusal, 403: ErrorBody, 413: ErrorBody, 415: ErrorBody, 503: ErrorBody }
    },
    config: { events: McpReply, bodyIs: 'a JSON-RPC message' },
    validatorCompiler: () => () => true, // the protocol's SDK checks the body
    // Pages of other sites are refused: a call has effects even if the page cannot read the reply.
    onRequest (request, _reply, done) {
      const { origin } = request.headers
      const isListed = origin === undefined || corsOrigin.includes('*') || corsOrigin.includes(origin)
      done(isListed || isLoopbackOrigin(origin) ? undefined : new OriginRefused(origin))
    },
    preValidation: awaitTurn
  }, async (request, reply) => {
    if (fastify.runs.closing) throw new ShuttingDown()
    const { body } = request
    if (Array.isArray(body)) return reply.send(refusal('A batch is not taken: send each message in a request of its own.'))
    const gone = new AbortController()
    const reader = readerOf(reply.raw)
    const { 'mcp-session-id': session } = request.headers
    const forget = typeof session === 'string' ? cancels.handle(session, body, gone) : undefined
    reader.onLeave(hasAll => {
      forget?.()
      if (!hasAll) gone.abort()
    })
    if (isInitialize(body)) reply.header('mcp-session-id', randomUUID())
    const tools = await fastify.mcp()
    return reply.send(await tools.serve(webRequest(request, gone.signal), body, reader))
  })
}

export default mcp

function isInitialize (body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize'
}

function refusal (message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } }, { status: 400 })
}

/** The request without its body, as the SDK wants it. */
function webRequest (request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers({ accept: 'application/json, text/event-stream' }) // all clients read both, even if they do not say so
  for (const [name, value] of Object.entries(request.headers)) if (HEADERS.test(name)) headers.set(name, [value].flat().join(', '))
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal })
}

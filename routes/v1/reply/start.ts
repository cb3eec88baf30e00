import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Acceptable, AgentRequest } from '../../../agents/types.js'
import type { RunView } from '../../../plugins/runs/run.js'
import { ContextLengthExceeded, ErrorBody, InvalidRequest } from '../../../schemas/errors.js'
import { awaitTurn, readerOf } from './reader.js'

/** A request of some interface, as a run wants it. Both are asked once the agent is known. */
export interface Asked {
  model: string
  request: (accepts: readonly Acceptable[]) => AgentRequest
  /** The names of what neither the service nor an agent that accepts these settings takes notice of. */
  ignored: (accepts: readonly Acceptable[]) => string[]
}

/** The errors of every route that starts runs, in its description. */
export const runErrors = { 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 413: ErrorBody, 415: ErrorBody, 500: ErrorBody, 503: ErrorBody }

/** Its hooks. */
export const runHooks = { onRequest: checkBodyHead, preValidation: awaitTurn }

export interface Started { run: RunView, given: AgentRequest }

/** The run that answers a request: refused, started or joined. */
export async function startRun (request: FastifyRequest, reply: FastifyReply, asked: Asked): Promise<Started> {
  const fastify = request.server
  const agent = fastify.agents.get(asked.model)
  const given = asked.request(agent.accepts)
  if (fastify.runs.has(request.headers['x-svc-run'])) {
    throw new InvalidRequest('This request comes from this very service: --backend-url leads back to it. '
      + 'Start it with the address of a language model.')
  }
  const { max_input_tokens: limit } = agent.model
  const fits = fastify.fitsInput(given, limit)
  if (fits !== true && !await fits) throw ContextLengthExceeded.over(limit, asked.model)
  const ignored = asked.ignored(agent.accepts)
  if (ignored.length > 0) {
    reply.header('x-ignored-parameters', headerList(ignored))
    request.log.debug({ request: request.id, ignored: headerList(ignored) }, 'parameters ignored')
  }
  const run = fastify.runs.start({ request: given, agent, key: keyOf(request) }, readerOf(reply.raw))
  Object.assign(request, { body: undefined }) // a stream may be open for an hour: what was asked lives on in the run alone
  return { run, given }
}

function checkBodyHead (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { headers } = request
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return done(new InvalidRequest('A compressed body is not taken: send it without Content-Encoding.', 415))
  }
  // Without a body its type says nothing: the schema tells what is missing.
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') delete headers['content-type']
  done()
}

/** The same body says something else to another interface. */
function keyOf ({ headers, bodyDigest, routeOptions }: FastifyRequest): { value: string, body: string } | undefined {
  const value = headers['idempotency-key']
  return typeof value === 'string' && value !== '' ? { value, body: `${routeOptions.url} ${bodyDigest}` } : undefined
}

/** Names that a caller made up, fit for a header. */
function headerList (names: string[]): string {
  return names.slice(0, 50).map(name => name.slice(0, 50).replace(/[^\w.-]/g, '?')).join(', ').slice(0, 512)
}

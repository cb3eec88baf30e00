import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Acceptable, AgentRequest } from '../../../agents/types.js'
import type { RunView } from '../../../plugins/runs/run.js'
import { ContextLengthExceeded, ErrorBody, InvalidRequest } from '../../../schemas/errors.js'
import { awaitTurn, readerOf } from './reader.js'

/** What a run needs from the body of a request, whichever interface it came through. The functions are called once the agent is known. */
export interface RunRequest {
  model: string
  /** The request for an agent that accepts these settings. */
  agentRequest: (accepts: readonly Acceptable[]) => AgentRequest
  /** The names of the parameters that neither the service nor an agent that accepts these settings uses. */
  ignored: (accepts: readonly Acceptable[]) => string[]
}

/** The errors of every route that starts runs, for its description. */
export const runErrors = { 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 413: ErrorBody, 415: ErrorBody, 500: ErrorBody, 503: ErrorBody }

/** The hooks of every route that starts runs. */
export const runHooks = { onRequest: checkBodyHead, preValidation: awaitTurn }

export interface StartedRun { run: RunView, agentRequest: AgentRequest }

/** Starts the run that answers a request, or joins the run that answers it already. Throws if the request must be refused. */
export async function startRun (request: FastifyRequest, reply: FastifyReply, runRequest: RunRequest): Promise<StartedRun> {
  const fastify = request.server
  const agent = fastify.agents.get(runRequest.model)
  const agentRequest = runRequest.agentRequest(agent.accepts)
  if (fastify.runs.has(request.headers['x-svc-run'])) {
    throw new InvalidRequest('This request comes from this very service: --backend-url leads back to it. '
      + 'Start it with the address of a language model.')
  }
  const { max_input_tokens: limit } = agent.model
  const fits = fastify.fitsInput(agentRequest, limit)
  if (fits !== true && !await fits) throw ContextLengthExceeded.over(limit, runRequest.model)
  const ignored = runRequest.ignored(agent.accepts)
  if (ignored.length > 0) {
    reply.header('x-ignored-parameters', headerList(ignored))
    request.log.debug({ request: request.id, ignored: headerList(ignored) }, 'parameters ignored')
  }
  const run = fastify.runs.start({ request: agentRequest, agent, key: keyOf(request) }, readerOf(reply.raw))
  Object.assign(request, { body: undefined }) // a stream may stay open for an hour, and the run holds all it needs of the body
  return { run, agentRequest }
}

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

// The digest includes the URL, because the same body means something else at another endpoint.
function keyOf ({ headers, bodyDigest, routeOptions }: FastifyRequest): { value: string, body: string } | undefined {
  const value = headers['idempotency-key']
  return typeof value === 'string' && value !== '' ? { value, body: `${routeOptions.url} ${bodyDigest}` } : undefined
}

/** The caller's own names, cut and cleaned so that they are safe in a header. */
function headerList (names: string[]): string {
  return names.slice(0, 50).map(name => name.slice(0, 50).replace(/[^\w.-]/g, '?')).join(', ').slice(0, 512)
}

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { InternalError, InvalidRequest, MethodNotAllowed, NotJson, RouteNotFound, ServiceError } from '../schemas/errors.js'
import { type CorsOptions, corsHeaders } from './cors.js'
import { isValidationError, plainWords } from './errors/validation.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the body of this route must be, for the error when it is empty: `a JSON-RPC message`. */
    bodyIs?: string
  }
  interface FastifyInstance {
    /** The error for an unknown route: 404, or 405 if the path exists with other methods. */
    notFound (request: FastifyRequest): ServiceError
  }
}

// The one renderer of errors: whatever goes wrong leaves as { error: { message, type, code } }.
export default fp(async function errors (fastify) {
  const routes = new Map<string, { pattern: RegExp, methods: Set<string> }>()

  fastify.addHook('onRoute', ({ url, method }) => {
    if (url === '*') return
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const name of [method].flat()) route.methods.add(name)
    routes.set(url, route)
  })

  fastify.setErrorHandler((error: unknown, request, reply) => {
    const known = toServiceError(error, request)
    // The failure of a run has been logged by the run itself.
    if (known instanceof InternalError) request.log.error({ request: request.id, err: error }, known.message)
    else request.log.debug({ request: request.id, code: known.code }, known.message)
    return render(reply, known)
  })

  fastify.setNotFoundHandler((request) => { throw notFound(request) })
  fastify.decorate('notFound', notFound)

  function notFound (request: FastifyRequest): ServiceError {
    const path = pathOf(request)
    const decoded = decodedPath(path)
    const allowed = new Set<string>()
    for (const { pattern, methods } of routes.values()) {
      if (pattern.test(decoded)) for (const method of methods) allowed.add(method)
    }
    if (allowed.size === 0) return new RouteNotFound(request.method, path)
    return new MethodNotAllowed(request.method, path, [...allowed, 'OPTIONS'])
  }

  // A request with an unknown "Expect" header is served as usual: Node's own answer would be a 417 without a body.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response))
}, { name: 'errors' })

// This hook runs before the body is parsed, so that an unknown route gives a 404 whatever was sent to it, and after cors and auth.
export const unknownRoutes = fp(async function unknownRoutes (fastify) {
  fastify.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? fastify.notFound(request) : undefined)
  })
}, { name: 'unknown-routes', dependencies: ['errors', 'cors', 'auth'] })

function pathOf (request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

// The router decodes paths, too: %76 is a v.
function decodedPath (path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** The pattern of the paths that a route such as `/v1/models/:id` or `/docs/*` serves. */
function patternOf (url: string): RegExp {
  const source = url.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+').replace('*', '.*')
  return new RegExp(`^/*${source.slice(1)}/*$`)
}

function render (reply: FastifyReply, error: ServiceError) {
  return reply.code(error.status).headers(error.headers).type('application/json').send(JSON.stringify(error.body))
}

function toServiceError (error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error
  if (isValidationError(error)) return new InvalidRequest(plainWords(error.validation, firstRequired(request)))
  const { code, statusCode, message } = (error ?? {}) as Partial<FastifyError>
  switch (code ?? '') {
    case 'FST_ERR_CTP_EMPTY_JSON_BODY': return new InvalidRequest(emptyBody(request))
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': return new NotJson()
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new InvalidRequest('The body is larger than this service takes; --body-limit sets how much that is.', 413)
    case 'FST_ERR_CTP_INVALID_JSON_BODY': return new InvalidRequest('The body is not valid JSON.')
  }
  if (error instanceof SyntaxError && statusCode === 400) return new InvalidRequest(`The body is not valid JSON: ${error.message}`)
  const isClientError = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
  return isClientError ? new InvalidRequest(message || 'The request is not valid.', statusCode) : new InternalError(request.id, error)
}

/** The first required field of the route's body, which the error names if there is no body. */
function firstRequired ({ routeOptions: { schema } }: FastifyRequest): string {
  const { required = [] } = (schema?.body ?? {}) as { required?: string[] }
  return required[0] ?? 'A body'
}

function emptyBody (request: FastifyRequest): string {
  const { bodyIs } = request.routeOptions.config
  return bodyIs === undefined ? `${firstRequired(request)} is required` : `The body is empty: send ${bodyIs}.`
}

/** Answers bad URLs and parameters, which the router refuses before any hook runs. */
export function frameworkErrors ({ corsOrigin }: CorsOptions) {
  return (_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const headers = { 'x-request-id': request.id, ...corsHeaders(corsOrigin, request.headers.origin) }
    void render(reply.headers(headers), new InvalidRequest('The URL is not valid.'))
  }
}

const BAD_HEADS: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are larger than this service takes.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not complete in time.']
}

/** Answers what is not valid HTTP, on the bare socket. */
export function clientErrorHandler (error: NodeJS.ErrnoException, socket: Socket): void {
  // If a reply is being sent, another response head would end up in the middle of it.
  const { _httpMessage: current } = socket as Socket & { _httpMessage?: ServerResponse }
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) { socket.destroy(); return }
  const [status, message] = BAD_HEADS[error.code ?? ''] ?? [400, 'The request is not valid HTTP.']
  const body = JSON.stringify(new InvalidRequest(message).body)
  socket.write([
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`, 'connection: close', '', body
  ].join('\r\n'))
  socket.destroySoon() // closes the socket even if the peer keeps its side open
}

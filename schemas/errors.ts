import * as Type from 'typebox'
import { MOST_LEVELS, MOST_VALUES } from './json-bounds.js'
import { withoutPaths } from './paths.js'

interface Details { headers?: Record<string, string>, cause?: unknown }

export const ErrorBody = Type.Object({
  error: Type.Object({ message: Type.String(), type: Type.String(), code: Type.String() })
})
export type ErrorBody = Type.Static<typeof ErrorBody>

/** An error with the status, code and message that its client gets. Anything else that is thrown is unexpected. */
export class ServiceError extends Error {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly headers: Record<string, string>

  constructor (status: number, type: string, code: string, message: string, { headers = {}, cause }: Details = {}) {
    // Messages quote texts that callers sent, cut at any character: Python clients fail on half a surrogate pair.
    super(message.toWellFormed(), cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.status = status
    this.type = type
    this.code = code
    this.headers = headers
  }

  get body (): ErrorBody {
    return { error: { message: this.message, type: this.type, code: this.code } }
  }
}

/** Cuts a text that a caller sent, to quote it in a message. */
export const quote = (text: string, length = 100) => text.length > length ? `${text.slice(0, length)}...` : text

export class InvalidRequest extends ServiceError {
  constructor (message: string, status = 400) {
    super(status, 'invalid_request_error', 'invalid_request', message)
  }
}

export class UnknownHost extends InvalidRequest {
  constructor (host: string, scheme: string) {
    super(`This service is not known as '${quote(host)}': call it by localhost or an IP address. `
      + `If it is to be called by that name, start it with --cors-origin ${scheme}://${quote(host)} as well.`)
  }
}

export class OriginRefused extends InvalidRequest {
  constructor (origin: string) {
    const remedy = `start it with --cors-origin ${quote(origin)} as well to allow them`
    super(`Pages of the origin '${quote(origin)}' may not call this service: ${remedy}.`, 403)
  }
}

// LangChain and others recognise this error by these words, not by its code.
const KNOWN_WORDS = 'maximum context length'

export class NotJson extends InvalidRequest {
  constructor () {
    super('The body must be JSON: send it with "Content-Type: application/json".', 415)
  }
}

export class TooMuchJson extends InvalidRequest {
  constructor (beyond: string) {
    super(`The body ${beyond}. This service reads ${MOST_LEVELS} levels and ${MOST_VALUES.toLocaleString('en')} values at most: `
      + 'nest less, and join small texts into larger ones.')
  }
}

export class ContextLengthExceeded extends ServiceError {
  constructor (message: string) {
    const known = message.includes(KNOWN_WORDS) ? message : `The input exceeds the ${KNOWN_WORDS}: ${message}`
    super(400, 'invalid_request_error', 'context_length_exceeded', known)
  }

  static over (limit: number, id: string): ContextLengthExceeded {
    return new ContextLengthExceeded(`The conversation exceeds the ${KNOWN_WORDS} of ${limit} tokens that '${quote(id)}' takes: `
      + 'leave out older messages or long files.')
  }
}

export class InvalidApiKey extends ServiceError {
  constructor (challenge: string) {
    const message = 'This service was started with --api-key: send it as "Authorization: Bearer <key>".'
    super(401, 'authentication_error', 'invalid_api_key', message, { headers: { 'www-authenticate': challenge } })
  }
}

const ENDPOINTS = 'The endpoints are GET /health, GET /v1/models, POST /v1/chat/completions, POST /v1/responses and POST /mcp.'

export class RouteNotFound extends ServiceError {
  constructor (method: string, path: string) {
    const hint = /^\/+v1\/+responses\//.test(path) ? 'Responses are not kept: each is given to the request that asks for it, and to nobody else. ' : ''
    super(404, 'invalid_request_error', 'not_found', `There is no ${method} ${quote(path)}. ${hint}${ENDPOINTS}`)
  }
}

export class MethodNotAllowed extends ServiceError {
  constructor (method: string, path: string, allowed: string[]) {
    const methods = allowed.join(', ')
    const message = `${quote(path)} does not take ${method}, only ${methods}. ${ENDPOINTS}`
    super(405, 'invalid_request_error', 'method_not_allowed', message, { headers: { allow: methods } })
  }
}

export class ModelNotFound extends ServiceError {
  constructor (id: string, available: string[]) {
    const message = `The model '${quote(id)}' was not found. Available models: ${available.join(', ') || 'none'}.`
    super(404, 'invalid_request_error', 'model_not_found', message)
  }
}

export class IdempotencyConflict extends ServiceError {
  constructor () {
    const message = 'This Idempotency-Key came with another body before: use a new key for a new request.'
    // Without the header an SDK retries a 409, and this one would fail every time.
    super(409, 'invalid_request_error', 'idempotency_conflict', message, { headers: { 'x-should-retry': 'false' } })
  }
}

export class Overloaded extends ServiceError {
  constructor (waiting: number) {
    const queue = waiting === 1 ? '1 run waits' : `${waiting} runs wait`
    const remedy = 'try again later, or start the service with a larger --max-queue'
    super(503, 'internal_error', 'overloaded', `All slots are taken and ${queue} already: ${remedy}.`, { headers: { 'retry-after': '5' } })
  }
}

export class ShuttingDown extends ServiceError {
  constructor () {
    const message = 'The service is shutting down: try again when it is back.'
    super(503, 'internal_error', 'shutting_down', message, { headers: { 'retry-after': '5' } })
  }
}

export class InternalError extends ServiceError {
  constructor (requestId: string, cause: unknown) {
    const message = `The service failed on this request. Its log tells more under request id ${requestId}.`
    super(500, 'internal_error', 'internal_error', message, { cause })
  }
}

/** Whatever an agent throws. A retry would be a whole new run, so the header asks SDKs not to retry. */
export class AgentFailed extends ServiceError {
  constructor (cause: unknown) {
    const message = `Agent processing failed: ${describe(cause)}`
    super(500, 'internal_error', 'agent_error', message, { headers: { 'x-should-retry': 'false' }, cause })
  }
}

/** The text of anything that can be thrown, for clients: without stack lines and without paths of this machine. */
export function describe (thrown: unknown): string {
  const lines = messageOf(thrown).slice(0, 8000).split('\n').filter(line => !/^\s+at |^at .+:\d+\)?$/.test(line))
  return withoutPaths(lines.join('\n').trim()).slice(0, 2000) || 'no reason was given'
}

/** The text of anything that can be thrown, for the owner of this machine: its paths are left in. */
export function messageOf (thrown: unknown): string {
  try {
    return textOf(thrown).toWellFormed()
  } catch {
    return 'something was thrown that cannot be printed' // for example a getter that throws, or a revoked proxy
  }
}

// Anything can be thrown, so no field has a type before it was checked.
function textOf (thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (typeof thrown !== 'object' || thrown === null) return `${String(thrown)} was thrown`
  const { message, name } = thrown as { message?: unknown, name?: unknown }
  if (typeof message === 'string' && message !== '') return message
  if (thrown instanceof Error && typeof name === 'string' && message === '') return name
  return JSON.stringify(message ?? thrown)
}

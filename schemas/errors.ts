import * as Type from 'typebox'
import { MOST_LEVELS, MOST_VALUES } from './json-bounds.js'
import { withoutPaths } from './paths.js'

export const ErrorBody = Type.Object({
  error: Type.Object({ message: Type.String(), type: Type.String(), code: Type.String() })
})
export type ErrorBody = Type.Static<typeof ErrorBody>

/** An error that knows how a client is told of it. Everything else that is thrown is an accident. */
export class ServiceError extends Error {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly headers: Record<string, string>

  constructor (status: number, type: string, code: string, message: string, { headers = {}, cause }: { headers?: Record<string, string>, cause?: unknown } = {}) {
    // Texts of strangers are quoted, and cut: Python clients fail on half a character.
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

/** Texts that a caller sent are cut before they are quoted back. */
export const quote = (text: string, length = 100) => text.length > length ? `${text.slice(0, length)}...` : text

export class InvalidRequest extends ServiceError {
  constructor (message: string, status = 400) {
    super(status, 'invalid_request_error', 'invalid_request', message)
  }
}

export class UnknownHost extends InvalidRequest {
  constructor (host: string, scheme: string) {
    super(`This service is not known as '${quote(host)}': call it by localhost or an IP address. If it is to be called by that name, start it with --cors-origin ${scheme}://${quote(host)} as well.`)
  }
}

export class OriginRefused extends InvalidRequest {
  constructor (origin: string) {
    super(`Pages of the origin '${quote(origin)}' may not call this service: start it with --cors-origin ${quote(origin)} as well to allow them.`, 403)
  }
}

// LangChain and others know the case by these words, not by its code.
const KNOWN_WORDS = 'maximum context length'

export class NotJson extends InvalidRequest {
  constructor () {
    super('The body must be JSON: send it with "Content-Type: application/json".', 415)
  }
}

export class TooMuchJson extends InvalidRequest {
  constructor (beyond: string) {
    super(`The body ${beyond}. This service reads ${MOST_LEVELS} levels and ${MOST_VALUES.toLocaleString('en')} values at most: nest less, and join small texts into larger ones.`)
  }
}

export class ContextLengthExceeded extends ServiceError {
  constructor (message: string) {
    super(400, 'invalid_request_error', 'context_length_exceeded', message.includes(KNOWN_WORDS) ? message : `The input exceeds the ${KNOWN_WORDS}: ${message}`)
  }

  static over (limit: number, id: string): ContextLengthExceeded {
    return new ContextLengthExceeded(`The conversation exceeds the ${KNOWN_WORDS} of ${limit} tokens that '${quote(id)}' takes: leave out older messages or long files.`)
  }
}

export class InvalidApiKey extends ServiceError {
  constructor (challenge: string) {
    super(401, 'authentication_error', 'invalid_api_key', 'This service was started with --api-key: send it as "Authorization: Bearer <key>".', { headers: { 'www-authenticate': challenge } })
  }
}

const ENDPOINTS = 'The endpoints are GET /health, GET /v1/models, POST /v1/chat/completions and POST /v1/responses.'

export class RouteNotFound extends ServiceError {
  constructor (method: string, path: string) {
    const hint = /^\/+v1\/+responses\//.test(path) ? 'Responses are not kept: each is given to the request that asks for it, and to nobody else. ' : ''
    super(404, 'invalid_request_error', 'not_found', `There is no ${method} ${quote(path)}. ${hint}${ENDPOINTS}`)
  }
}

export class MethodNotAllowed extends ServiceError {
  constructor (method: string, path: string, allowed: string[]) {
    super(405, 'invalid_request_error', 'method_not_allowed', `${quote(path)} does not take ${method}, only ${allowed.join(', ')}. ${ENDPOINTS}`, { headers: { allow: allowed.join(', ') } })
  }
}

export class ModelNotFound extends ServiceError {
  constructor (id: string, available: string[]) {
    super(404, 'invalid_request_error', 'model_not_found', `The model '${quote(id)}' was not found. Available models: ${available.join(', ') || 'none'}.`)
  }
}

export class IdempotencyConflict extends ServiceError {
  constructor () {
    // Without the header an SDK retries a 409, and this one never gets better.
    super(409, 'invalid_request_error', 'idempotency_conflict', 'This Idempotency-Key came with another body before: use a new key for a new request.', { headers: { 'x-should-retry': 'false' } })
  }
}

export class Overloaded extends ServiceError {
  constructor (waiting: number) {
    super(503, 'internal_error', 'overloaded', `All slots are taken and ${waiting === 1 ? '1 run waits' : `${waiting} runs wait`} already: try again later, or start the service with a larger --max-queue.`, { headers: { 'retry-after': '5' } })
  }
}

export class ShuttingDown extends ServiceError {
  constructor () {
    super(503, 'internal_error', 'shutting_down', 'The service is shutting down: try again when it is back.', { headers: { 'retry-after': '5' } })
  }
}

export class InternalError extends ServiceError {
  constructor (requestId: string, cause: unknown) {
    super(500, 'internal_error', 'internal_error', `The service failed on this request. Its log tells more under request id ${requestId}.`, { cause })
  }
}

/** Whatever an agent throws. Retrying would be a whole new run, so SDKs are told not to. */
export class AgentFailed extends ServiceError {
  constructor (cause: unknown) {
    super(500, 'internal_error', 'agent_error', `Agent processing failed: ${describe(cause)}`, { headers: { 'x-should-retry': 'false' }, cause })
  }
}

/** The text of anything that can be thrown, fit to be shown: without stack lines and without paths of this machine. */
export function describe (thrown: unknown): string {
  return withoutPaths(wordsOf(thrown).slice(0, 8000).split('\n').filter(line => !/^\s+at |^at .+:\d+\)?$/.test(line)).join('\n').trim()).slice(0, 2000) || 'no reason was given'
}

/** The text of anything that can be thrown, for the one whose machine it is. */
export function wordsOf (thrown: unknown): string {
  try {
    return textOf(thrown).toWellFormed()
  } catch {
    return 'something was thrown that cannot be printed' // a getter of the agent's that throws itself, a revoked proxy
  }
}

// Whatever was thrown, no field of it is what it should be until it was looked at.
function textOf (thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (typeof thrown !== 'object' || thrown === null) return `${String(thrown)} was thrown`
  const { message, name } = thrown as { message?: unknown, name?: unknown }
  if (typeof message === 'string' && message !== '') return message
  if (thrown instanceof Error && typeof name === 'string' && message === '') return name
  return JSON.stringify(message ?? thrown)
}

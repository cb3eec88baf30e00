import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { NotJson, TooMuchJson } from '../schemas/errors.js'
import { beyondBounds } from '../schemas/json-bounds.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** A digest of the raw body, for a request with an Idempotency-Key; else empty. */
    bodyDigest: string
  }
}

// Measuring, digesting, parsing and validating a body of 8 MiB take up to 40 ms each. For bodies longer than this, the event
// loop handles other requests between these steps.
const LONG = 256 * 1024

// Only JSON is accepted: a form that another site posts without a preflight must not reach an agent.
export default fp(async function jsonBody (fastify) {
  const parse = fastify.getDefaultJsonParser('remove', 'remove')
  fastify.decorateRequest('bodyDigest', '')
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length > LONG) return void parseInTurns(request, body, done)
    const beyond = beyondBounds(body)
    if (beyond !== undefined) return done(new TooMuchJson(beyond), undefined)
    digest(request, body)
    void parse(request, body, done)
  })

  async function parseInTurns (
    request: FastifyRequest, body: string, done: (error: Error | null, value?: unknown) => void
  ): Promise<void> {
    const beyond = beyondBounds(body)
    if (beyond !== undefined) return done(new TooMuchJson(beyond), undefined)
    await nextTurn()
    digest(request, body)
    await nextTurn()
    void parse(request, body, (error: Error | null, value?: unknown) => { setImmediate(done, error, value) })
  }

  // Any other content type is refused at the first byte of the body; if there is no body, the content type does not matter.
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    const settle = (error: Error | null) => {
      payload.off('data', onData).off('end', onEnd).off('error', settle)
      payload.resume()
      done(error, undefined)
    }
    const onData = () => settle(new NotJson())
    const onEnd = () => settle(null)
    payload.once('data', onData).once('end', onEnd).once('error', settle)
  })
}, { name: 'json-body' })

function digest (request: FastifyRequest, body: string): void {
  if (request.headers['idempotency-key'] === undefined) return
  request.bodyDigest = createHash('sha256').update(body).digest('base64')
}

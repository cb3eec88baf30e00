import { createHash } from 'node:crypto'
import fp from 'fastify-plugin'
import { NotJson } from '../schemas/errors.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the body as it came, for a request with an Idempotency-Key. */
    bodyDigest: string
  }
}

// JSON and nothing else: a form that another site posts without asking must not reach an agent.
export default fp(async function jsonBody (fastify) {
  const parse = fastify.getDefaultJsonParser('remove', 'remove')
  fastify.decorateRequest('bodyDigest', '')
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = createHash('sha256').update(body).digest('base64')
    void parse(request, body, done)
  })
  // Anything else is refused by its first byte; without one there is no body, and its type says nothing.
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

import { createHash } from 'node:crypto'
import fp from 'fastify-plugin'

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
}, { name: 'json-body' })

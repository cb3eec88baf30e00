import type { FastifyPluginAsync } from 'fastify'
import { RouteNotFound } from '../schemas/errors.js'

// The description of the API: as OpenAPI for programs, as a page for people.
const docs: FastifyPluginAsync = async fastify => {
  fastify.get('/openapi.json', { schema: { hide: true } }, async () => (await fastify.docs()).swagger())

  for (const url of ['/docs', '/docs/*']) {
    fastify.get(url, { schema: { hide: true } }, async (request, reply) => {
      const docs = await fastify.docs()
      const page = await docs.inject({ method: 'GET', url: request.url, headers: { accept: request.headers.accept ?? '*/*' } })
      if (page.statusCode >= 400) throw new RouteNotFound(request.method, request.url.split('?', 1)[0] ?? '')
      const { 'content-type': type, location, 'content-security-policy': policy } = page.headers
      if (location) reply.header('location', location)
      if (policy) reply.header('content-security-policy', policy)
      return reply.code(page.statusCode).type(String(type ?? 'text/html')).send(page.rawPayload)
    })
  }
}

export default docs

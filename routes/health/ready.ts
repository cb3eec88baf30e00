import type { FastifyPluginAsync } from 'fastify'
import { Readiness } from '../../schemas/health.js'

// Readiness: only the backend (and a shutdown) decides.
const ready: FastifyPluginAsync = async fastify => {
  fastify.get('/health/ready', {
    config: { open: true },
    schema: { summary: 'Can agents do their work?', tags: ['health'], response: { 200: Readiness, 503: Readiness } }
  }, async (_request, reply): Promise<Readiness> => {
    const backend = await fastify.backend.info()
    const isReady = backend.problem === null && !fastify.runs.closing
    reply.preventCache().code(isReady ? 200 : 503)
    return {
      status: isReady ? 'ready' : 'not_ready',
      backend,
      sandbox: fastify.sandbox.info()
    }
  })
}

export default ready

import type { FastifyPluginAsync } from 'fastify'
import { INSTANCE_HEADER, instance } from '../plugins/identity.js'
import { Health, SERVICE } from '../schemas/health.js'

// Liveness: this route never asks the backend.
const health: FastifyPluginAsync = async fastify => {
  fastify.get('/health', {
    config: { open: true },
    schema: { summary: 'Is the service up?', tags: ['health'], response: { 200: Health } }
  }, async (_request, reply) => {
    reply.preventCache().header(INSTANCE_HEADER, instance)
    return { status: 'ok', service: SERVICE }
  })
}

export default health

import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { Health, SERVICE } from '../schemas/health.js'

/** Tells this process from any other that answers on its port: `status` and `stop` compare it with their record. */
export const instance = randomUUID()

// Liveness: it never asks the backend.
const health: FastifyPluginAsync = async fastify => {
  fastify.get('/health', {
    config: { open: true },
    schema: { summary: 'Is the service up?', tags: ['health'], response: { 200: Health } }
  }, async (_request, reply) => {
    reply.preventCache().header('x-svc-instance', instance)
    return { status: 'ok', service: SERVICE }
  })
}

export default health

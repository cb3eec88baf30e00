import type { FastifyPluginAsync } from 'fastify'
import { Readiness } from '../../schemas/health.js'
import { withoutPaths } from '../../schemas/paths.js'

// This route needs no API key, so the texts must not show paths of this machine.
const shown = (text: string | null) => text === null ? null : withoutPaths(text)

// Readiness depends on the backend, and on whether the service is shutting down; not on the sandbox.
const ready: FastifyPluginAsync = async fastify => {
  fastify.get('/health/ready', {
    config: { open: true },
    schema: { summary: 'Can agents do their work?', tags: ['health'], response: { 200: Readiness, 503: Readiness } }
  }, async (_request, reply): Promise<Readiness> => {
    const backend = await fastify.backend.info()
    const sandbox = fastify.sandbox.info()
    const isReady = backend.problem === null && !fastify.runs.closing
    reply.preventCache().code(isReady ? 200 : 503)
    return {
      status: isReady ? 'ready' : 'not_ready',
      backend: { ...backend, problem: shown(backend.problem), remedy: shown(backend.remedy) },
      sandbox: { ...sandbox, problem: shown(sandbox.problem) }
    }
  })
}

export default ready

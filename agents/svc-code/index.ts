import type { FastifyPluginAsync } from 'fastify'
import { paramsIn } from './settings.js'

export { SvcCode } from './agent.js'

const svcCode: FastifyPluginAsync<Record<string, unknown>> = async (fastify, options) => {
  fastify.agents.register('svc-code', {
    class_name: 'svc-code.SvcCode',
    init_params: paramsIn(options),
    description: 'autonomous Python/TypeScript coding agent with planning, generation and testing',
    concurrency: 4
  })
}

export default svcCode

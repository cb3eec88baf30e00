import type { FastifyPluginAsync } from 'fastify'

export { SvcCode } from './agent.js'

const svcCode: FastifyPluginAsync = async fastify => {
  fastify.agents.register('svc-code', {
    class_name: 'svc-code.SvcCode',
    init_params: {},
    description: 'autonomous Python/TypeScript coding agent with planning, generation and testing',
    concurrency: 4
  })
}

export default svcCode

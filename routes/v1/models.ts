import type { FastifyPluginAsync } from 'fastify'
import { ErrorBody } from '../../schemas/errors.js'
import { Model, ModelList, ModelParams } from '../../schemas/model.js'

const models: FastifyPluginAsync = async fastify => {
  fastify.get('/v1/models', {
    schema: { summary: 'The agents', tags: ['models'], response: { 200: ModelList } }
  }, async () => ({ object: 'list' as const, data: fastify.agents.list().map(agent => agent.model) }))

  fastify.get<{ Params: { id: string } }>('/v1/models/:id', {
    schema: { summary: 'One agent', tags: ['models'], params: ModelParams, response: { 200: Model, 404: ErrorBody } }
  }, async request => {
    const { id } = request.params
    return { ...fastify.agents.get(id).model, id } // for an alias, the reply has the alias as its id
  })
}

export default models

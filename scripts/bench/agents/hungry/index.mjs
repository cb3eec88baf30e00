export { Hungry, HungryRelay } from './agent.mjs'

export default async function (fastify) {
  fastify.agents.register('hungry', { class_name: 'hungry.agent.Hungry', init_params: {}, description: 'Takes long input and has its tokens counted by the service' })
  fastify.agents.register('hungry-relay', { class_name: 'hungry.agent.HungryRelay', init_params: {}, description: 'Hands long input on to the backend' })
}

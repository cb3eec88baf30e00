export default async function (fastify) {
  fastify.agents.register('scripted', { class_name: 'scripted.agent.Scripted', init_params: {}, description: 'Plays the steps in the last message' })
  fastify.agents.register('tooled', { class_name: 'scripted.agent.Tooled', init_params: {}, description: 'The same, and accepts all settings' })
  fastify.agents.register('witness', { class_name: 'scripted.agent.Witness', init_params: {}, description: 'Tells what became of those runs' })
}

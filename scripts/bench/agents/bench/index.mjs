export { Player, Relay } from './agent.mjs'

// One model for each kind of reply, so that a request selects it by the model.
export default async function (fastify) {
  for (const play of ['whole', 'counted', 'fragments', 'turns', 'ticking', 'idle']) {
    fastify.agents.register(play, { class_name: 'bench.agent.Player', init_params: { play }, description: `Replies in the way '${play}'` })
  }
  fastify.agents.register('relay', { class_name: 'bench.agent.Relay', init_params: {}, description: 'Hands on what the backend says' })
}

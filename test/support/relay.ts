import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import type { Test } from 'tap'
import { plugin, tempFolder, write } from './folders.js'
import { AGENTS } from './service.js'

const ACCEPTS = "['tools', 'response_format', 'reasoning_effort', 'stop', 'seed']"

/**
 * A folder of agents that accept all settings: `relay` hands the request on to the backend and its reply back, `tooled` plays
 * the steps in its last message as the scripted agent does, and `seeded` does so, too, and accepts a seed only.
 */
export function relayAgents (t: Test): string {
  return write(tempFolder(t), {
    'relay/index.mjs': plugin('relay', { class_name: 'relay.agent.Relay', init_params: {}, description: 'Hands it on' }),
    'relay/agent.mjs': `export class Relay {
  accepts = ${ACCEPTS}
  constructor (params, { backend }) { this.backend = backend }
  modelInfo () { return { max_input_tokens: 32768, max_output_tokens: 8192 } }
  async * reply (request, signal, run) {
    for await (const event of this.backend.chat({ ...request, step: 'answer', run: run.id }, signal)) {
      if (event.type === 'fragment') yield event.text
      else if (event.type !== 'reasoning') yield event
    }
  }
}
`,
    'tooled/index.mjs': `export default async function (fastify) {
  fastify.agents.register('tooled', { class_name: 'tooled.agent.Tooled', init_params: {}, description: 'Plays steps' })
  fastify.agents.register('seeded', { class_name: 'tooled.agent.Seeded', init_params: {}, description: 'Plays steps' })
}
`,
    'tooled/agent.mjs': `import { Scripted } from ${JSON.stringify(pathToFileURL(join(AGENTS, 'scripted', 'agent.mjs')).href)}
export class Tooled extends Scripted { accepts = ${ACCEPTS} }
export class Seeded extends Scripted { accepts = ['seed'] }
`
  })
}

export const WEATHER = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'The weather of a city', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }
}
export const CLOCK = { type: 'function' as const, function: { name: 'get_time' } }

import fp from 'fastify-plugin'
import type { AgentRequest, Backend } from '../../agents/types.js'
import { listensAt } from '../identity.js'
import { chooseBackend } from './choose.js'
import { inputOf } from './input.js'
import { type EmbeddedOptions, embedded } from './models/embedded.js'
import type { Deadlines } from './call-timeout.js'
import { surelyFits } from './tokens.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The language model that agents use. */
    backend: Backend
    /** Whether the input of a request has at most `limit` tokens. Short inputs are not counted. */
    fitsInput (request: AgentRequest, limit: number): true | Promise<boolean>
  }
}

export interface BackendOptions {
  backendUrl?: string
  backendModel?: string
  backendKey?: string
  /** The addresses to search for a server if there is no URL; by default none. */
  backendSearch?: readonly string[]
  backendDeadlines?: Partial<Deadlines>
  /** Options of this service's own engine; without them, the engine is off. */
  engine?: EmbeddedOptions
}

export default fp(async function backend (fastify, options: BackendOptions) {
  const {
    backendUrl: url, backendModel: model, backendKey: key, backendSearch: candidates = [], backendDeadlines: deadlines, engine
  } = options
  const isOwn = (url: URL) => listensAt(fastify.server, url)
  const chosen = await chooseBackend(
    { url, model, key, deadlines, candidates, isOwn },
    { log: fastify.log, embedded: engine && embedded(engine, fastify.log) }
  )
  fastify.decorate<Backend>('backend', chosen)
  fastify.decorate('fitsInput', (request: AgentRequest, limit: number) => {
    const input = inputOf(request)
    return surelyFits(input, limit) || chosen.countTokens(input, limit).then(count => count <= limit)
  })
  fastify.addHook('onClose', async () => { await chosen.close() })
}, { name: 'backend' })

import fp from 'fastify-plugin'
import type { AgentRequest, Backend } from '../../agents/types.js'
import { listensAt } from '../identity.js'
import { chooseBackend } from './choose.js'
import { inputOf } from './input.js'
import { type EmbeddedOptions, embedded } from './models/embedded.js'
import type { Deadlines } from './patience.js'
import { surelyFits } from './tokens.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The language model that agents think with. */
    backend: Backend
    /** Whether what a model would read of a request has at most so many tokens. Counted only where it may have more. */
    fitsInput (request: AgentRequest, limit: number): true | Promise<boolean>
  }
}

export interface BackendOptions {
  backendUrl?: string
  backendModel?: string
  backendKey?: string
  /** Addresses where a server is looked for if there is no URL; none unless given. */
  backendSearch?: readonly string[]
  backendDeadlines?: Partial<Deadlines>
  /** The engine of this service; off unless given. */
  engine?: EmbeddedOptions
}

export default fp(async function backend (fastify, options: BackendOptions) {
  const { backendUrl: url, backendModel: model, backendKey: key, backendSearch: candidates = [], backendDeadlines: deadlines, engine } = options
  const isOwn = (url: URL) => listensAt(fastify.server, url)
  const chosen = await chooseBackend({ url, model, key, deadlines, candidates, isOwn }, { log: fastify.log, embedded: engine && embedded(engine, fastify.log) })
  fastify.decorate<Backend>('backend', chosen)
  fastify.decorate('fitsInput', (request: AgentRequest, limit: number) => {
    const input = inputOf(request)
    return surelyFits(input, limit) || chosen.countTokens(input, limit).then(count => count <= limit)
  })
  fastify.addHook('onClose', async () => { await chosen.close() })
}, { name: 'backend' })

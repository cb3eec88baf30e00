import fp from 'fastify-plugin'
import type { Backend } from '../../agents/types.js'
import { HttpBackend } from './http-backend.js'
import { NoBackend } from './no-backend.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The language model that agents think with. */
    backend: Backend
  }
}

export interface BackendOptions {
  backendUrl?: string
  backendModel?: string
  backendKey?: string
}

export default fp(async function backend (fastify, { backendUrl, backendModel, backendKey }: BackendOptions) {
  fastify.decorate<Backend>('backend', backendUrl === undefined
    ? new NoBackend()
    : new HttpBackend({ url: backendUrl, model: backendModel, key: backendKey, log: fastify.log }))
}, { name: 'backend' })

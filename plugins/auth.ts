import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { InvalidApiKey } from '../schemas/errors.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Served even without an API key. */
    open?: boolean
  }
}

export interface AuthOptions { apiKey?: string }

const digest = (text: string) => createHash('sha256').update(text).digest()

// With --api-key every route needs the key unless it says `config: { open: true }`, so a route that is added later is guarded.
export default fp(async function auth (fastify, { apiKey }: AuthOptions) {
  if (apiKey === undefined) return
  if (apiKey === '') throw new Error('The API key must not be empty.')
  const expected = digest(apiKey)

  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isOpen(request)) return done()
    // All digests have the same length, so the time of the comparison reveals nothing about the key.
    if (timingSafeEqual(digest(keyOf(request)), expected)) return done()
    // A browser that opens /docs can ask its user for a password only: that password is the key.
    done(new InvalidApiKey(/^\/+(?:v1\/|mcp\b)/.test(request.url) ? 'Bearer' : 'Basic realm="svc, the password is the API key"'))
  })
}, { name: 'auth', dependencies: ['cors'] })

function isOpen (request: FastifyRequest): boolean {
  if (request.is404) return !/^\/+v1(\/|$)/.test(request.url) // anybody gets a 404 for an unknown path, except below /v1
  return request.routeOptions.config.open === true
}

function keyOf (request: FastifyRequest): string {
  const [, scheme = '', value = ''] = /^(\w+) +([^ ].*)$/.exec((request.headers.authorization ?? '').trim()) ?? []
  if (scheme.toLowerCase() !== 'basic') return scheme.toLowerCase() === 'bearer' ? value : ''
  return Buffer.from(value, 'base64').toString().replace(/^[^:]*:/, '')
}

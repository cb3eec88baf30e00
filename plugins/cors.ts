import cors from '@fastify/cors'
import fp from 'fastify-plugin'

export interface CorsOptions {
  /** Origins that may call; all of them where none is given. */
  corsOrigin?: string[]
}

// All origins by default, as the specification asks. Hooks that may refuse a request come after this one,
// so that a browser can read their errors.
export default fp(async function crossOrigin (fastify, { corsOrigin = [] }: CorsOptions) {
  await fastify.register(cors, {
    origin: corsOrigin.length === 0 ? '*' : corsOrigin,
    methods: 'GET,HEAD,POST',
    exposedHeaders: 'x-request-id, x-ignored-parameters, retry-after, x-should-retry',
    maxAge: 600,
    strictPreflight: false // a bare OPTIONS gets 204 instead of a plain-text 400
  })
}, { name: 'cors' })

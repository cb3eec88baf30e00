import cors from '@fastify/cors'
import fp from 'fastify-plugin'

export interface CorsOptions {
  /** Origins that may call; all of them where none is given. */
  corsOrigin?: string[]
}

const EXPOSED = 'x-request-id, x-ignored-parameters, retry-after, x-should-retry'

/** Pages of any origin may call. */
export function isOpen (corsOrigin: readonly string[]): boolean {
  return corsOrigin.length === 0 || corsOrigin.includes('*')
}

/** For what is answered before any hook runs. */
export function corsHeaders (allowed: string[] = [], origin?: string): Record<string, string> {
  const expose = { 'access-control-expose-headers': EXPOSED }
  if (isOpen(allowed)) return { 'access-control-allow-origin': '*', ...expose }
  return { vary: 'Origin', ...(origin !== undefined && allowed.includes(origin) && { 'access-control-allow-origin': origin, ...expose }) }
}

// All origins by default, as the specification asks. Hooks that may refuse a request come after this one,
// so that a browser can read their errors.
export default fp(async function crossOrigin (fastify, { corsOrigin = [] }: CorsOptions) {
  await fastify.register(cors, {
    origin: isOpen(corsOrigin) ? '*' : corsOrigin,
    methods: 'GET,HEAD,POST',
    exposedHeaders: EXPOSED,
    maxAge: 600,
    strictPreflight: false // a bare OPTIONS gets 204 instead of a plain-text 400
  })
}, { name: 'cors' })

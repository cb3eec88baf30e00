import cors from '@fastify/cors'
import fp from 'fastify-plugin'

export interface CorsOptions {
  /** Origins whose pages may call the service; all origins if the list is empty. */
  corsOrigin?: string[]
}

const EXPOSED = 'x-request-id, x-ignored-parameters, retry-after, x-should-retry'

/** Whether pages of any origin may call. */
export function isOpen (corsOrigin: readonly string[]): boolean {
  return corsOrigin.length === 0 || corsOrigin.includes('*')
}

/** The CORS headers for replies that are sent before any hook runs. */
export function corsHeaders (allowed: string[] = [], origin?: string): Record<string, string> {
  const expose = { 'access-control-expose-headers': EXPOSED }
  if (isOpen(allowed)) return { 'access-control-allow-origin': '*', ...expose }
  const isAllowed = origin !== undefined && allowed.includes(origin)
  return { vary: 'Origin', ...(isAllowed && { 'access-control-allow-origin': origin, ...expose }) }
}

// All origins may call by default, as the specification says. Hooks that refuse requests run after this one,
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

import { randomUUID } from 'node:crypto'
import type { Server } from 'node:net'
import fp from 'fastify-plugin'

/** Tells this process from any other that answers on its port: `status`, `stop` and the search for a language model ask for it. */
export const instance = randomUUID()

export const INSTANCE_HEADER = 'x-svc-instance'

const MODELS = '/v1/models'

// Whoever looks for a language model asks for the list of models. The very answer that looks like one tells that it is
// none, a 401 as well: with a second request, a busy service would not be known while that one is late.
export default fp(async function identity (fastify) {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.url === MODELS) reply.header(INSTANCE_HEADER, instance)
    done()
  })
}, { name: 'identity' })

/** Whether a server listens at the address of a URL. Names are not looked up. */
export function listensAt (server: Server, { hostname, port, protocol }: URL): boolean {
  const own = server.address()
  if (own === null || typeof own === 'string' || own.port !== Number(port || (protocol === 'https:' ? 443 : 80))) return false
  const called = hostname.replace(/^\[|\]$/g, '')
  return called === own.address || (isLoopback(called) && isAny(own.address))
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')
const isAny = (address: string) => address === '0.0.0.0' || address === '::'

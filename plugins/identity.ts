import { randomUUID } from 'node:crypto'
import type { Server } from 'node:net'
import fp from 'fastify-plugin'

/** Identifies this process: `status`, `stop` and the search for a language model use it to recognise who answers on a port. */
export const instance = randomUUID()

export const INSTANCE_HEADER = 'x-svc-instance'

const MODELS = '/v1/models'

// A service that searches for a language model requests /v1/models of every candidate. This header in that same reply (also in a
// 401) says that this is not a language model server: a second request could be late if the service is busy.
export default fp(async function identity (fastify) {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.url === MODELS) reply.header(INSTANCE_HEADER, instance)
    done()
  })
}, { name: 'identity' })

/** Whether a server listens at the address of a URL. Host names are not resolved. */
export function listensAt (server: Server, { hostname, port, protocol }: URL): boolean {
  const own = server.address()
  if (own === null || typeof own === 'string' || own.port !== Number(port || (protocol === 'https:' ? 443 : 80))) return false
  const called = hostname.replace(/^\[|\]$/g, '')
  return called === own.address || (isLoopback(called) && isAny(own.address))
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')
const isAny = (address: string) => address === '0.0.0.0' || address === '::'

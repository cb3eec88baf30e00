import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'

// The caller's id is used if it is safe in a header and a log line.
const FIT = /^[\x21-\x7e]{1,200}$/

export function genReqId (request: IncomingMessage | { headers: NodeJS.Dict<string | string[]> }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && FIT.test(given) ? given : randomUUID()
}

/** Every response has `x-request-id`. */
export default fp(async function requestId (fastify) {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}, { name: 'request-id' })

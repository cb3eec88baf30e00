// Fastify with the service's own schemas and its Ajv options (see app.ts), and nothing else, for comparison.
import Fastify from 'fastify'
import { createJiti } from 'jiti'
import { plays } from '../agents/bench/agent.mjs'
import { listens } from './probe.mjs'
import { STREAM_HEADERS, completion, headers, stream, signalOf } from './replies.mjs'

const { ChatRequest, ChatCompletion } = await createJiti(import.meta.url, { fsCache: false }).import('../../../schemas/chat.ts')

const app = Fastify({
  ajv: {
    customOptions: {
      coerceTypes: false, removeAdditional: false, useDefaults: false, discriminator: true, allowUnionTypes: true, verbose: true
    }
  }
})

app.post('/v1/chat/completions', { schema: { body: ChatRequest, response: { 200: ChatCompletion } } }, async (request, reply) => {
  const { model, stream: streamed } = request.body
  const events = plays[model](signalOf(reply.raw, model))
  reply.headers(headers())
  if (!streamed) return completion(model, events)
  reply.hijack()
  reply.raw.writeHead(200, { ...reply.getHeaders(), ...STREAM_HEADERS })
  void stream(reply.raw, model, events)
  return reply
})

await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
listens(app.server.address().port)

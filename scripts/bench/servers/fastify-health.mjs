// The simplest Fastify server for /health, with which the service's start-up is compared. Its argument is the port.
import Fastify from 'fastify'

const app = Fastify()
app.get('/health', {
  schema: { response: { 200: { type: 'object', properties: { status: { type: 'string' }, service: { type: 'string' } } } } }
}, async () => ({ status: 'ok', service: 'bare' }))
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' })

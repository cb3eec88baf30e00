import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { ErrorBody } from '../schemas/errors.js'
import { SERVICE } from '../schemas/health.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The schema of an event, for a route that can also answer with an event stream. */
    events?: object
  }
  interface FastifyInstance {
    /** A second Fastify instance, made at the first call, that serves the description of this one. */
    docs (): Promise<FastifyInstance>
  }
}

/**
 * The OpenAPI description is made from the routes' own schemas when it is first requested: most servers never need to load
 * the packages that make it.
 */
export default fp(async function openapi (fastify, { version }: { version: string }) {
  const routes: RouteOptions[] = []
  let docs: Promise<FastifyInstance> | undefined

  fastify.addHook('onRoute', route => { if (!route.schema?.hide && route.method !== 'HEAD') routes.push(route) })
  fastify.decorate('docs', () => docs ??= describe(routes, version).catch((error: unknown) => {
    docs = undefined // the next request tries again
    throw error
  }))
  fastify.addHook('onClose', async () => { await (await docs?.catch(() => undefined))?.close() })
}, { name: 'openapi' })

async function describe (routes: RouteOptions[], version: string): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: ui }] = await Promise.all([import('@fastify/swagger'), import('@fastify/swagger-ui')])
  const docs = Fastify({ exposeHeadRoutes: false })
  docs.setValidatorCompiler(() => () => true)
  docs.setSerializerCompiler(() => JSON.stringify)
  await docs.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: SERVICE, version, description: 'Software agents as chat-completion models.' },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'Only where the service was started with --api-key' } }
      },
      security: [{}, { key: [] }]
    }
  })
  await docs.register(ui, { routePrefix: '/docs', logo: undefined as never })
  for (const { method, url, schema, config } of routes) {
    if (!schema) continue
    const response: Record<string, unknown> = { ...schema.response as object, ...(config?.open !== true && { 401: ErrorBody }) }
    if (config?.events) {
      const content = { 'application/json': { schema: response[200] }, 'text/event-stream': { schema: config.events } }
      response[200] = { description: 'One JSON body, or a stream of events', content }
    }
    docs.route({ method, url, schema: { ...schema, response }, handler: async () => undefined })
  }
  await docs.ready()
  return docs
}

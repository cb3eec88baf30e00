import fp from 'fastify-plugin'
import type { Serving } from './mcp/server.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The agents and the sandbox as tools of the Model Context Protocol. What speaks it is loaded by the first call. */
    mcp (): Promise<Serving>
  }
}

export default fp(async function mcp (fastify, { version }: { version: string }) {
  let made: Promise<Serving> | undefined
  fastify.decorate('mcp', () => made ??= make().catch((error: unknown) => {
    made = undefined // it may work the next time
    throw error
  }))

  async function make (): Promise<Serving> {
    const [{ serving }, { agentTools }, { codeTools }] = await Promise.all([
      import('./mcp/server.js'), import('./mcp/agent-tools.js'), import('./mcp/code-tools.js')
    ])
    const code = codeTools(fastify)
    const agents = agentTools(fastify, code.map(({ listed }) => listed.name))
    return serving([...agents, ...code], { version, log: fastify.log })
  }
}, { name: 'mcp', dependencies: ['agents', 'runs', 'sandbox'] })

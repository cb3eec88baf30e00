import fp from 'fastify-plugin'
import type { McpServing } from './mcp/server.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The agents and the sandbox as tools of the Model Context Protocol. The first call loads the protocol's SDK. */
    mcp (): Promise<McpServing>
  }
}

export default fp(async function mcp (fastify, { version }: { version: string }) {
  let loading: Promise<McpServing> | undefined
  fastify.decorate('mcp', () => loading ??= load().catch((error: unknown) => {
    loading = undefined // the next call tries again
    throw error
  }))

  async function load (): Promise<McpServing> {
    const [{ mcpServing }, { agentTools }, { codeTools }] = await Promise.all([
      import('./mcp/server.js'), import('./mcp/agent-tools.js'), import('./mcp/code-tools.js')
    ])
    const code = codeTools(fastify)
    const agents = agentTools(fastify, code.map(({ listed }) => listed.name))
    return mcpServing([...agents, ...code], { version, log: fastify.log })
  }
}, { name: 'mcp', dependencies: ['agents', 'runs', 'sandbox'] })

import fp from 'fastify-plugin'
import type { Jobs } from './mcp/jobs.js'
import type { McpServing } from './mcp/server.js'

export interface McpOptions {
  version: string
  /** How many milliseconds jobs may take to finish at shutdown. */
  drain?: number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The agents and the sandbox as tools of the Model Context Protocol. The first call loads the protocol's SDK. */
    mcp (): Promise<McpServing>
  }
}

export default fp(async function mcp (fastify, { version, drain = 10_000 }: McpOptions) {
  let jobs: Jobs | undefined
  let loading: Promise<McpServing> | undefined
  fastify.decorate('mcp', () => loading ??= load().catch((error: unknown) => {
    loading = undefined // the next call tries again
    throw error
  }))

  fastify.addHook('preClose', async () => { await jobs?.close(drain) })

  async function load (): Promise<McpServing> {
    const [{ mcpServing }, { agentTools }, { codeTools }, { Jobs }] = await Promise.all([
      import('./mcp/server.js'), import('./mcp/agent-tools.js'), import('./mcp/code-tools.js'), import('./mcp/jobs.js')
    ])
    jobs ??= new Jobs()
    const code = codeTools(fastify, jobs)
    const agents = agentTools(fastify, code.map(({ listed }) => listed.name))
    return mcpServing([...agents, ...code], { version, log: fastify.log })
  }
}, { name: 'mcp', dependencies: ['agents', 'runs', 'sandbox'] })

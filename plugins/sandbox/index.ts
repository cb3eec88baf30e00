import fp from 'fastify-plugin'
import type { Sandbox } from '../../agents/types.js'
import { LocalSandbox } from './sandbox.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Checks and runs code that nobody has read. */
    sandbox: Sandbox
  }
}

export interface CodeOptions {
  /** A node_modules folder whose packages generated TypeScript may import. */
  packages?: string
  /** How many pieces of code may be checked or run at once. */
  maxProcesses?: number
}

export default fp(async function sandbox (fastify, { packages, maxProcesses }: CodeOptions) {
  const local = new LocalSandbox({
    log: fastify.log,
    ...(packages !== undefined && { packages }),
    ...(maxProcesses !== undefined && { processes: maxProcesses })
  })
  fastify.decorate<Sandbox>('sandbox', local)
  fastify.addHook('onClose', async () => await local.close())
}, { name: 'sandbox' })

import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Acceptable, Agent, AgentEntry, AgentLimits, AgentServices } from '../agents/types.js'
import { ModelNotFound } from '../schemas/errors.js'
import { SERVICE } from '../schemas/health.js'
import type { Model } from '../schemas/model.js'
import { type AgentFolder, agentFolders } from './agents/folders.js'
import { AgentStartError, build } from './agents/build.js'
import { Deadline } from './agents/deadline.js'
import { loadPlugin } from './agents/modules.js'
import { hooksWithin, rejectingWithErrors } from './agents/scope.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The agents, by model id. The plugin of an agent registers the agent here while the service starts. */
    agents: Agents
  }
}

export interface AgentsOptions {
  /** The folders that hold agents, each agent in a folder of its own. */
  agentsDirs: string[]
  /** Agents that were compiled with the service: the compiled index file, by the agent's folder. */
  compiled?: Record<string, string>
  /** Further model names, each with the id of the agent that serves it. */
  aliases?: Record<string, string>
  /** Passed to each agent's plugin as its plugin options. */
  options?: Record<string, unknown>
  /** How many milliseconds an agent folder has to become ready. */
  agentTimeout?: number
}

export interface RegisteredAgent {
  id: string
  agent: Agent
  accepts: readonly Acceptable[]
  concurrency: number | undefined
  model: Model
}

export interface Agents {
  register (id: string, entry: AgentEntry): void
  /** The agent of a model id or an alias. */
  get (id: string): RegisteredAgent
  list (): RegisteredAgent[]
}

export default fp(async function agents (fastify, {
  agentsDirs, compiled = {}, aliases = {}, options = {}, agentTimeout = 30_000
}: AgentsOptions) {
  const known = new Map<string, RegisteredAgent & { folder: AgentFolder }>()
  const serving = new Map<string, RegisteredAgent>()

  const registry: Agents = {
    register (id) {
      throw new Error(`agents.register('${id}') is for the plugins of agents: call it in the index of a folder below agents/`)
    },
    get (id) {
      const found = serving.get(id)
      if (!found) throw new ModelNotFound(id, [...known.keys()])
      return found
    },
    list: () => [...known.values()]
  }
  fastify.decorate('agents', registry)

  for (const folder of await agentFolders(agentsDirs, compiled, fastify.log)) {
    const deadline = new Deadline(agentTimeout, { folder, log: fastify.log })
    for (const [id, entry] of await entriesOf(folder, fastify, { registry, options, deadline })) {
      const other = known.get(id)
      if (other) throw new AgentStartError(folder, id, `the id is taken by the agent in ${other.folder.path}`)
      const services: AgentServices = { backend: fastify.backend, sandbox: fastify.sandbox, log: fastify.log.child({ agent: id }) }
      const { agent, limits, accepts } = await build(folder, id, entry, services, deadline)
      known.set(id, { id, agent, accepts, concurrency: entry.concurrency, folder, model: modelOf(id, entry, limits) })
    }
  }

  for (const [id, agent] of known) serving.set(id, agent)
  for (const [alias, id] of Object.entries(aliases)) {
    const agent = known.get(id)
    if (!agent) throw new Error(`--alias ${alias}=${id}: there is no agent '${id}'. Agents: ${[...known.keys()].join(', ') || 'none'}.`)
    if (known.has(alias)) throw new Error(`--alias ${alias}=${id}: '${alias}' is an agent itself.`)
    serving.set(alias, agent)
  }
}, { name: 'agents', dependencies: ['backend', 'sandbox'] })

const NOTHING_REGISTERED =
  'its plugin registers no agent: call fastify.agents.register(id, { class_name, init_params, description })'

interface Loading { registry: Agents, options: Record<string, unknown>, deadline: Deadline }

/** Runs the plugin of a folder and collects what it registers. */
async function entriesOf (
  folder: AgentFolder, fastify: FastifyInstance, { registry, options, deadline }: Loading
): Promise<Map<string, AgentEntry>> {
  const entries = new Map<string, AgentEntry>()
  let open = true
  const registrar: Agents = {
    ...registry,
    register (id, entry) {
      if (!open) throw new AgentStartError(folder, id, 'agents.register comes too late: call it while its plugin loads')
      if (typeof id !== 'string' || id === '') throw new TypeError('the id of an agent must be a string that is not empty')
      if (entries.has(id)) throw new Error(`the id '${id}' is registered twice`)
      entries.set(id, entry)
    }
  }
  try {
    const plugin = await deadline.within(`loading ${basename(folder.index)}`, loadPlugin(folder))
    // Each folder gets a scope of its own, whose `agents.register` belongs to this folder.
    await deadline.within('its plugin', fastify.register(async scope => {
      Object.defineProperty(scope, 'agents', { value: registrar })
      hooksWithin(scope, folder, deadline.length)
      await scope.register(rejectingWithErrors(plugin), options)
    }))
  } catch (error) {
    throw new AgentStartError(folder, [...entries.keys()].at(-1), error)
  }
  open = false
  if (entries.size === 0) throw new AgentStartError(folder, undefined, NOTHING_REGISTERED)
  return entries
}

function modelOf (id: string, { description }: AgentEntry, limits: AgentLimits): Model {
  return { id, object: 'model', created: Math.floor(Date.now() / 1000), owned_by: SERVICE, description, ...limits }
}

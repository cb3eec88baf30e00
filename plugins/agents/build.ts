import { basename, join } from 'node:path'
import type { Acceptable, Agent, AgentClass, AgentEntry, AgentLimits, AgentServices } from '../../agents/types.js'
import { messageOf } from '../../schemas/errors.js'
import { ACCEPTABLE } from '../../schemas/settings.js'
import type { Deadline } from './deadline.js'
import { type AgentFolder, sourceFile } from './folders.js'
import { load } from './modules.js'

/** Why the service does not start: the folder, the id where one is known, and the cause. */
export class AgentStartError extends Error {
  override name = 'AgentStartError'

  constructor (folder: AgentFolder, id: string | undefined, cause: unknown) {
    const reason = messageOf(cause)
    super(`The agent in ${folder.path}${id === undefined ? '' : ` (id '${id}')`} cannot be used: ${reason}`, { cause })
  }
}

/** An agent in an object of its own: a promise of the agent itself would call its `then`, should it have such a method. */
interface Built { agent: Agent, limits: AgentLimits, accepts: readonly Acceptable[] }

/** Makes the agent of a registry entry. Throws an error that says what is wrong with the entry or the agent. */
export async function build (
  folder: AgentFolder, id: string, entry: AgentEntry, services: AgentServices, deadline: Deadline
): Promise<Built> {
  try {
    checkEntry(entry)
    const Class = await classOf(folder, entry.class_name, deadline)
    const agent = new Class(entry.init_params, services)
    return { agent, limits: limitsOf(agent, entry.class_name), accepts: acceptedBy(agent, entry.class_name) }
  } catch (error) {
    throw new AgentStartError(folder, id, error)
  }
}

function checkEntry (entry: Partial<AgentEntry> | undefined): asserts entry is AgentEntry {
  if (typeof entry !== 'object' || entry === null) {
    throw new TypeError('its entry must be an object with class_name, init_params and description')
  }
  const { class_name: className, init_params: params, description, concurrency } = entry
  if (typeof className !== 'string') throw new TypeError('class_name must be a dotted path such as "echo.agent.EchoAgent"')
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new TypeError('init_params must be an object; {} where there are none')
  }
  if (typeof description !== 'string' || description.trim() === '') throw new TypeError('description must be a text that is not empty')
  const isConcurrency = concurrency === undefined || (Number.isInteger(concurrency) && concurrency > 0)
  if (!isConcurrency) throw new TypeError('concurrency must be a whole number above 0, or left out')
}

async function classOf (folder: AgentFolder, className: string, deadline: Deadline): Promise<AgentClass> {
  const parts = className.split('.')
  const name = parts.pop() ?? ''
  if (parts.length === 0 || ![...parts, name].every(part => /^[\w$-]+$/.test(part))) {
    throw new TypeError(`class_name '${className}' is no dotted path such as "${folder.name}.agent.SomeAgent"`)
  }
  const module = join(folder.parent, ...parts)
  const file = module === folder.path ? folder.index : await sourceFile(module)
  if (file === undefined) {
    throw new Error(`class_name '${className}' names the module ${parts.join('/')}, and there is no such file in ${folder.parent}`)
  }
  const exports = await deadline.within(`loading ${basename(file)}`, load(file))
  const found = exports[name]
  if (typeof found !== 'function') {
    const names = Object.keys(exports).join(', ') || 'nothing'
    throw new Error(`class_name '${className}': ${file} has no export ${name}; it exports ${names}`)
  }
  return found as AgentClass
}

/** Calls modelInfo() once, so that the model list shows the values that were checked. */
function limitsOf (agent: Partial<Agent>, className: string): AgentLimits {
  if (typeof agent.reply !== 'function') throw new TypeError(`${className} has no method reply()`)
  if (typeof agent.modelInfo !== 'function') throw new TypeError(`${className} has no method modelInfo()`)
  const info: Partial<AgentLimits> | undefined = agent.modelInfo()
  const limits: AgentLimits = { max_input_tokens: 0, max_output_tokens: 0 }
  for (const limit of ['max_input_tokens', 'max_output_tokens'] as const) {
    const value = info?.[limit]
    if (value === undefined || !Number.isInteger(value) || value <= 0) {
      throw new TypeError(`${className}.modelInfo() must return ${limit} as a whole number above 0`)
    }
    limits[limit] = value
  }
  return limits
}

function acceptedBy ({ accepts = [] }: { accepts?: unknown }, className: string): readonly Acceptable[] {
  if (!Array.isArray(accepts)) throw new TypeError(`${className}.accepts must be an array of ${ACCEPTABLE.join(', ')}`)
  return accepts.map((name: unknown) => {
    const known = ACCEPTABLE.find(acceptable => acceptable === name)
    if (known === undefined) throw new TypeError(`${className}.accepts names ${JSON.stringify(name)}; it may name ${ACCEPTABLE.join(', ')}`)
    return known
  })
}

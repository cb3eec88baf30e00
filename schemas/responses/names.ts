import { InvalidRequest } from '../errors.js'
import { isObject } from '../settings.js'

// Codex offers the tools of each MCP server as a namespace, which is a tool that contains other tools. The model gets them as ordinary
// functions, whose names are made of the namespace and the name. The caller gets calls of them with both parts apart again.

export interface OfferedTool { tool: Record<string, unknown>, type: string, field: string, namespace?: string }

/** The tools of a request and of its namespaces. Throws an error that names the first one that is not valid. */
export function * offered (tools: readonly unknown[], list = 'tools', namespace?: string): Generator<OfferedTool> {
  for (const [index, tool] of tools.entries()) {
    const field = `${list}[${index}]`
    if (!isObject(tool)) throw new InvalidRequest(`${field} must be an object`)
    const { type, name, tools: inner } = tool
    if (typeof type !== 'string') throw new InvalidRequest(`${field}.type must be a string`)
    if (type !== 'namespace' || namespace !== undefined) {
      yield { tool, type, field, ...(namespace !== undefined && { namespace }) }
      continue
    }
    if (typeof name !== 'string' || name === '') throw new InvalidRequest(`${field}.name must be a string that is not empty`)
    if (!Array.isArray(inner)) throw new InvalidRequest(`${field}.tools must be an array`)
    yield * offered(inner, `${field}.tools`, name)
  }
}

/** The name of a function for the model. */
export function nameOf ({ name, namespace }: { name?: unknown, namespace?: unknown }): unknown {
  return typeof name === 'string' && typeof namespace === 'string' ? `${namespace}__${name}` : name
}

export type Names = ReadonlyMap<string, { name: string, namespace: string }>

/** The functions in namespaces, by their names for the model. */
export function namesIn (tools: unknown): Names {
  const names = new Map<string, { name: string, namespace: string }>()
  for (const { tool: { name }, namespace } of Array.isArray(tools) ? offered(tools) : []) {
    if (namespace !== undefined && typeof name === 'string') names.set(String(nameOf({ name, namespace })), { name, namespace })
  }
  return names
}

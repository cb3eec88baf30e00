import type { Acceptable, ResponseFormat, Settings, Tool, ToolChoice } from '../../agents/types.js'
import { InvalidRequest } from '../errors.js'
import { nestsTooDeeply } from '../nesting.js'
import { callOf, effortOf, functionOf, isGiven, isObject, schemaFormatOf, toolSettings } from '../settings.js'
import { type OfferedTool, nameOf, offered } from './names.js'
import { ResponsesRequest } from './request.js'

// The same settings as those of a chat completion, in the form of the Responses API.

/** The accepted settings of a request. Throws an error that names the first field that is not valid. */
export function responsesSettings (body: ResponsesRequest, accepts: readonly Acceptable[]): Settings {
  const format = body.text?.format
  const effort = body.reasoning?.effort
  return {
    ...(accepts.includes('tools') && toolsOf(body)),
    ...(accepts.includes('response_format') && isGiven(format) && { response_format: formatOf(format) }),
    ...(accepts.includes('reasoning_effort') && isGiven(effort) && { reasoning_effort: effortOf(effort, 'reasoning.effort') })
  }
}

function toolsOf ({ tools: given, tool_choice: choice, parallel_tool_calls: parallel }: ResponsesRequest): Settings {
  if (isGiven(given) && !Array.isArray(given)) throw new InvalidRequest('tools must be an array')
  const tools = [...offered((given ?? []) as unknown[])].filter(({ type }) => type === 'function').map(toolOf)
  const allowed = isObject(choice) && choice.type === 'allowed_tools' ? allowedOf(choice, tools) : tools
  return toolSettings(allowed, parallel, tools => isGiven(choice) ? choiceOf(choice, tools) : undefined)
}

function toolOf ({ tool, field, namespace }: OfferedTool): Tool {
  if (nestsTooDeeply(tool)) throw new InvalidRequest(`${field} is nested too deeply`)
  const { name, description, parameters, strict } = tool
  const made = { name: nameOf({ name, namespace }), description, parameters, ...(isGiven(strict) && { strict }) }
  return { type: 'function', function: functionOf(made, field) }
}

const CHOICES = 'tool_choice must be "none", "auto", "required", {"type": "function", "name": ...}, or '
  + '{"type": "allowed_tools", "mode", "tools"}'

function choiceOf (choice: unknown, tools: readonly Tool[]): ToolChoice {
  if (choice === 'none' || choice === 'auto') return choice
  if (choice === 'required') return callOf(tools)
  if (!isObject(choice)) throw new InvalidRequest(CHOICES)
  if (choice.type === 'allowed_tools') return choice.mode === 'required' ? callOf(tools) : 'auto'
  const name = nameOf(choice)
  if (choice.type !== 'function' || typeof name !== 'string') throw new InvalidRequest(CHOICES)
  return callOf(tools, name)
}

/** The tools that `tool_choice` allows. */
function allowedOf ({ mode, tools: allowed }: Record<string, unknown>, tools: Tool[]): Tool[] {
  if (mode !== 'auto' && mode !== 'required') throw new InvalidRequest('tool_choice.mode must be "auto" or "required"')
  if (!Array.isArray(allowed)) throw new InvalidRequest('tool_choice.tools must be an array')
  const names = new Set((allowed as unknown[]).map(tool => isObject(tool) ? nameOf(tool) : undefined))
  return tools.filter(tool => names.has(tool.function.name))
}

function formatOf (format: unknown): ResponseFormat {
  if (!isObject(format)) throw new InvalidRequest('text.format must be an object')
  const { type, ...described } = format
  if (type === 'text' || type === 'json_object') return { type }
  if (type !== 'json_schema') throw new InvalidRequest('text.format.type must be one of text, json_object, json_schema')
  return schemaFormatOf(described, 'text.format')
}

// The fields of `text` and `reasoning` that are used, with the setting that an agent must accept for each.
const INNER = {
  text: { format: 'response_format' },
  reasoning: { effort: 'reasoning_effort', summary: undefined }
} as const satisfies Record<string, Record<string, Acceptable | undefined>>
const TOOL_FIELDS = ['tools', 'tool_choice', 'parallel_tool_calls'] as const
const KNOWN = new Set(Object.keys(ResponsesRequest.properties))

/** The names of the parameters that neither the service nor an agent with these accepted settings uses. */
export function ignoredInResponses (body: ResponsesRequest, accepts: readonly Acceptable[]): string[] {
  const ignored = Object.entries(body).filter(([name, value]) => !KNOWN.has(name) && value !== null).map(([name]) => name)
  if (!accepts.includes('tools')) ignored.push(...TOOL_FIELDS.filter(name => isGiven(body[name])))
  else if (Array.isArray(body.tools)) ignored.push(...[...offered(body.tools)].filter(({ type }) => type !== 'function').map(leftOut))
  for (const outer of ['text', 'reasoning'] as const) {
    const known: Record<string, Acceptable | undefined> = INNER[outer]
    for (const [name, value] of Object.entries(body[outer] ?? {})) {
      const setting = known[name]
      if (value !== null && (!Object.hasOwn(known, name) || (setting && !accepts.includes(setting)))) ignored.push(`${outer}.${name}`)
    }
  }
  if (body.store === true) ignored.push('store')
  if (isGiven(body.truncation) && body.truncation !== 'disabled') ignored.push('truncation')
  return ignored
}

function leftOut ({ tool: { name }, type, namespace }: OfferedTool): string {
  return `tools.${String(nameOf({ name: typeof name === 'string' ? name : type, namespace }))}`
}

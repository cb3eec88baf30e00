import * as Type from 'typebox'
import type { Acceptable, Effort, ResponseFormat, Settings, Tool, ToolChoice } from '../agents/types.js'
import { InvalidRequest, quote } from './errors.js'
import { nestsTooDeeply } from './nesting.js'

// Settings that only some agents accept. Where an agent does not accept one, any value of it is ignored, so the schema of the
// request only describes them: their values are checked here, once the agent is known.

export const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']
const MOST_STOPS = 64

const described = (description: string, example: unknown) => Type.Optional(Type.Unknown({ description, examples: [example] }))

const TOOL = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }
}

export const settings = {
  tools: described('An array of functions that the caller can run, each with a name and a JSON schema of its parameters. '
    + 'The reply may then hold tool_calls', [TOOL]),
  tool_choice: described('"none", "auto" (the default), "required", or {"type": "function", "function": {"name": ...}}', 'auto'),
  parallel_tool_calls: described('false: at most one call in a reply', true),
  response_format: described('{"type": "text"}, {"type": "json_object"}, or {"type": "json_schema", "json_schema": {"name", "schema"}}',
    { type: 'json_object' }),
  reasoning_effort: described(`How much the reply may cost: one of ${EFFORTS.join(', ')}. svc-code makes one call of the language `
    + 'model for none, minimal and low, up to 8 for medium (the default) and up to 16 for high and xhigh', 'medium'),
  stop: described('A text, or an array of texts, before which the reply ends', ['\n\n']),
  seed: described('An integer: the same request with the same seed gives the same reply where the language model can do that', 1)
}

type Field = keyof typeof settings
type Given = { [field in Field]?: unknown }

const FIELDS: Record<Acceptable, readonly Field[]> = {
  tools: ['tools', 'tool_choice', 'parallel_tool_calls'],
  response_format: ['response_format'],
  reasoning_effort: ['reasoning_effort'],
  stop: ['stop'],
  seed: ['seed']
}

export const ACCEPTABLE = Object.keys(FIELDS) as Acceptable[]

/** The fields of a request behind these names. */
export function namesOf (accepts: readonly Acceptable[]): Set<string> {
  return new Set(accepts.flatMap(name => FIELDS[name]))
}

/** The accepted settings of a request. Throws an error that names the first field that is not valid. */
export function settingsOf (body: Given, accepts: readonly Acceptable[]): Settings {
  const given: Given = {}
  for (const field of accepts.flatMap(name => FIELDS[name])) if (isGiven(body[field])) given[field] = body[field]
  const read: Settings = { ...toolsOf(given) }
  if (given.response_format !== undefined) read.response_format = formatOf(given.response_format)
  if (given.reasoning_effort !== undefined) read.reasoning_effort = effortOf(given.reasoning_effort)
  const stop = stopsOf(given.stop ?? [])
  if (stop.length > 0) read.stop = stop
  if (given.seed !== undefined) read.seed = seedOf(given.seed)
  return read
}

function toolsOf ({ tools: given, tool_choice: choice, parallel_tool_calls: parallel }: Given): Settings {
  if (given !== undefined && !Array.isArray(given)) throw new InvalidRequest('tools must be an array')
  return toolSettings((given ?? []).map(toolOf), parallel, tools => choice === undefined ? undefined : choiceOf(choice, tools))
}

/** The settings of an agent that accepts `tools`. */
export function toolSettings (tools: Tool[], parallel: unknown, choose: (tools: readonly Tool[]) => ToolChoice | undefined): Settings {
  if (isGiven(parallel) && typeof parallel !== 'boolean') throw new InvalidRequest('parallel_tool_calls must be a boolean')
  const chosen = choose(tools)
  if (tools.length === 0) return {} // several clients send an empty array where they have none
  return { tools, ...(chosen !== undefined && { tool_choice: chosen }), ...(isGiven(parallel) && { parallel_tool_calls: parallel }) }
}

function toolOf (tool: unknown, index: number): Tool {
  const field = `tools[${index}]`
  if (!isObject(tool)) throw new InvalidRequest(`${field} must be an object`)
  const { type = 'function', function: described } = tool
  if (type !== 'function') throw new InvalidRequest(`${field}.type must be "function"; no other kind of tool is served`)
  if (!isObject(described)) throw new InvalidRequest(`${field}.function must be an object`)
  if (nestsTooDeeply(tool)) throw new InvalidRequest(`${field} is nested too deeply`)
  return { type, function: functionOf(described, `${field}.function`) }
}

/** Reads the description of a function. Both endpoints use it; `field` names the function in errors. */
export function functionOf (described: Record<string, unknown>, field: string): Tool['function'] {
  const { name, description, parameters, ...more } = described
  if (typeof name !== 'string' || name === '') throw new InvalidRequest(`${field}.name must be a string that is not empty`)
  if (isGiven(description) && typeof description !== 'string') throw new InvalidRequest(`${field}.description must be a string`)
  const schema = isGiven(parameters) ? parameters : undefined
  if (schema !== undefined && !isObject(schema)) throw new InvalidRequest(`${field}.parameters must be a JSON schema: an object`)
  return { name, ...(isGiven(description) && { description }), ...(schema && { parameters: schema }), ...more }
}

function choiceOf (choice: unknown, tools: readonly Tool[]): ToolChoice {
  if (choice === 'none' || choice === 'auto') return choice
  const name = isObject(choice) && choice.type === 'function' && isObject(choice.function) ? choice.function.name : undefined
  if (choice !== 'required' && typeof name !== 'string') {
    throw new InvalidRequest('tool_choice must be "none", "auto", "required", or {"type": "function", "function": {"name": ...}}')
  }
  return callOf(tools, typeof name === 'string' ? name : undefined)
}

/** The choice that makes a model call a tool: the one with this name, or any. */
export function callOf (tools: readonly Tool[], name?: string): ToolChoice {
  if (tools.length === 0) throw new InvalidRequest('tool_choice asks for a call, but tools has no function, and nothing else is served')
  if (name === undefined) return 'required'
  if (tools.every(tool => tool.function.name !== name)) {
    throw new InvalidRequest(`tool_choice names "${quote(name)}", which is none of the tools`)
  }
  return { type: 'function', function: { name } }
}

function formatOf (format: unknown): ResponseFormat {
  if (!isObject(format)) throw new InvalidRequest('response_format must be an object')
  if (format.type === 'text' || format.type === 'json_object') return { type: format.type }
  if (format.type !== 'json_schema') throw new InvalidRequest('response_format.type must be one of text, json_object, json_schema')
  const { json_schema: described } = format
  if (!isObject(described)) throw new InvalidRequest('response_format.json_schema must be an object')
  return schemaFormatOf(described, 'response_format.json_schema')
}

/** Reads a format with a JSON schema. Both endpoints use it; `field` names the format in errors. */
export function schemaFormatOf (described: Record<string, unknown>, field: string): ResponseFormat {
  const { name, schema, ...more } = described
  if (isGiven(name) && typeof name !== 'string') throw new InvalidRequest(`${field}.name must be a string`)
  if (!isObject(schema)) throw new InvalidRequest(`${field}.schema must be a JSON schema: an object`)
  if (nestsTooDeeply(described)) throw new InvalidRequest(`${field} is nested too deeply`)
  return { type: 'json_schema', json_schema: { ...(isGiven(name) && { name }), schema, ...more } }
}

export function effortOf (effort: unknown, field = 'reasoning_effort'): Effort {
  if (effort === 'max') return 'xhigh' // some clients offer it
  const known = EFFORTS.find(name => name === effort)
  if (known === undefined) throw new InvalidRequest(`${field} must be one of ${EFFORTS.join(', ')}`)
  return known
}

function stopsOf (stop: unknown): string[] {
  const texts: unknown[] = Array.isArray(stop) ? stop : [stop]
  if (!texts.every(text => typeof text === 'string')) throw new InvalidRequest('stop must be a string or an array of strings')
  if (texts.length > MOST_STOPS) throw new InvalidRequest(`stop must not hold more than ${MOST_STOPS} texts`)
  return texts.filter(text => text !== '')
}

function seedOf (seed: unknown): number {
  if (!Number.isSafeInteger(seed)) throw new InvalidRequest('seed must be an integer')
  return seed as number
}

// Clients send null for a setting that they do not set.
export function isGiven<T> (value: T): value is NonNullable<T> {
  return value !== undefined && value !== null
}

export function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

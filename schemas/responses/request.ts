import * as Type from 'typebox'
import { InvalidRequest } from '../errors.js'

interface Limits { minimum?: number, maximum?: number, exclusiveMinimum?: number }

// A field that a client may also send as null, which counts as absent (see schemas/chat.ts).
const nullable = <Value>(type: string, options: Type.TSchemaOptions & Limits = {}) =>
  Type.Optional(Type.Unsafe<Value | null>({ ...options, type: [type, 'null'] }))
const described = (description: string, example: unknown) => Type.Optional(Type.Unknown({ description, examples: [example] }))
const stored = (what: string) => Type.Optional(Type.Unknown({ description: `${what}: refused, because no request is stored` }))

const TOOL = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }

/** An item of the input. Its type says which fields it has (see input.ts). */
export interface GivenItem { type?: unknown, role?: unknown, content?: unknown, [field: string]: unknown }

export const ResponsesRequest = Type.Object({
  input: Type.Unsafe<string | GivenItem[]>({
    type: ['string', 'array'],
    minItems: 1,
    items: { type: 'object' },
    description: 'The text of the user, or the conversation as items of type message (the default), function_call and '
      + 'function_call_output; items of type reasoning are skipped',
    examples: [[{ role: 'user', content: 'Write a function that adds two numbers' }]]
  }),
  model: Type.String({ description: 'Id of a listed model' }),
  instructions: nullable<string>('string', { description: 'A system message before the input' }),
  stream: nullable<boolean>('boolean', { description: 'true selects server-sent events', default: false }),
  temperature: nullable<number>('number', { minimum: 0, maximum: 2, default: 0.7 }),
  top_p: nullable<number>('number', { minimum: 0, maximum: 1, default: 1 }),
  max_output_tokens: nullable<number>('integer', { exclusiveMinimum: 0, description: 'Bound of the reply in tokens' }),
  metadata: Type.Optional(Type.Unsafe<Record<string, string> | null>({
    type: ['object', 'null'], additionalProperties: { type: 'string' }, description: 'Repeated in the reply'
  })),
  user: nullable<string>('string', { description: 'Repeated in the reply' }),
  tools: described('An array of tools. Those of type function, also in a namespace, can be called in the reply; others are left out '
    + 'and named in the header `x-ignored-parameters`', [TOOL]),
  tool_choice: described('"none", "auto" (the default), "required", {"type": "function", "name": ...}, or '
    + '{"type": "allowed_tools", "mode", "tools"}', 'auto'),
  parallel_tool_calls: described('false: at most one call in a reply', true),
  text: nullable<{ format?: unknown, [field: string]: unknown }>('object', {
    description: '`format`: {"type": "text"}, {"type": "json_object"}, or {"type": "json_schema", "name", "schema"}'
  }),
  reasoning: nullable<{ effort?: unknown, [field: string]: unknown }>('object', {
    description: '`effort`: how much the reply may cost, like reasoning_effort of a chat completion'
  }),
  stream_options: nullable<object>('object', { description: 'Has no effect: there is no obfuscation' }),
  store: nullable<boolean>('boolean', { description: 'Has no effect: nothing is stored' }),
  truncation: nullable<string>('string', { description: 'Always "disabled": an input that is too long is refused' }),
  background: nullable<boolean>('boolean', { description: 'true is refused: the reply is only sent to the request that asks for it' }),
  previous_response_id: stored('An earlier response'),
  conversation: stored('A conversation'),
  prompt: stored('A prompt')
})
export type ResponsesRequest = Type.Static<typeof ResponsesRequest>

/** Throws if the request refers to something that would have been stored earlier. */
export function refuseStored (body: ResponsesRequest): void {
  for (const field of ['previous_response_id', 'conversation', 'prompt'] as const) {
    if (body[field] !== undefined && body[field] !== null) {
      throw new InvalidRequest(`${field} is not taken: nothing is kept between two requests. Send the whole conversation in input.`)
    }
  }
  if (body.background === true) {
    throw new InvalidRequest('background is not taken: a response is given to the request that asks for it. '
      + 'Leave it out, and set stream to true to see the response grow.')
  }
}

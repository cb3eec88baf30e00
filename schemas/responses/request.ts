import * as Type from 'typebox'
import { InvalidRequest } from '../errors.js'

// A field that a client may also send as null, which counts as absent (see schemas/chat.ts).
const or = <Value>(type: string, options: Type.TSchemaOptions & { minimum?: number, maximum?: number, exclusiveMinimum?: number } = {}) =>
  Type.Optional(Type.Unsafe<Value | null>({ ...options, type: [type, 'null'] }))
const described = (description: string, example: unknown) => Type.Optional(Type.Unknown({ description, examples: [example] }))
const kept = (what: string) => Type.Optional(Type.Unknown({ description: `${what}: refused, as nothing is kept between two requests` }))

const TOOL = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }

/** An item of the input: its type says how it is read (see input.ts). */
export interface GivenItem { type?: unknown, role?: unknown, content?: unknown, [field: string]: unknown }

export const ResponsesRequest = Type.Object({
  input: Type.Unsafe<string | GivenItem[]>({
    type: ['string', 'array'],
    minItems: 1,
    items: { type: 'object' },
    description: 'What the user says, or the conversation as items of the types message (without a type, too), function_call '
      + 'and function_call_output; reasoning is passed over',
    examples: [[{ role: 'user', content: 'Write a function that adds two numbers' }]]
  }),
  model: Type.String({ description: 'Id of a listed model' }),
  instructions: or<string>('string', { description: 'What the system says, before the input' }),
  stream: or<boolean>('boolean', { description: 'true selects server-sent events', default: false }),
  temperature: or<number>('number', { minimum: 0, maximum: 2, default: 0.7 }),
  top_p: or<number>('number', { minimum: 0, maximum: 1, default: 1 }),
  max_output_tokens: or<number>('integer', { exclusiveMinimum: 0, description: 'Bound of the reply in tokens' }),
  metadata: Type.Optional(Type.Unsafe<Record<string, string> | null>({
    type: ['object', 'null'], additionalProperties: { type: 'string' }, description: 'Given back in the reply'
  })),
  user: or<string>('string', { description: 'Given back in the reply' }),
  tools: described('An array of tools. Those of type function, also in a namespace, can be called in the reply; others are left out, '
    + 'and named in the header `x-ignored-parameters`', [TOOL]),
  tool_choice: described('"none", "auto" (the default), "required", {"type": "function", "name": ...}, or '
    + '{"type": "allowed_tools", "mode", "tools"}', 'auto'),
  parallel_tool_calls: described('false: at most one call in a reply', true),
  text: or<{ format?: unknown, [field: string]: unknown }>('object', {
    description: '`format`: {"type": "text"}, {"type": "json_object"}, or {"type": "json_schema", "name", "schema"}'
  }),
  reasoning: or<{ effort?: unknown, [field: string]: unknown }>('object', {
    description: '`effort`: how much the reply may cost, as reasoning_effort of a chat completion'
  }),
  stream_options: or<object>('object', { description: 'Nothing of it changes anything: there is no obfuscation' }),
  store: or<boolean>('boolean', { description: 'Nothing is stored, whatever it says' }),
  truncation: or<string>('string', { description: 'What is too long is refused, as "disabled" has it' }),
  background: or<boolean>('boolean', { description: 'true is refused: a reply is given to the request that asks for it' }),
  previous_response_id: kept('An earlier response'),
  conversation: kept('A conversation'),
  prompt: kept('A prompt')
})
export type ResponsesRequest = Type.Static<typeof ResponsesRequest>

/** What is known of an earlier request, and cannot be known here. */
export function refuseWhatIsKept (body: ResponsesRequest): void {
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

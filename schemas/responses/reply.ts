import * as Type from 'typebox'

const nullable = <Value extends Type.TSchema>(value: Value) => Type.Union([value, Type.Null()])
const Status = Type.Enum(['in_progress', 'completed', 'incomplete'])

const OutputText = Type.Object({
  type: Type.Literal('output_text'),
  text: Type.String(),
  annotations: Type.Array(Type.Unknown()),
  logprobs: Type.Array(Type.Unknown())
})
export type OutputText = Type.Static<typeof OutputText>

const SummaryText = Type.Object({ type: Type.Literal('summary_text'), text: Type.String() })
export type SummaryText = Type.Static<typeof SummaryText>

export const OutputItem = Type.Union([
  Type.Object({
    id: Type.String(),
    type: Type.Literal('reasoning'),
    status: Status,
    summary: Type.Array(SummaryText, { description: 'Progress of the run, which is no part of the reply' })
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('message'),
    status: Status,
    role: Type.Literal('assistant'),
    content: Type.Array(OutputText)
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('function_call'),
    status: Status,
    call_id: Type.String(),
    name: Type.String(),
    namespace: Type.Optional(Type.String({ description: 'The namespace of the tool, if it was offered in one' })),
    arguments: Type.String({ description: 'A JSON text, as the model wrote it' })
  }, { description: 'A call of one of the tools that were offered: the caller makes it' })
])
export type OutputItem = Type.Static<typeof OutputItem>

const Usage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({
    cached_tokens: Type.Integer({ description: 'Always 0, because it is not known here' }),
    cache_write_tokens: Type.Integer({ description: 'Always 0, because it is not known here' })
  }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({
    reasoning_tokens: Type.Integer({ description: 'The part of output_tokens that the reply does not show' })
  }),
  total_tokens: Type.Integer()
})

/** A response, finished or not. It repeats the settings of its request as they were used, without those that were ignored. */
export const ResponseObject = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Type.Integer(),
  status: Type.Enum(['in_progress', 'completed', 'incomplete', 'failed']),
  background: Type.Literal(false),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  incomplete_details: nullable(Type.Object({ reason: Type.Literal('max_output_tokens') })),
  instructions: nullable(Type.String()),
  max_output_tokens: nullable(Type.Integer()),
  model: Type.String(),
  output: Type.Array(OutputItem),
  parallel_tool_calls: Type.Boolean(),
  previous_response_id: Type.Null(),
  reasoning: Type.Object({ effort: nullable(Type.String()), summary: nullable(Type.String()) }),
  store: Type.Literal(false),
  temperature: Type.Number(),
  text: Type.Object({ format: Type.Object({ type: Type.String() }, { additionalProperties: true }) }),
  tool_choice: Type.Unsafe<string | object>({ anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] }),
  tools: Type.Array(Type.Object({}, { additionalProperties: true })),
  top_p: Type.Number(),
  truncation: Type.Literal('disabled'),
  usage: nullable(Usage),
  user: Type.Optional(Type.String()),
  metadata: Type.Record(Type.String(), Type.String())
})
export type ResponseObject = Type.Static<typeof ResponseObject>

/** One event of a stream. This schema only describes it; routes/v1/responses/events.ts writes it. */
export const ResponseEvent = Type.Object({
  type: Type.String({ description: 'As in the line `event:`: response.created, response.output_text.delta, response.completed ...' }),
  sequence_number: Type.Integer({ description: 'The number of the event, beginning with 0' })
}, { additionalProperties: true })

import * as Type from 'typebox'
import type { Acceptable } from '../agents/types.js'
import { namesOf, settings } from './settings.js'

// Clients may send null for an optional field, which counts as absent. These are type lists instead of unions,
// because Ajv then reports one plain error per field.
const number = (options: Type.TNumberOptions) => Type.Optional(Type.Unsafe<number | null>({ ...options, type: ['number', 'null'] }))
const integer = (options: Type.TNumberOptions) => Type.Optional(Type.Unsafe<number | null>({ ...options, type: ['integer', 'null'] }))
const boolean = (options: Type.TSchemaOptions) => Type.Optional(Type.Unsafe<boolean | null>({ ...options, type: ['boolean', 'null'] }))

const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() })
// Agents read text only, so each of these parts is replaced by a line that says what it was.
const ImagePart = Type.Object({ type: Type.Literal('image_url') })
const AudioPart = Type.Object({ type: Type.Literal('input_audio') })
const FilePart = Type.Object({ type: Type.Literal('file') })
export type ContentPart = Type.Static<typeof TextPart | typeof ImagePart | typeof AudioPart | typeof FilePart>

const parts = {
  type: 'object', discriminator: { propertyName: 'type' }, required: ['type'], oneOf: [TextPart, ImagePart, AudioPart, FilePart]
}
const Content = Type.Unsafe<string | ContentPart[]>({
  type: ['string', 'array'], items: parts, description: 'Text, or an array of parts, of which only those of type text are read'
})
const ContentOrNull = Type.Unsafe<string | ContentPart[] | null>({ type: ['string', 'array', 'null'], items: parts })

const PlainMessage = Type.Object({
  role: Type.Enum(['system', 'user', 'developer'], { description: 'developer is treated as system' }),
  content: Content
})
const AssistantMessage = Type.Object({
  role: Type.Literal('assistant'),
  content: ContentOrNull,
  tool_calls: Type.Optional(Type.Unsafe<unknown[] | null>({ type: ['array', 'null'] }))
})
const ToolMessage = Type.Object({
  role: Type.Literal('tool'),
  content: Content,
  tool_call_id: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] }))
})
export type ChatMessage = Type.Static<typeof PlainMessage> | Type.Static<typeof AssistantMessage> | Type.Static<typeof ToolMessage>

// The role selects the schema, so that an error is about the kind of message that the caller meant.
const Message = Type.Unsafe<ChatMessage>({
  type: 'object', discriminator: { propertyName: 'role' }, required: ['role'], oneOf: [PlainMessage, AssistantMessage, ToolMessage]
})

export const ChatRequest = Type.Object({
  messages: Type.Array(Message, { minItems: 1, description: 'The conversation' }),
  model: Type.String({ description: 'Id of a listed model' }),
  stream: boolean({ description: 'true selects server-sent events', default: false }),
  temperature: number({ minimum: 0, maximum: 2, default: 0.7 }),
  top_p: number({ minimum: 0, maximum: 1, default: 1 }),
  max_tokens: integer({ exclusiveMinimum: 0, description: 'Bound of the reply in tokens' }),
  max_completion_tokens: integer({ exclusiveMinimum: 0, description: 'Same as max_tokens; the smaller wins' }),
  stream_options: Type.Optional(Type.Unsafe<{ include_usage?: boolean | null } | null>({
    type: ['object', 'null'],
    properties: { include_usage: { type: ['boolean', 'null'], description: 'One more chunk with the usage at the end' } }
  })),
  ...settings
})
export type ChatRequest = Type.Static<typeof ChatRequest>

const KNOWN = new Set(Object.keys(ChatRequest.properties).filter(name => !(name in settings)))

/** The names of the parameters that neither the service nor an agent with these accepted settings uses. */
export function ignoredParameters (body: ChatRequest, accepts: readonly Acceptable[]): string[] {
  const accepted = namesOf(accepts)
  const ignored: string[] = []
  for (const name in body) {
    if (!KNOWN.has(name) && !accepted.has(name) && body[name as keyof ChatRequest] !== null) ignored.push(name)
  }
  return ignored
}

export const Usage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  completion_tokens_details: Type.Optional(Type.Object({
    reasoning_tokens: Type.Integer({ description: 'The part of completion_tokens that the reply does not show' })
  }))
})
export type Usage = Type.Static<typeof Usage>

export const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.Literal('function'),
  function: Type.Object({ name: Type.String(), arguments: Type.String({ description: 'A JSON text, as the model wrote it' }) })
}, { description: 'A call of one of the tools that were offered: the caller makes it' })
export type ToolCall = Type.Static<typeof ToolCall>

const ToolCallPiece = Type.Object({
  index: Type.Integer(),
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Literal('function')),
  function: Type.Object({ name: Type.Optional(Type.String()), arguments: Type.String() })
}, { description: 'The first piece of an index holds its id, type and name; the arguments of all its pieces, joined, are a JSON text' })

export const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(Type.Object({
    index: Type.Integer(),
    message: Type.Object({ role: Type.Literal('assistant'), content: Type.String(), tool_calls: Type.Optional(Type.Array(ToolCall)) }),
    finish_reason: Type.Enum(['stop', 'length', 'tool_calls'])
  })),
  usage: Usage
})
export type ChatCompletion = Type.Static<typeof ChatCompletion>

/** One event of a stream. This schema only describes it; chunks.ts writes it by hand, for speed. */
export const ChatChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(Type.Object({
    index: Type.Integer(),
    delta: Type.Object({
      role: Type.Optional(Type.Literal('assistant')),
      content: Type.Optional(Type.String()),
      reasoning_content: Type.Optional(Type.String({ description: 'Progress of the run, which is no part of the reply' })),
      tool_calls: Type.Optional(Type.Array(ToolCallPiece))
    }),
    finish_reason: Type.Unsafe<'stop' | 'length' | 'tool_calls' | null>({ enum: ['stop', 'length', 'tool_calls', null] })
  })),
  usage: Type.Optional(Usage)
})

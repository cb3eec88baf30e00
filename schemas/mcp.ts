import * as Type from 'typebox'
import type { Acceptable, Language } from '../agents/types.js'
import { EFFORTS } from './settings.js'

// The arguments of the tools of MCP. A language model reads these descriptions and fills in the fields.

/** One of these texts. The type is given as well, because simple readers of schemas need it. */
function oneOf<const T extends string> (values: readonly T[], options: Type.TSchemaOptions = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: values, ...options })
}

const described = (description: string) => Type.String({ description })
const count = (description: string, options: Type.TNumberOptions) => Type.Optional(Type.Integer({ description, ...options }))

const Turn = Type.Object({
  role: oneOf(['system', 'user', 'assistant']),
  content: Type.String()
})

const sampling = {
  max_tokens: count('Bound of the reply in tokens', { minimum: 1 }),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'How much the replies vary, 0.7 if not given' }))
}

const accepted = {
  reasoning_effort: Type.Optional(oneOf(EFFORTS, { description: 'How much the reply may cost' })),
  seed: Type.Optional(Type.Integer({ description: 'With the same seed the same request gives the same reply, if the model can do that' })),
  stop: Type.Optional(Type.Array(Type.String(), { description: 'Texts before which the reply ends' }))
}

/** The arguments of an agent that accepts these settings. */
export function agentArguments (accepts: readonly Acceptable[]) {
  const own = Object.fromEntries(Object.entries(accepted).filter(([name]) => accepts.some(known => known === name)))
  return Type.Object({
    prompt: Type.String({ minLength: 1, description: 'The whole task, with everything that the agent must know for it' }),
    messages: Type.Optional(Type.Array(Turn, { description: 'Earlier turns of a conversation with this agent, before the prompt' })),
    ...sampling,
    ...own as typeof accepted
  })
}
export type AgentArguments = Type.Static<ReturnType<typeof agentArguments>>

const job = {
  language: oneOf<Language>(['python', 'typescript'], { description: 'Use typescript for JavaScript, too' }),
  files: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The text of each file by its path, such as {"src/add.py": "..."}: relative, with slashes; 1 MiB together at most'
  })
}

const timeout = count('How many seconds it may take; 10 if not given', { minimum: 1, maximum: 60 })

export const CheckArguments = Type.Object({
  ...job,
  format: Type.Optional(Type.Boolean({ description: 'true: also return the formatted files' }))
})
export type CheckArguments = Type.Static<typeof CheckArguments>

export const TestArguments = Type.Object({
  ...job,
  tests: Type.Optional(Type.Array(Type.String(), {
    description: 'Paths of the files with tests (pytest, unittest; vitest). If not given: all files named like test_add.py or add.test.ts'
  })),
  timeout_seconds: timeout
})
export type TestArguments = Type.Static<typeof TestArguments>

export const RunArguments = Type.Object({
  ...job,
  entry: Type.String({ description: 'Path of the file to start' }),
  args: Type.Optional(Type.Array(Type.String(), { description: 'Arguments of the program' })),
  stdin: Type.Optional(described('What the program reads from standard input; an empty text means no input')),
  timeout_seconds: timeout
})
export type RunArguments = Type.Static<typeof RunArguments>

/** A body of `POST /mcp`. This schema only describes it; the protocol's SDK reads and checks it. */
export const McpMessage = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Unsafe<string | number>({ type: ['string', 'integer'], description: 'Absent in a notification' })),
  method: Type.String({ description: 'initialize, tools/list, tools/call, ...' }),
  params: Type.Optional(Type.Object({}))
}, { description: 'One message of JSON-RPC; batches are refused' })

export const McpReply = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Unsafe<string | number | null>({ type: ['string', 'integer', 'null'] })),
  result: Type.Optional(Type.Object({})),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
  method: Type.Optional(Type.String({ description: 'The method of a notification in a stream' })),
  params: Type.Optional(Type.Object({}))
})

export const McpRefusal = Type.Object({
  error: Type.Object({ message: Type.String() })
}, { description: 'An error of JSON-RPC, or an error of this service with type and code if the body is not JSON' })

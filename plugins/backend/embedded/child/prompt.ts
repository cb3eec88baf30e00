import type {
  ChatHistoryItem, ChatModelFunctionCall, ChatModelFunctions, ChatModelResponse, ChatWrapper, LlamaModel, LlamaText, Token
} from 'node-llama-cpp'
import type { Message, Tool } from '../../../../agents/types.js'
import { isRecord, record, records } from '../../json.js'
import { textOf } from '../../tokens.js'

export interface Prompt {
  tokens: Token[]
  /** Texts at which the model's own template ends a reply, in addition to its end tokens. */
  stops: string[]
  /** The prompt ends with the opening tag of a section of reasoning. */
  isReasoning: boolean
}

/** A conversation in the model's own chat template. The contents of messages are plain text: they cannot contain control tokens. */
export function promptOf (messages: readonly Message[], model: LlamaModel, wrapper: ChatWrapper, tools: readonly Tool[] = []): Prompt {
  const chatHistory = historyOf(messages)
  const last = chatHistory.at(-1)
  // After the results of its tool calls the model's turn continues; otherwise a new turn begins.
  if (last?.type !== 'model' || !endsInCall(last)) chatHistory.push({ type: 'model', response: [] })
  const availableFunctions: ChatModelFunctions = Object.fromEntries(tools.map(({ function: { name, description, parameters } }) =>
    [name, { ...(description !== undefined && { description }), ...(parameters && { params: withOneOf(parameters) as never }) }]))
  const offered = tools.length > 0 && { availableFunctions, documentFunctionParams: true }
  const { contextText, stopGenerationTriggers } = wrapper.generateContextState({ chatHistory, ...offered })
  const tokens = contextText.tokenize(model.tokenizer)
  const isReasoning = /<think>\s*$/.test(model.detokenize(tokens.slice(-8), true))
  return { tokens, stops: stopGenerationTriggers.flatMap(plainText), isReasoning }
}

/** The turns of a conversation, each tool call together with its result. */
export function historyOf (messages: readonly Message[]): ChatHistoryItem[] {
  const history: ChatHistoryItem[] = []
  const used = new Set<Message>()
  for (const [at, message] of messages.entries()) {
    switch (message.role) {
      case 'system':
      case 'user':
        history.push({ type: message.role, text: message.content })
        break
      case 'tool':
        if (!used.has(message)) history.push({ type: 'user', text: message.content })
        break
      case 'assistant': {
        const calls = callsOf(message, messages.slice(at + 1), used)
        const response = calls ? [...(message.content === '' ? [] : [message.content]), ...calls] : [textOf(message)]
        const before = history.at(-1)
        if (before?.type === 'model' && endsInCall(before)) before.response.push(...response)
        else history.push({ type: 'model', response })
      }
    }
  }
  return history
}

function endsInCall ({ response }: ChatModelResponse): boolean {
  return typeof response.at(-1) === 'object'
}

/** The tool calls of a turn with their results; undefined if there are none, or one that no template can write. */
function callsOf (
  message: Message & { role: 'assistant' }, later: readonly Message[], used: Set<Message>
): ChatModelFunctionCall[] | undefined {
  if (!message.tool_calls?.length) return undefined
  const results: Message[] = []
  const calls: ChatModelFunctionCall[] = []
  for (const { id, function: made } of records(message.tool_calls)) {
    const { name, arguments: args } = record(made)
    if (typeof name !== 'string' || typeof id !== 'string') return undefined
    const result = later.find(other => other.role === 'tool' && other.tool_call_id === id && !used.has(other) && !results.includes(other))
    if (!result) return undefined
    results.push(result)
    const first = calls.length === 0 && { startsNewChunk: true }
    calls.push({ type: 'functionCall', name, params: valueOf(args), result: valueOf(result.content), ...first })
  }
  for (const result of results) used.add(result)
  return calls.length === message.tool_calls.length ? calls : undefined
}

function valueOf (json: unknown): unknown {
  if (typeof json !== 'string') return json
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/** The schema with `oneOf` for `anyOf`: the library's templates only know the former, and would leave the others out. */
function withOneOf (schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withOneOf)
  if (!isRecord(schema)) return schema
  const nameOf = (key: string) => key === 'anyOf' && Array.isArray(schema[key]) ? 'oneOf' : key
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [nameOf(key), withOneOf(value)]))
}

// Triggers that contain special tokens are left out: these tokens end a reply by themselves.
function plainText ({ values }: LlamaText): string[] {
  return values.length > 0 && values.every(value => typeof value === 'string') ? [values.join('')] : []
}

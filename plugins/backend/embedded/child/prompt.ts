import type {
  ChatHistoryItem, ChatModelFunctionCall, ChatModelFunctions, ChatModelResponse, ChatWrapper, LlamaModel, LlamaText, Token
} from 'node-llama-cpp'
import type { Message, Tool } from '../../../../agents/types.js'
import { isRecord, record, records } from '../../json.js'
import { textOf } from '../../tokens.js'

export interface Prompt {
  tokens: Token[]
  /** Texts at which the model's own template ends a reply, beside its end tokens. */
  stops: string[]
  /** The template has opened a section of reasoning. */
  isReasoning: boolean
}

/** A conversation as the model's own chat template writes it. What a message holds is text: it cannot speak as a control token. */
export function promptOf (messages: readonly Message[], model: LlamaModel, wrapper: ChatWrapper, tools: readonly Tool[] = []): Prompt {
  const chatHistory = historyOf(messages)
  const last = chatHistory.at(-1)
  // Behind the results of its calls the model's turn goes on.
  if (last?.type !== 'model' || !endsInCall(last)) chatHistory.push({ type: 'model', response: [] })
  const availableFunctions: ChatModelFunctions = Object.fromEntries(tools.map(({ function: { name, description, parameters } }) =>
    [name, { ...(description !== undefined && { description }), ...(parameters && { params: documented(parameters) as never }) }]))
  const offered = tools.length > 0 && { availableFunctions, documentFunctionParams: true }
  const { contextText, stopGenerationTriggers } = wrapper.generateContextState({ chatHistory, ...offered })
  const tokens = contextText.tokenize(model.tokenizer)
  return { tokens, stops: stopGenerationTriggers.flatMap(plainText), isReasoning: /<think>\s*$/.test(model.detokenize(tokens.slice(-8), true)) }
}

/** The turns of a conversation, with the results of calls beside the calls. */
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

/** The calls of a turn with their results; undefined where there are none, or one that no template could write. */
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

/** The library's templates know the one name of alternatives only, and would leave the others out. */
function documented (schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented)
  if (!isRecord(schema)) return schema
  const nameOf = (key: string) => key === 'anyOf' && Array.isArray(schema[key]) ? 'oneOf' : key
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [nameOf(key), documented(value)]))
}

// Those that are special tokens end a reply as such.
function plainText ({ values }: LlamaText): string[] {
  return values.length > 0 && values.every(value => typeof value === 'string') ? [values.join('')] : []
}

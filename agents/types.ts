// The contract between the service and its agents. An agent gets plain data and yields plain data, and needs to know nothing about
// HTTP or Fastify.

import type { Sandbox } from './sandbox.js'

export type Message =
  | { role: 'system' | 'user', content: string }
  | { role: 'assistant', content: string, tool_calls?: unknown[] }
  | { role: 'tool', content: string, tool_call_id?: string }

export type FinishReason = 'stop' | 'length' | 'tool_calls'

/** A function that the caller can run. An agent does not run it: it passes the model's call on to the caller. */
export interface Tool {
  type: 'function'
  /** `parameters` is a JSON schema. Other keys (such as `strict`) are passed on unchanged. */
  function: { name: string, description?: string, parameters?: Record<string, unknown> }
}

export type ToolChoice = 'none' | 'auto' | 'required' | { type: 'function', function: { name: string } }
export type ResponseFormat =
  | { type: 'text' | 'json_object' }
  | { type: 'json_schema', json_schema: { name?: string, schema: Record<string, unknown> } }

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'

/** The caller's settings other than sampling, validated and otherwise unchanged. */
export interface Settings {
  /** Never empty. */
  tools?: Tool[]
  /** Present only together with tools. If it names a tool, that tool is among them. */
  tool_choice?: ToolChoice
  parallel_tool_calls?: boolean
  response_format?: ResponseFormat
  reasoning_effort?: Effort
  stop?: string[]
  seed?: number
}

/** Names of settings. `tools` covers `tool_choice` and `parallel_tool_calls`. */
export type Acceptable = 'tools' | 'response_format' | 'reasoning_effort' | 'stop' | 'seed'

/** Usage events are summed over the run. reasoning_tokens is the part of completion_tokens that the reply does not show. */
export interface UsageEvent { type: 'usage', prompt_tokens: number, completion_tokens: number, reasoning_tokens?: number }

/**
 * A piece of a tool call for the caller to make. The first piece of each index has the name; the arguments, a JSON text, may come in
 * any number of pieces. If there is no id, the service makes one.
 */
export interface ToolCallEvent { type: 'tool_call', index: number, id?: string, name?: string, arguments: string }

/** A string is a fragment of the reply. Progress says what the agent is doing, and is not part of the reply. */
export type AgentEvent =
  | string
  | ProgressEvent
  | UsageEvent
  | ToolCallEvent
  | { type: 'finish', reason: FinishReason }

/** A request to an agent. It contains only those settings that the agent accepts. */
export interface AgentRequest extends Settings {
  messages: Message[]
  temperature: number
  top_p: number
  max_tokens?: number
}

export interface AgentLimits { max_input_tokens: number, max_output_tokens: number }
export interface AgentRun { id: string, log: Logger }

export interface Agent {
  /** The settings that the agent uses. The names of all others are listed in the header `x-ignored-parameters`. */
  readonly accepts?: readonly Acceptable[]
  modelInfo (): AgentLimits
  /** Must stop promptly when the signal aborts. If it throws, the caller gets the message as an `agent_error`. */
  reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncIterable<AgentEvent>
  /** True for a background call of a front-end (for a title or tags): it takes no slot of `concurrency` or `--max-runs`. */
  isBackground? (request: AgentRequest): boolean
}

export interface AgentServices { backend: Backend, sandbox: Sandbox, log: Logger }
export type AgentClass = new (params: Record<string, unknown>, services: AgentServices) => Agent

/** What an agent's plugin passes to `fastify.agents.register(id, entry)`. */
export interface AgentEntry {
  /** Dotted path from the folder that holds the agents: `echo.agent.EchoAgent` is export `EchoAgent` of `echo/agent`. */
  class_name: string
  init_params: Record<string, unknown>
  description: string
  /** How many runs of this agent may be active at the same time; unlimited if not given. */
  concurrency?: number
}

/**
 * An agent throws this before its first event to refuse a conversation that is too long: the caller gets 400
 * `context_length_exceeded`. It is recognised by its name, so an agent may define such a class itself.
 */
export class InputTooLong extends Error {
  override name = 'InputTooLong'
}

export interface Logger {
  debug (details: object, message?: string): void
  info (details: object, message?: string): void
  warn (details: object, message?: string): void
  error (details: object, message?: string): void
}

export type Step = 'answer' | 'plan' | 'write' | 'repair' | 'tests'

export interface BackendRequest extends Settings {
  messages: Message[]
  temperature: number
  top_p: number
  max_tokens?: number
  /** The purpose of the call, and the id of its run: both are sent as headers, for the log of the backend. */
  step: Step
  run: string
}

/** Progress in words for the caller, one line per event: `Ollama loads qwen3`, `model 43 %, 2 min left`. */
export interface ProgressEvent { type: 'progress', text: string }

/** First progress, while the model is being loaded; then fragments, reasoning and tool calls as they come; then usage and finish. */
export type BackendEvent =
  | { type: 'fragment' | 'reasoning', text: string }
  | ProgressEvent
  | UsageEvent
  | ToolCallEvent
  | { type: 'finish', reason: FinishReason }

export interface BackendInfo {
  kind: string
  url: string | null
  model: string | null
  /** The context that one request may use, in tokens; null if the backend does not say. */
  context: number | null
  /** How many requests it handles at the same time; null if unknown. */
  slots: number | null
  /** Why this backend is used: it was named, or the search found it. */
  reason: string | null
  /** What is wrong with the backend, if anything, and what to do about it. */
  problem: string | null
  remedy: string | null
}

/** The language model. Agents use no other way to reach one. */
export interface Backend {
  chat (request: BackendRequest, signal: AbortSignal): AsyncIterable<BackendEvent>
  /** Counts the tokens of the conversation. Counting may stop as soon as the count exceeds the limit. */
  countTokens (messages: Message[], limit?: number): Promise<number>
  /** The current state. It does not wait for a model that is being loaded. */
  info (): Promise<BackendInfo>
  /** Waits until the model is ready, and yields progress. Throws if there is a problem. (`chat` waits in the same way.) */
  ready (signal: AbortSignal): AsyncGenerator<ProgressEvent, BackendInfo>
  close (): Promise<void>
}

export type * from './sandbox.js'

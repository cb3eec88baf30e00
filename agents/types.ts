// The contract between the service and its agents. An agent is given plain data and yields plain data;
// nothing of HTTP or Fastify crosses this line.

import type { Sandbox } from './sandbox.js'

export type Message =
  | { role: 'system' | 'user', content: string }
  | { role: 'assistant', content: string, tool_calls?: unknown[] }
  | { role: 'tool', content: string, tool_call_id?: string }

export type FinishReason = 'stop' | 'length' | 'tool_calls'

/** A function that the caller can run. It is the caller who runs it: an agent hands on the model's call of it. */
export interface Tool {
  type: 'function'
  /** `parameters` is a JSON schema. Other keys (`strict`) are handed on as they came. */
  function: { name: string, description?: string, parameters?: Record<string, unknown> }
}

export type ToolChoice = 'none' | 'auto' | 'required' | { type: 'function', function: { name: string } }
export type ResponseFormat =
  | { type: 'text' | 'json_object' }
  | { type: 'json_schema', json_schema: { name?: string, schema: Record<string, unknown> } }

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'

/** What the caller may set beside the sampling: handed on as it came, after validation. */
export interface Settings {
  /** Never empty. */
  tools?: Tool[]
  /** Only beside tools. A name in it is the name of one of them. */
  tool_choice?: ToolChoice
  parallel_tool_calls?: boolean
  response_format?: ResponseFormat
  reasoning_effort?: Effort
  stop?: string[]
  seed?: number
}

/** Names of settings. `tools` covers `tool_choice` and `parallel_tool_calls`. */
export type Acceptable = 'tools' | 'response_format' | 'reasoning_effort' | 'stop' | 'seed'

/** Each usage event is added to the run's sum. reasoning_tokens are a part of completion_tokens that the reply does not show. */
export interface UsageEvent { type: 'usage', prompt_tokens: number, completion_tokens: number, reasoning_tokens?: number }

/**
 * A piece of a call that the caller is to make. The first piece of an index holds the name; the arguments, a JSON text, may
 * come in any number of pieces. An id that is not given is made by the service.
 */
export interface ToolCallEvent { type: 'tool_call', index: number, id?: string, name?: string, arguments: string }

/** A string is a fragment of the reply. Progress says what is being done and is no part of the reply. */
export type AgentEvent =
  | string
  | ProgressEvent
  | UsageEvent
  | ToolCallEvent
  | { type: 'finish', reason: FinishReason }

/** The settings are those that the agent accepts. */
export interface AgentRequest extends Settings {
  messages: Message[]
  temperature: number
  top_p: number
  max_tokens?: number
}

export interface AgentLimits { max_input_tokens: number, max_output_tokens: number }
export interface AgentRun { id: string, log: Logger }

export interface Agent {
  /** The settings that the agent takes notice of. The names of all others go into the header `x-ignored-parameters`. */
  readonly accepts?: readonly Acceptable[]
  modelInfo (): AgentLimits
  /** Must stop promptly when the signal aborts. May throw: the message becomes the caller's `agent_error`. */
  reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncIterable<AgentEvent>
  /** True for a call that a front-end makes beside the conversation (a title, a tag): it takes no slot of `concurrency` or `--max-runs`. */
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
  /** How many runs of this agent may be under way at once; without it, any number. */
  concurrency?: number
}

/** Thrown by an agent before its first event: the caller gets 400 `context_length_exceeded`. Known by its name, so that an author may also bring an own class. */
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
  /** What the call is for and which run it belongs to, so that a backend's log can be read. */
  step: Step
  run: string
}

/** What is being waited for, in words for the caller, a line each: `Ollama loads qwen3`, `model 43 %, 2 min left`. */
export interface ProgressEvent { type: 'progress', text: string }

/** Progress while the model is not there yet, then fragments and reasoning as they come, the usage, the finish. */
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
  /** The context that one request may use, in tokens; null where the backend does not tell. */
  context: number | null
  slots: number | null
  /** Why it is this backend: it was named, or found where others were not. */
  reason: string | null
  /** What is wrong, and the command or change that mends it. */
  problem: string | null
  remedy: string | null
}

/** The one door to a language model. */
export interface Backend {
  chat (request: BackendRequest, signal: AbortSignal): AsyncIterable<BackendEvent>
  /** Of the conversation as the model is given it. Counting may stop once it is past the limit. */
  countTokens (messages: Message[], limit?: number): Promise<number>
  /** As far as it is known now: it does not wait for a model that is being loaded. */
  info (): Promise<BackendInfo>
  /** Waits until the model can be asked, telling how far that is. Throws what is wrong, as `chat` would, which waits likewise. */
  ready (signal: AbortSignal): AsyncGenerator<ProgressEvent, BackendInfo>
  close (): Promise<void>
}

export type * from './sandbox.js'

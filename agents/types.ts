// The contract between the service and its agents. An agent is given plain data and yields plain data;
// nothing of HTTP or Fastify crosses this line.

export type Message =
  | { role: 'system' | 'user', content: string }
  | { role: 'assistant', content: string, tool_calls?: unknown[] }
  | { role: 'tool', content: string, tool_call_id?: string }

export type FinishReason = 'stop' | 'length'

/** Each usage event is added to the run's sum. reasoning_tokens are a part of completion_tokens that the reply does not show. */
export interface UsageEvent { type: 'usage', prompt_tokens: number, completion_tokens: number, reasoning_tokens?: number }

/** A string is a fragment of the reply. Progress says what is being done and is no part of the reply. */
export type AgentEvent =
  | string
  | { type: 'progress', text: string }
  | UsageEvent
  | { type: 'finish', reason: FinishReason }

export interface AgentRequest {
  messages: Message[]
  temperature: number
  top_p: number
  max_tokens?: number
}

export interface AgentLimits { max_input_tokens: number, max_output_tokens: number }

export interface AgentRun { id: string, log: Logger }

export interface Agent {
  modelInfo (): AgentLimits
  /** Must stop promptly when the signal aborts. May throw: the message becomes the caller's `agent_error`. */
  reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncIterable<AgentEvent>
  /** True for a call that a front-end makes beside the conversation (a title, a tag): it takes no slot of `concurrency` or `--max-runs`. */
  isBackground? (request: AgentRequest): boolean
}

export interface AgentServices { backend: Backend, log: Logger }

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

export interface BackendRequest {
  messages: Message[]
  temperature: number
  top_p: number
  max_tokens?: number
  stop?: string[]
  seed?: number
  /** What the call is for and which run it belongs to, so that a backend's log can be read. */
  step: Step
  run: string
}

/** Fragments and reasoning as they come, then the usage, then the finish. */
export type BackendEvent =
  | { type: 'fragment' | 'reasoning', text: string }
  | UsageEvent
  | { type: 'finish', reason: FinishReason }

export interface BackendInfo {
  kind: string
  url: string | null
  model: string | null
  /** The context that one request may use, in tokens; null where the backend does not tell. */
  context: number | null
  slots: number | null
  /** What is wrong, and the command or change that mends it. */
  problem: string | null
  remedy: string | null
}

/** The one door to a language model. */
export interface Backend {
  chat (request: BackendRequest, signal: AbortSignal): AsyncIterable<BackendEvent>
  /** Of the conversation as the model is given it. Counting may stop once it is past the limit. */
  countTokens (messages: Message[], limit?: number): Promise<number>
  info (): Promise<BackendInfo>
}

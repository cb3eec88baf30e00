import type { BackendRequest, FinishReason, Message, ToolCallEvent } from '../../../agents/types.js'

// What the service and the engine's process tell each other.

export interface LoadOrder {
  /** The model's file. */
  path: string
  /** How many processor threads; by the cores that are there if not given. */
  threads?: number | undefined
  useGpu: boolean
}

export interface Loaded {
  /** As the file names its model. */
  name: string | null
  context: number
  /** What the model was trained for. */
  contextOfModel: number
  /** Replies that are written at once. */
  slots: number
  threads: number
  gpu: string | null
}

export type ChatOrder = Omit<BackendRequest, 'step'>

export type Order =
  | { type: 'load', load: LoadOrder }
  | { type: 'chat', id: number, chat: ChatOrder }
  | { type: 'count', id: number, messages: Message[] }
  | { type: 'leave', id: number }

/** What came of a chat, or of a count. */
export type Outcome =
  | { type: 'done', prompt: number, completion: number, reasoning: number, finish: FinishReason }
  | { type: 'counted', tokens: number }
  | { type: 'overflow', tokens: number, context: number }
  | { type: 'unfit', problem: string } // a setting that the engine cannot keep
  | { type: 'failed', message: string }

export type Report =
  | { type: 'started' } // the engine itself can be used
  | { type: 'loading', percent: number }
  | { type: 'note', text: string }
  | { type: 'loaded', loaded: Loaded }
  | { type: 'unusable', problem: string, remedy: string }
  | { type: 'waiting', id: number, before: number }
  | { type: 'reading', id: number, percent: number }
  | { type: 'fragment' | 'reasoning', id: number, text: string }
  | { type: 'tool_call', id: number, call: Omit<ToolCallEvent, 'type'> }
  | { type: 'outcome', id: number, outcome: Outcome }

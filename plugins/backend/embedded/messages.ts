import type { BackendRequest, FinishReason, Message, ToolCallEvent } from '../../../agents/types.js'

// The messages between the service and the engine's process: orders to the engine, reports from it.

export interface LoadOrder {
  /** The path of the model's file. */
  path: string
  /** How many processor threads to use; by default as many as there are free cores. */
  threads?: number | undefined
  useGpu: boolean
}

export interface Loaded {
  /** The model's name in the metadata of its file. */
  name: string | null
  context: number
  /** The context that the model was trained for. */
  contextOfModel: number
  /** How many replies can be written at once. */
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

/** The outcome of a chat or a count. */
export type Outcome =
  | { type: 'done', prompt: number, completion: number, reasoning: number, finish: FinishReason }
  | { type: 'counted', tokens: number }
  | { type: 'overflow', tokens: number, context: number }
  | { type: 'unfit', problem: string } // the engine does not support a setting of the request
  | { type: 'failed', message: string }

export type Report =
  | { type: 'started' } // llama.cpp has started, and no model is loaded yet
  | { type: 'loading', percent: number }
  | { type: 'note', text: string }
  | { type: 'loaded', loaded: Loaded }
  | { type: 'unusable', problem: string, remedy: string }
  | { type: 'waiting', id: number, before: number }
  | { type: 'reading', id: number, percent: number }
  | { type: 'fragment' | 'reasoning', id: number, text: string }
  | { type: 'tool_call', id: number, call: Omit<ToolCallEvent, 'type'> }
  | { type: 'outcome', id: number, outcome: Outcome }

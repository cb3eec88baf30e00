import type { CallToolResult, Tool as Listed } from '@modelcontextprotocol/server'
import type { TSchema } from 'typebox'
import type { Reader } from '../runs.js'
import type { Progress } from './progress.js'

/** One call of a tool. */
export interface Call {
  /** Aborts when the caller cancels the call or goes away. */
  signal: AbortSignal
  /** The connection over which the result is sent; undefined if the caller is connected by a pipe. */
  connection: Reader | undefined
  progress: Progress
}

export interface Tool {
  listed: Omit<Listed, 'inputSchema'>
  /** The schema of the arguments. They are checked before the call. */
  input: TSchema & { properties: Record<string, TSchema> }
  /** Gets checked arguments. If it throws, the caller gets a result with the error's message, so that its model can read it. */
  call (args: Record<string, unknown>, call: Call): Promise<CallToolResult>
}

/** A result with one text. */
export function textResult (text: string, more: Omit<CallToolResult, 'content'> = {}): CallToolResult {
  return { content: [{ type: 'text', text }], ...more }
}

import type { CallToolResult, Tool as Listed } from '@modelcontextprotocol/server'
import type { TSchema } from 'typebox'
import type { Reader } from '../runs.js'
import type { Progress } from './progress.js'

/** One call of a tool. */
export interface Call {
  /** Aborts when the caller cancels, or goes away. */
  signal: AbortSignal
  /** The connection over which the result goes out; none where the caller is at the other end of a pipe. */
  connection: Reader | undefined
  progress: Progress
}

export interface Tool {
  listed: Omit<Listed, 'inputSchema'>
  /** A plain object: what the caller sends is checked against it. */
  input: TSchema & { properties: Record<string, TSchema> }
  /** With arguments that were checked. What it throws becomes an error that the calling model can read. */
  call (given: Record<string, unknown>, call: Call): Promise<CallToolResult>
}

/** A result that is one text. */
export function textResult (text: string, more: Omit<CallToolResult, 'content'> = {}): CallToolResult {
  return { content: [{ type: 'text', text }], ...more }
}

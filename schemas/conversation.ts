import type { AgentRequest, Message } from '../agents/types.js'
import type { ChatMessage, ChatRequest, TextPart } from './chat.js'
import { InvalidRequest } from './errors.js'

// Tool calls are handed on as they came, but what nests deeper than any real one would overflow a stack later on.
const MAX_DEPTH = 64

/** What an agent is given for a request: plain strings, null as absent, defaults filled in. */
export function agentRequest (body: ChatRequest): AgentRequest {
  const request: AgentRequest = { messages: body.messages.map(message), temperature: body.temperature ?? 0.7, top_p: body.top_p ?? 1 }
  const limit = Math.min(body.max_tokens ?? Infinity, body.max_completion_tokens ?? Infinity)
  if (limit < Infinity) request.max_tokens = limit
  return request
}

function message (given: ChatMessage, index: number): Message {
  const content = textOf(given.content)
  switch (given.role) {
    case 'assistant': {
      const calls = given.tool_calls
      if (calls && !nestsWithin(calls, MAX_DEPTH)) throw new InvalidRequest(`messages[${index}].tool_calls is nested too deeply`)
      return { role: 'assistant', content, ...(calls && { tool_calls: calls }) }
    }
    case 'tool': return { role: 'tool', content, ...(typeof given.tool_call_id === 'string' && { tool_call_id: given.tool_call_id }) }
    case 'user': return { role: 'user', content }
    case 'system':
    case 'developer': return { role: 'system', content }
  }
}

function textOf (content: string | TextPart[] | null): string {
  if (typeof content === 'string') return content
  return content === null ? '' : content.map(part => part.text).join('')
}

function nestsWithin (value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every(inner => nestsWithin(inner, depth - 1))
}

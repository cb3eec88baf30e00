import type { Acceptable, AgentRequest, Message } from '../agents/types.js'
import type { ChatMessage, ChatRequest, ContentPart } from './chat.js'
import { InvalidRequest } from './errors.js'
import { nestsTooDeeply } from './nesting.js'
import { Texts } from './parts.js'
import { settingsOf } from './settings.js'

/** Makes the request for an agent from the body of a chat request: plain strings, no nulls, defaults filled in. */
export function agentRequest (body: ChatRequest, accepts: readonly Acceptable[]): AgentRequest {
  const sampling = { temperature: body.temperature ?? 0.7, top_p: body.top_p ?? 1 }
  const texts = new Texts()
  const messages = body.messages.map((given, index) => message(given, { index, texts }))
  texts.check('messages')
  const request: AgentRequest = { messages, ...sampling, ...settingsOf(body, accepts) }
  const limit = Math.min(body.max_tokens ?? Infinity, body.max_completion_tokens ?? Infinity)
  if (limit < Infinity) request.max_tokens = limit
  return request
}

function message (given: ChatMessage, { index, texts }: { index: number, texts: Texts }): Message {
  const content = textOf(given.content, texts)
  switch (given.role) {
    case 'assistant': {
      const calls = given.tool_calls
      if (calls && nestsTooDeeply(calls)) throw new InvalidRequest(`messages[${index}].tool_calls is nested too deeply`)
      return { role: 'assistant', content, ...(calls && { tool_calls: calls }) }
    }
    case 'tool': return { role: 'tool', content, ...(typeof given.tool_call_id === 'string' && { tool_call_id: given.tool_call_id }) }
    case 'user': return { role: 'user', content }
    case 'system':
    case 'developer': return { role: 'system', content }
  }
}

function textOf (content: string | ContentPart[] | null, texts: Texts): string {
  if (typeof content === 'string') return texts.add(content)
  return content === null ? '' : content.map(part => part.type === 'text' ? texts.add(part.text) : texts.standIn(part.type) ?? '').join('')
}

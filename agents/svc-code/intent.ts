import type { AgentRequest } from '../types.js'

const TITLE_TOKENS = 24

/** A call that a front-end makes on its own account: Open WebUI's `### Task:` prompts, the titles of Continue and chat-ui. */
export function isFrontEndTask ({ messages, max_tokens: maxTokens }: AgentRequest): boolean {
  if (maxTokens !== undefined && maxTokens <= TITLE_TOKENS) return true
  const asked = messages.findLast(message => message.role === 'user')
  return asked !== undefined && asked.content.trimStart().startsWith('### Task:')
}

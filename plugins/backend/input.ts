import type { Message, Tool } from '../../agents/types.js'

/** The input of a request as messages: the conversation, and one more message for the tools. */
export function inputOf ({ messages, tools }: { messages: Message[], tools?: Tool[] }): Message[] {
  return tools ? [...messages, { role: 'system', content: JSON.stringify(tools) }] : messages
}

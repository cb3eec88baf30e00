import type { Message, Tool } from '../../agents/types.js'

/** All that a model reads of a request: the conversation, and the tools that it is offered. */
export function inputOf ({ messages, tools }: { messages: Message[], tools?: Tool[] }): Message[] {
  return tools ? [...messages, { role: 'system', content: JSON.stringify(tools) }] : messages
}

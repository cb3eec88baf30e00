import type { ChatHistoryItem, ChatWrapper, LlamaModel, LlamaText, Token } from 'node-llama-cpp'
import type { Message } from '../../../../agents/types.js'
import { textOf } from '../../tokens.js'

export interface Prompt {
  tokens: Token[]
  /** Texts at which the model's own template ends a reply, beside its end tokens. */
  stops: string[]
  /** The template has opened a section of reasoning. */
  isReasoning: boolean
}

/** A conversation as the model's own chat template writes it. What a message holds is text: it cannot speak as a control token. */
export function promptOf (messages: readonly Message[], model: LlamaModel, wrapper: ChatWrapper): Prompt {
  const chatHistory: ChatHistoryItem[] = messages.map((message): ChatHistoryItem => {
    switch (message.role) {
      case 'system': return { type: 'system', text: message.content }
      case 'assistant': return { type: 'model', response: [textOf(message)] }
      case 'user':
      case 'tool': return { type: 'user', text: message.content }
    }
  })
  const { contextText, stopGenerationTriggers } = wrapper.generateContextState({ chatHistory: [...chatHistory, { type: 'model', response: [] }] })
  const tokens = contextText.tokenize(model.tokenizer)
  return { tokens, stops: stopGenerationTriggers.flatMap(plainText), isReasoning: /<think>\s*$/.test(model.detokenize(tokens.slice(-8), true)) }
}

// Those that are special tokens end a reply as such.
function plainText ({ values }: LlamaText): string[] {
  return values.length > 0 && values.every(value => typeof value === 'string') ? [values.join('')] : []
}

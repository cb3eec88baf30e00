// The mode `relay`: one call, whose reply is passed on as it comes. The caller parses the reply, so nothing is added to it.
import type { AgentEvent, AgentRequest, Backend, Message, Step } from '../../types.js'

// Vocabularies differ: the backend's own count may be a tenth higher than ours.
const MARGIN = 1.1
const LEAST_REPLY = 256

export interface Line { backend: Backend, context: number | null, maxTokens: number, run: string }

export async function * relay (request: AgentRequest, line: Line, signal: AbortSignal): AsyncGenerator<AgentEvent, void> {
  const step: Step = 'answer'
  const call = { ...request, max_tokens: await roomFor(request.messages, line), step, run: line.run }
  for await (const event of line.backend.chat(call, signal)) {
    switch (event.type) {
      case 'fragment': yield event.text; break
      case 'reasoning': yield { type: 'progress', text: event.text }; break
      default: yield event
    }
  }
}

/** The room for the reply in the context. The caller's messages are never cut. */
async function roomFor (messages: Message[], { backend, context, maxTokens }: Line): Promise<number> {
  if (context === null) return maxTokens
  const bytes = Buffer.byteLength(JSON.stringify(messages)) // no encoding has more tokens than bytes
  if (bytes + maxTokens <= context) return maxTokens
  const prompt = await backend.countTokens(messages)
  return Math.max(Math.min(LEAST_REPLY, maxTokens), Math.min(maxTokens, Math.floor(context - prompt * MARGIN)))
}

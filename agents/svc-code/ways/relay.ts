// Point 2: one call, passed on as it comes. The caller's tools, formats and editors parse the reply, so nothing is added to it.
import type { AgentEvent, AgentRequest, Backend, Message, Step } from '../../types.js'

// Encodings differ: what was counted with one may be a tenth more in the backend's own.
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

/** The messages are the caller's and stay whole: only the reply gets shorter where they leave little room. */
async function roomFor (messages: Message[], { backend, context, maxTokens }: Line): Promise<number> {
  if (context === null) return maxTokens
  const bytes = Buffer.byteLength(JSON.stringify(messages)) // no encoding has more tokens than bytes
  if (bytes + maxTokens <= context) return maxTokens
  const prompt = await backend.countTokens(messages)
  return Math.max(Math.min(LEAST_REPLY, maxTokens), Math.min(maxTokens, Math.floor(context - prompt * MARGIN)))
}

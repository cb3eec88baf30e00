import type { AgentEvent, AgentRequest, Backend, Message, Step } from '../types.js'

// Encodings differ: what was counted with one may be a tenth more in the backend's own.
const MARGIN = 1.1
// Room for an answer that is worth reading.
const LEAST_REPLY = 1024

interface Line { backend: Backend, context: number | null, maxTokens: number, run: string }

/** One streamed call over the whole conversation. */
export function chat (request: AgentRequest, line: Line, signal: AbortSignal): AsyncGenerator<AgentEvent, void> {
  return stream('answer', request.messages, request, line, signal)
}

const PLANNER = 'You are an experienced software architect. Answer with a plan that a developer can follow: the goal in one sentence, the components and what each is responsible for, '
  + 'how data flows between them, the files in the order in which to write them, the risks, and how to test it. Be concrete and brief. No code beyond signatures.'

export function plan (request: AgentRequest, line: Line, signal: AbortSignal): AsyncGenerator<AgentEvent, void> {
  return stream('plan', [{ role: 'system', content: PLANNER }, ...request.messages], request, line, signal)
}

async function * stream (step: Step, conversation: Message[], { temperature, top_p }: AgentRequest, { backend, context, maxTokens, run }: Line, signal: AbortSignal): AsyncGenerator<AgentEvent, void> {
  const { messages, left, room } = await fit(conversation, backend, context, maxTokens)
  if (left > 0) yield `(The conversation no longer fits into the model's context: its oldest ${left === 1 ? 'message is' : `${left} messages are`} left out.)\n\n`
  for await (const event of backend.chat({ messages, temperature, top_p, max_tokens: room, step, run }, signal)) {
    switch (event.type) {
      case 'fragment': yield event.text; break
      case 'reasoning': yield { type: 'progress', text: event.text }; break
      default: yield event
    }
  }
}

/** Leaves out the oldest turns where no room for a reply is left; the instructions and the last message stay. */
async function fit (messages: Message[], backend: Backend, context: number | null, maxTokens: number): Promise<{ messages: Message[], left: number, room: number }> {
  if (context === null) return { messages, left: 0, room: maxTokens }
  let kept = messages
  for (;;) {
    const bytes = Buffer.byteLength(JSON.stringify(kept)) // no encoding has more tokens than bytes
    const prompt = bytes + maxTokens <= context ? bytes : await backend.countTokens(kept)
    const room = Math.floor(context - prompt * MARGIN)
    const oldest = kept.findIndex(({ role }, index) => role !== 'system' && index < kept.length - 1)
    if (room >= Math.min(LEAST_REPLY, maxTokens) || oldest < 0) return { messages: kept, left: messages.length - kept.length, room: Math.max(1, Math.min(maxTokens, room)) }
    kept = kept.toSpliced(oldest, 1)
  }
}

import type { Agent, AgentEvent, AgentLimits, AgentRequest, AgentRun, AgentServices, Backend, Message } from '../types.js'
import { isFrontEndTask } from './intent.js'

const LIMITS: AgentLimits = { max_input_tokens: 32768, max_output_tokens: 8192 }

// Encodings differ: what was counted with one may be a tenth more in the backend's own.
const MARGIN = 1.1

/** Answers with one streamed call over the whole conversation. */
export class SvcCode implements Agent {
  readonly #backend: Backend

  constructor (_params: Record<string, unknown>, { backend }: AgentServices) {
    this.#backend = backend
  }

  modelInfo (): AgentLimits {
    return LIMITS
  }

  isBackground (request: AgentRequest): boolean {
    return isFrontEndTask(request)
  }

  async * reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncGenerator<AgentEvent> {
    const info = yield * this.#backend.ready(signal)
    const call = {
      messages: request.messages,
      temperature: request.temperature,
      top_p: request.top_p,
      max_tokens: Math.min(request.max_tokens ?? Infinity, LIMITS.max_output_tokens, await this.#room(request.messages, info.context)),
      step: 'answer' as const,
      run: run.id
    }
    for await (const event of this.#backend.chat(call, signal)) {
      switch (event.type) {
        case 'fragment': yield event.text; break
        case 'reasoning': yield { type: 'progress', text: event.text }; break
        default: yield event
      }
    }
  }

  /** What the prompt leaves of the context. Some servers refuse a call whose prompt and reply together might not fit. */
  async #room (messages: Message[], context: number | null): Promise<number> {
    if (context === null) return Infinity
    const bytes = Buffer.byteLength(JSON.stringify(messages)) // no encoding has more tokens than bytes
    const prompt = bytes + LIMITS.max_output_tokens <= context ? bytes : await this.#backend.countTokens(messages)
    return Math.max(1, Math.floor(context - prompt * MARGIN))
  }
}

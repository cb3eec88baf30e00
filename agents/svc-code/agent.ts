import { type Agent, type AgentEvent, type AgentLimits, type AgentRequest, type AgentRun, type AgentServices, type Backend, InputTooLong } from '../types.js'
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
    const info = await this.#backend.info()
    if (info.problem !== null) throw new Error(info.remedy === null ? info.problem : `${info.problem}; ${info.remedy}`)
    const prompt = await this.#count(request)
    const room = info.context === null ? Infinity : Math.max(1, Math.floor(info.context - prompt * MARGIN))
    const call = {
      messages: request.messages,
      temperature: request.temperature,
      top_p: request.top_p,
      max_tokens: Math.min(request.max_tokens ?? Infinity, LIMITS.max_output_tokens, room),
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

  /** The tokens of the conversation, or an upper bound where that is small enough. */
  async #count ({ messages }: AgentRequest): Promise<number> {
    const bytes = messages.reduce((total, message) => total + 8 + Buffer.byteLength(JSON.stringify(message)), 0)
    if (bytes <= LIMITS.max_input_tokens / 2) return bytes // no encoding has more tokens than bytes
    const tokens = await this.#backend.countTokens(messages, LIMITS.max_input_tokens)
    if (tokens <= LIMITS.max_input_tokens) return tokens
    throw new InputTooLong(`The conversation has more than the ${LIMITS.max_input_tokens} tokens that svc-code takes: leave out older messages or long files.`)
  }
}

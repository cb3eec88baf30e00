import type { AgentRequest, UsageEvent } from '../../agents/types.js'
import type { Usage } from '../../schemas/chat.js'
import { inputOf } from '../backend/input.js'
import { countMessageTokens, countTextTokens } from '../backend/tokens.js'

/** Sums the usage that an agent reports during a run. If the agent reports none, counts the tokens of request and reply. */
export class Tally {
  readonly #request: AgentRequest
  #reported = false
  #prompt = 0
  #completion = 0
  #reasoning = 0

  constructor (request: AgentRequest) {
    this.#request = request
  }

  add (event: UsageEvent): void {
    this.#reported = true
    const completion = tokens(event.completion_tokens)
    this.#prompt += tokens(event.prompt_tokens)
    this.#completion += completion
    this.#reasoning += Math.min(completion, tokens(event.reasoning_tokens ?? 0)) // reasoning tokens are a part of completion tokens
  }

  usage (reply: string): Promise<Usage> | Usage {
    if (!this.#reported) return this.#counted(reply)
    const usage: Usage = { prompt_tokens: this.#prompt, completion_tokens: this.#completion, total_tokens: this.#prompt + this.#completion }
    if (this.#reasoning > 0) usage.completion_tokens_details = { reasoning_tokens: this.#reasoning }
    return usage
  }

  async #counted (reply: string): Promise<Usage> {
    const [prompt, completion] = [await countMessageTokens(inputOf(this.#request)), await countTextTokens(reply)]
    return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  }
}

// Far more than a model reads or writes in one call. Sums of larger numbers would no longer be exact.
const MOST = 1e9

function tokens (value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= MOST) return Math.round(value)
  throw new TypeError('the agent reported a usage that is not a number of tokens')
}

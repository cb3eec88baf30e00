import type { Message, UsageEvent } from '../../agents/types.js'
import type { Usage } from '../../schemas/chat.js'
import { countMessageTokens, countTextTokens } from '../backend/tokens.js'

/** Sums the usage that an agent reports over a run; counts for an agent that reports none. */
export class Tally {
  readonly #messages: Message[]
  #reported = false
  #prompt = 0
  #completion = 0
  #reasoning = 0

  constructor (messages: Message[]) {
    this.#messages = messages
  }

  add (event: UsageEvent): void {
    this.#reported = true
    this.#prompt += tokens(event.prompt_tokens)
    this.#completion += tokens(event.completion_tokens)
    this.#reasoning += tokens(event.reasoning_tokens ?? 0)
  }

  async usage (reply: string): Promise<Usage> {
    const [prompt, completion] = this.#reported
      ? [this.#prompt, this.#completion]
      : [await countMessageTokens(this.#messages), await countTextTokens(reply)]
    return {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      ...(this.#reasoning > 0 && { completion_tokens_details: { reasoning_tokens: this.#reasoning } })
    }
  }
}

function tokens (value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new TypeError('the agent reported a usage that is not a number of tokens')
  return Math.round(value)
}

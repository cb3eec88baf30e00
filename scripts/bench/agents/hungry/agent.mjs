// Agents that accept much longer input than a model, so that the service has to count its tokens.
import { Relay } from '../bench/agent.mjs'

const LIMITS = { max_input_tokens: 200_000, max_output_tokens: 200_000 }

export class Hungry {
  modelInfo () { return LIMITS }

  async * reply () { yield 'That was a lot.' }
}

export class HungryRelay extends Relay {
  modelInfo () { return LIMITS }
}

// Agents that take much more than a model reads, so that the service has to count it.
import { Relay } from '../bench/agent.mjs'

const LIMITS = { max_input_tokens: 200_000, max_output_tokens: 200_000 }

export class Hungry {
  modelInfo () { return LIMITS }

  async * reply () { yield 'That was a lot.' }
}

export class HungryRelay extends Relay {
  modelInfo () { return LIMITS }
}

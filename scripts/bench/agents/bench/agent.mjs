// Agents that cost almost nothing, so that the benchmarks measure the service. The bare servers use the same functions.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

const COUNT = 100
export const FRAGMENTS = Array.from({ length: COUNT }, (_, i) => `fragment ${i} of ${COUNT}`.padEnd(20, '.'))
const WHOLE = '```python\ndef add(a, b):\n    return a + b\n```\nAdds two numbers, whole or not, and text and lists as well. '.repeat(3)
const TICK = 50
const MAX_TICKS = 10 * 60 * 1000 / TICK

export const USAGE = { type: 'usage', prompt_tokens: 40, completion_tokens: 300 }

/** The usage that the service counts for `counted`. */
export const COUNTED = { prompt_tokens: 49, completion_tokens: 97 }

export const plays = {
  async * whole () {
    yield WHOLE
    yield USAGE
  },

  /** Reports no usage, so that the service has to count it. */
  async * counted () {
    yield WHOLE
  },

  async * fragments () {
    for (const fragment of FRAGMENTS) yield fragment
    yield USAGE
  },

  async * turns () {
    for (const fragment of FRAGMENTS) {
      yield fragment
      await nextTurn()
    }
    yield USAGE
  },

  /** 20 fragments a second, like a model. */
  async * ticking (signal) {
    for (let i = 0; i < MAX_TICKS && !signal.aborted; i++) {
      yield FRAGMENTS[i % COUNT]
      await sleep(TICK)
    }
  },

  async * idle (signal) {
    yield FRAGMENTS[0]
    await new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  },

  /** Waits for a promise that nothing refers to, so that everything but the connection is collected: the least that a stream can cost. */
  async * mute () {
    yield FRAGMENTS[0]
    await new Promise(() => {})
  }
}

export class Player {
  #play

  constructor ({ play }) { this.#play = plays[play] }

  modelInfo () { return { max_input_tokens: 32768, max_output_tokens: 8192 } }

  reply (_request, signal) { return this.#play(signal) }
}

export class Relay {
  #backend

  constructor (_params, { backend }) { this.#backend = backend }

  modelInfo () { return { max_input_tokens: 32768, max_output_tokens: 8192 } }

  async * reply ({ messages, temperature, top_p }, signal, { id }) {
    for await (const event of this.#backend.chat({ messages, temperature, top_p, step: 'answer', run: id }, signal)) {
      if (event.type === 'fragment') yield event.text
      else yield event
    }
  }
}

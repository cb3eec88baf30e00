import type { LlamaContextSequence, Token } from 'node-llama-cpp'

interface Slot { sequence: LlamaContextSequence, isTaken: boolean, run: string, at: number }

interface Waiter { tokens: readonly Token[], run: string, take: (slot: Slot) => void, onWaiting: (before: number) => void }

/**
 * The sequences in which replies are written, one reply in each at a time. A sequence keeps the prompt that it read last, so
 * that a prompt with the same beginning need not be read again.
 */
export class Sequences {
  readonly #slots: Slot[]
  readonly #waiters: Waiter[] = []

  constructor (sequences: LlamaContextSequence[]) {
    this.#slots = sequences.map(sequence => ({ sequence, isTaken: false, run: '', at: 0 }))
  }

  async take (
    tokens: readonly Token[], run: string, signal: AbortSignal, onWaiting: (before: number) => void
  ): Promise<LlamaContextSequence> {
    signal.throwIfAborted()
    const free = this.#slots.filter(slot => !slot.isTaken)
    const slot = best(free, tokens, run) ?? await this.#wait({ tokens, run, onWaiting }, signal)
    slot.isTaken = true
    slot.run = run
    slot.at = performance.now()
    return slot.sequence
  }

  give (sequence: LlamaContextSequence): void {
    const slot = this.#slots.find(slot => slot.sequence === sequence)
    if (!slot) return
    const next = this.#waiters.shift()
    if (next) next.take(slot)
    else slot.isTaken = false
    this.#reportPositions()
  }

  #wait (place: Omit<Waiter, 'take'>, signal: AbortSignal): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        this.#reportPositions()
        reject(signal.reason)
      }
      const waiter: Waiter = {
        ...place,
        take (slot) {
          signal.removeEventListener('abort', leave)
          resolve(slot)
        }
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiters.push(waiter)
      place.onWaiting(this.#waiters.length)
    })
  }

  #reportPositions (): void {
    for (const [i, { onWaiting }] of this.#waiters.entries()) onWaiting(i + 1)
  }
}

/** The slot that has read most of the prompt already; among equals the one of the same run, then the least recently used. */
function best (slots: readonly Slot[], tokens: readonly Token[], run: string): Slot | undefined {
  const rated = slots.map(slot => ({ slot, common: commonLength(slot.sequence.contextTokens, tokens) }))
  rated.sort((a, b) => b.common - a.common || Number(b.slot.run === run) - Number(a.slot.run === run) || a.slot.at - b.slot.at)
  return rated[0]?.slot
}

function commonLength (a: readonly Token[], b: readonly Token[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

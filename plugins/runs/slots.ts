import { Overloaded } from '../../schemas/errors.js'
import type { Run } from './run.js'

interface Claim { run: Run, agent: string, concurrency: number, told: number }

export interface SlotLimits {
  /** All runs together. */
  maxRuns?: number
  /** How many may wait. */
  maxQueue?: number
}

/** Who may run now and who waits, first come first served. Without limits nobody ever waits. */
export class Slots {
  readonly #maxRuns: number
  readonly #maxQueue: number
  readonly #taken = new Map<Run, string>()
  readonly #busy = new Map<string, number>()
  #queue: Claim[] = []
  #serving = false

  constructor ({ maxRuns = Infinity, maxQueue = Infinity }: SlotLimits) {
    this.#maxRuns = maxRuns
    this.#maxQueue = maxQueue
  }

  get waiting (): number { return this.#queue.length }
  get taken (): number { return this.#taken.size }

  /** Begins the run now or when its turn comes. Throws where not even a place to wait is left. */
  admit (run: Run, agent: string, concurrency = Infinity): void {
    const claim = { run, agent, concurrency, told: 0 }
    if (this.#fits(claim)) return this.#grant(claim)
    if (this.#queue.length >= this.#maxQueue) throw new Overloaded(this.#queue.length)
    this.#queue.push(claim)
    this.#tellPositions()
  }

  /** The run has ended, or left the queue. */
  release (run: Run): void {
    const agent = this.#taken.get(run)
    if (agent === undefined) {
      const before = this.#queue.length
      this.#queue = this.#queue.filter(claim => claim.run !== run)
      if (this.#queue.length < before) this.#tellPositions()
      return
    }
    this.#taken.delete(run)
    const left = (this.#busy.get(agent) ?? 1) - 1
    if (left > 0) this.#busy.set(agent, left)
    else this.#busy.delete(agent)
    if (this.#queue.length > 0) this.#next()
  }

  // A run that ends while it begins releases its slot at once: the loop serves that, too, instead of a recursion.
  #next (): void {
    if (this.#serving) return
    this.#serving = true
    for (let next = this.#take(); next; next = this.#take()) next.run.begin()
    this.#serving = false
    this.#tellPositions()
  }

  /** The first who may run now. */
  #take (): Claim | undefined {
    const index = this.#taken.size < this.#maxRuns ? this.#queue.findIndex(claim => this.#fits(claim)) : -1
    const [claim] = index < 0 ? [] : this.#queue.splice(index, 1)
    if (claim) this.#occupy(claim)
    return claim
  }

  #fits ({ agent, concurrency }: Claim): boolean {
    return this.#taken.size < this.#maxRuns && (this.#busy.get(agent) ?? 0) < concurrency
  }

  #occupy ({ run, agent }: Claim): void {
    this.#taken.set(run, agent)
    this.#busy.set(agent, (this.#busy.get(agent) ?? 0) + 1)
  }

  #grant (claim: Claim): void {
    this.#occupy(claim)
    claim.run.begin()
  }

  // Under --max-runs all wait for each other, else only those of one agent.
  #tellPositions (): void {
    const ahead = new Map<string, number>()
    for (const claim of this.#queue) {
      const line = this.#maxRuns === Infinity ? claim.agent : ''
      const position = (ahead.get(line) ?? 0) + 1
      ahead.set(line, position)
      if (claim.told !== position) claim.run.tell(`Waiting for a free slot: number ${position} in the queue.\n`)
      claim.told = position
    }
  }
}

import { Overloaded } from '../../schemas/errors.js'
import type { Run } from './run.js'

/** The runs of one agent. */
interface Lane { busy: number, readonly waiting: Set<Run> }
interface Claim { lane: Lane, concurrency: number, turn: number, told: number }

export interface SlotLimits {
  /** All runs together. */
  maxRuns?: number
  /** How many may wait. */
  maxQueue?: number
}

// Runs that fail at once free their slots within the same turn: without a bound, a queue of them would keep the loop to itself.
const BEGINS_PER_TURN = 8

// A queue of thousands that moves on quickly would else be walked, and its clients written to, without end.
const TELL_EVERY = 100

/** Who may run now and who waits, first come first served. Without limits nobody ever waits. */
export class Slots {
  readonly #maxRuns: number
  readonly #maxQueue: number
  readonly #lanes = new Map<string, Lane>()
  readonly #taken = new Map<Run, Lane>()
  readonly #queue = new Map<Run, Claim>()
  #serving = false
  #telling: NodeJS.Timeout | undefined
  #begun = 0
  #sequence = 0

  constructor ({ maxRuns = Infinity, maxQueue = Infinity }: SlotLimits) {
    this.#maxRuns = maxRuns
    this.#maxQueue = maxQueue
  }

  get waiting (): number { return this.#queue.size }
  get taken (): number { return this.#taken.size }

  /** Begins the run now or when its turn comes. Throws where not even a place to wait is left. */
  admit (run: Run, agent: string, concurrency = Infinity): void {
    const lane = this.#lane(agent)
    if (this.#mayBegin() && this.#fits(lane, concurrency)) {
      this.#occupy(run, lane)
      return run.begin()
    }
    if (this.#queue.size >= this.#maxQueue) throw new Overloaded(this.#queue.size)
    this.#queue.set(run, { lane, concurrency, turn: this.#sequence++, told: 0 })
    lane.waiting.add(run)
    this.#tellPositions()
  }

  /** The run has ended, or left the queue. */
  release (run: Run): void {
    const lane = this.#taken.get(run)
    if (lane) {
      this.#taken.delete(run)
      lane.busy--
      if (this.#queue.size > 0) this.#next()
    } else if (this.#leave(run)) this.#tellPositions()
  }

  #lane (agent: string): Lane {
    let lane = this.#lanes.get(agent)
    if (!lane) this.#lanes.set(agent, lane = { busy: 0, waiting: new Set() })
    return lane
  }

  #leave (run: Run): boolean {
    this.#queue.get(run)?.lane.waiting.delete(run)
    return this.#queue.delete(run)
  }

  // A run that ends while it begins releases its slot at once: the loop serves that, too, instead of a recursion.
  #next (): void {
    if (this.#serving) return
    this.#serving = true
    for (let next = this.#take(); next; next = this.#take()) next.begin()
    this.#serving = false
    this.#tellPositions()
  }

  /** The first who may run now: of those at the head of each agent's line, who came first. */
  #take (): Run | undefined {
    if (!this.#mayBegin()) return undefined
    let first: [Run, Claim] | undefined
    for (const { waiting } of this.#lanes.values()) {
      const [run] = waiting
      const claim = run && this.#queue.get(run)
      if (run && claim && this.#fits(claim.lane, claim.concurrency) && (!first || claim.turn < first[1].turn)) first = [run, claim]
    }
    if (!first) return undefined
    const [run, { lane }] = first
    this.#leave(run)
    this.#occupy(run, lane)
    if (this.#begun++ === 0) setImmediate(() => this.#nextTurn())
    return run
  }

  // Until the next turn all must wait: who came now would else pass by those that could begin.
  #mayBegin (): boolean {
    return this.#begun < BEGINS_PER_TURN
  }

  #nextTurn (): void {
    this.#begun = 0
    if (this.#queue.size > 0) this.#next()
  }

  #fits (lane: Lane, concurrency: number): boolean {
    return lane.busy < concurrency && this.#taken.size < this.#maxRuns
  }

  #occupy (run: Run, lane: Lane): void {
    this.#taken.set(run, lane)
    lane.busy++
  }

  #tellPositions (): void {
    if (this.#telling) return
    this.#telling = setTimeout(() => {
      this.#telling = undefined
      // Under --max-runs all wait for each other, else only those of one agent.
      const lines = this.#maxRuns === Infinity ? [...this.#lanes.values()].map(lane => lane.waiting) : [this.#queue.keys()]
      for (const line of lines) this.#tell(line)
    }, TELL_EVERY).unref()
  }

  #tell (line: Iterable<Run>): void {
    let position = 0
    for (const run of line) {
      const claim = this.#queue.get(run)
      if (!claim) continue
      position++
      if (claim.told !== position) run.tell(`Waiting for a free slot: number ${position} in the queue.\n`)
      claim.told = position
    }
  }
}

import { Overloaded } from '../../schemas/errors.js'
import type { Run } from './run.js'

/** The runs of one agent: how many have a slot, and which wait for one. */
interface Lane { busy: number, readonly waiting: Set<Run> }
/** A run in the queue. `turn` is its place in the order of arrival, `reported` the position that its client was told last. */
interface Claim { lane: Lane, concurrency: number, turn: number, reported: number }

export interface SlotLimits {
  /** All runs together. */
  maxRuns?: number
  /** How many may wait. */
  maxQueue?: number
}

// Runs that fail immediately free their slots within the same turn of the event loop: a long queue of them would block the loop.
const BEGINS_PER_TURN = 8

// Milliseconds between two reports of positions: in a long queue that moves quickly, reporting each change would cost too much.
const REPORT_EVERY = 100

/** Decides which runs may begin now and which wait, first come, first served. Without limits, no run ever waits. */
export class Slots {
  readonly #maxRuns: number
  readonly #maxQueue: number
  readonly #lanes = new Map<string, Lane>()
  readonly #taken = new Map<Run, Lane>()
  readonly #queue = new Map<Run, Claim>()
  #serving = false
  #reporting: NodeJS.Timeout | undefined
  #begun = 0
  #sequence = 0

  constructor ({ maxRuns = Infinity, maxQueue = Infinity }: SlotLimits) {
    this.#maxRuns = maxRuns
    this.#maxQueue = maxQueue
  }

  get waiting (): number { return this.#queue.size }
  get taken (): number { return this.#taken.size }

  /** Begins the run now or when its turn comes. Throws if the queue is full as well. */
  admit (run: Run, agent: string, concurrency = Infinity): void {
    const lane = this.#lane(agent)
    if (this.#mayBegin() && this.#fits(lane, concurrency)) {
      this.#occupy(run, lane)
      return run.begin()
    }
    if (this.#queue.size >= this.#maxQueue) throw new Overloaded(this.#queue.size)
    this.#queue.set(run, { lane, concurrency, turn: this.#sequence++, reported: 0 })
    lane.waiting.add(run)
    this.#reportPositions()
  }

  /** Call it when the run has ended, or when its client has gone while it waited. */
  release (run: Run): void {
    const lane = this.#taken.get(run)
    if (lane) {
      this.#taken.delete(run)
      lane.busy--
      if (this.#queue.size > 0) this.#next()
    } else if (this.#leave(run)) this.#reportPositions()
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

  // A run that ends while it begins calls release() from within begin(): the loop below then continues, without a recursion.
  #next (): void {
    if (this.#serving) return
    this.#serving = true
    for (let next = this.#take(); next; next = this.#take()) next.begin()
    this.#serving = false
    this.#reportPositions()
  }

  /** Takes the next run that may begin from the queue: of the first ones of each agent, the one that came first. */
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

  // After that many, every run waits for the next turn of the loop: otherwise a new run could overtake those in the queue.
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

  #reportPositions (): void {
    if (this.#reporting) return
    this.#reporting = setTimeout(() => {
      this.#reporting = undefined
      // With --max-runs all runs wait in one line, otherwise the runs of each agent in a line of their own.
      const lines = this.#maxRuns === Infinity ? [...this.#lanes.values()].map(lane => lane.waiting) : [this.#queue.keys()]
      for (const line of lines) this.#reportLine(line)
    }, REPORT_EVERY).unref()
  }

  #reportLine (line: Iterable<Run>): void {
    let position = 0
    for (const run of line) {
      const claim = this.#queue.get(run)
      if (!claim) continue
      position++
      if (claim.reported !== position) run.reportProgress(`Waiting for a free slot: number ${position} in the queue.\n`)
      claim.reported = position
    }
  }
}

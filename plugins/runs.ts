import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Agent, AgentRequest } from '../agents/types.js'
import { AgentFailed, ShuttingDown } from '../schemas/errors.js'
import type { RegisteredAgent } from './agents.js'
import { Run, type RunView } from './runs/run.js'
import { SharedRuns } from './runs/shared.js'
import { Slots, type SlotLimits } from './runs/slots.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every run in flight. */
    runs: Runs
  }
}

export interface RunsOptions extends SlotLimits {
  /** How many milliseconds a run may take. */
  runTimeout?: number
  /** How many milliseconds the runs in flight have to finish at shutdown. */
  drain?: number
  /** Whether progress is sent to clients. */
  progress?: boolean
  /** Whether the log names the run that a stray error belongs to; by default only where that costs little. */
  traceRuns?: boolean
}

export interface RunStart {
  agent: RegisteredAgent
  request: AgentRequest
  /** The caller's Idempotency-Key and a digest of its body. */
  key?: { value: string, body: string } | undefined
}

/** The receiver of a run's events, such as an HTTP client. */
export interface Reader {
  /**
   * Calls `leave` when the reader has received everything (`hasAll`) or has gone away, immediately if that has happened already.
   * `leave` may be called more than once.
   */
  onLeave (leave: (hasAll: boolean) => void): void
}

// At shutdown, how long the last data of a run may take to reach a slow reader (milliseconds).
const FLUSH_TIMEOUT = 1000

export class Runs {
  readonly #log: FastifyBaseLogger
  readonly #timeout: number
  readonly #drain: number
  readonly #progress: boolean
  readonly #slots: Slots
  readonly #shared = new SharedRuns()
  readonly #running = new Set<Run>()
  readonly #readers = new Set<Reader>()
  readonly #trace: boolean
  readonly #debug: boolean
  #watch: NodeJS.Timeout | undefined
  #closing = false
  #onIdle: (() => void) | undefined

  constructor (log: FastifyBaseLogger, { runTimeout = 60 * 60_000, drain = 10_000, progress = true, traceRuns, ...limits }: RunsOptions) {
    this.#log = log
    this.#timeout = runTimeout
    this.#drain = drain
    this.#progress = progress
    this.#trace = traceRuns ?? Number(process.versions.node.split('.')[0]) >= 24
    this.#debug = log.level === 'debug' || log.level === 'trace'
    this.#slots = new Slots(limits)
  }

  /** How many runs have a slot, wait for one and exist, and how many replies are being sent. */
  get load (): { taken: number, waiting: number, runs: number, replies: number } {
    return { taken: this.#slots.taken, waiting: this.#slots.waiting, runs: this.#running.size, replies: this.#readers.size }
  }

  get closing (): boolean { return this.#closing }

  /** The ids of the runs in flight. */
  get ids (): string[] { return Array.from(this.#running, run => run.id) }

  has (id: unknown): boolean {
    return typeof id === 'string' && this.ids.includes(id)
  }

  /** Starts a run for a client, or joins the one that its key names. */
  start ({ agent, request, key }: RunStart, reader: Reader): RunView {
    if (this.#closing) throw new ShuttingDown()
    const view = key ? this.#shared.join(key.value, key.body, () => this.#begin(agent, request)) : this.#begin(agent, request)
    this.#readers.add(reader)
    reader.onLeave(hasAll => {
      if (!this.#readers.delete(reader)) return
      if (!hasAll) {
        this.#log.debug({ run: view.id }, 'the client went away')
        view.leave()
      }
      this.#settle()
    })
    return view
  }

  #begin ({ id, agent, concurrency }: RegisteredAgent, request: AgentRequest): Run {
    const run = new Run({
      agent, request, progress: this.#progress, trace: this.#trace, log: this.#log, debug: this.#debug,
      onRelease: this.#onRelease
    })
    if (isBackground(agent, request)) run.begin()
    else this.#slots.admit(run, id, concurrency)
    if (!run.ended) {
      this.#running.add(run)
      this.#watch ??= setInterval(() => this.#endLate(), Math.min(Math.max(this.#timeout / 10, 10), 1000)).unref()
    }
    return run
  }

  readonly #onRelease = (run: Run): void => {
    this.#slots.release(run)
    this.#running.delete(run)
    this.#settle()
  }

  // One timer checks all runs: a timer for each run would cost time and memory for every open stream.
  #endLate (): void {
    if (this.#running.size === 0) return this.#stopWatch() // not as soon as the last run ends: starting a timer costs more than a short run
    const now = performance.now()
    for (const run of this.#running) {
      if (run.began === undefined || now - run.began <= this.#timeout) continue
      run.fail(new AgentFailed(new Error(`the run took longer than the ${this.#timeout / 1000} s that --run-timeout allows`)))
    }
  }

  #stopWatch (): void {
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  /** Refuses new runs, waits a while for the runs in flight, then ends those that are left. */
  async close (): Promise<void> {
    this.#closing = true
    if (await this.#idle(this.#drain)) return this.#shared.clear()
    this.#log.warn({ runs: this.#running.size }, 'runs are ended by the shutdown')
    for (const run of this.#running) run.fail(new ShuttingDown())
    await this.#idle(FLUSH_TIMEOUT)
    this.#shared.clear()
  }

  async #idle (timeout: number): Promise<boolean> {
    if (this.#isIdle()) return true
    let timer: NodeJS.Timeout | undefined
    await Promise.race([
      new Promise<void>(resolve => { this.#onIdle = resolve }),
      new Promise<void>(resolve => { timer = setTimeout(resolve, timeout) })
    ])
    clearTimeout(timer)
    this.#onIdle = undefined
    return this.#isIdle()
  }

  #isIdle (): boolean {
    return this.#running.size === 0 && this.#readers.size === 0
  }

  #settle (): void {
    if (this.#onIdle && this.#isIdle()) this.#onIdle()
  }
}

function isBackground (agent: Agent, request: AgentRequest): boolean {
  try {
    return agent.isBackground?.(request) === true
  } catch (error) {
    throw new AgentFailed(error)
  }
}

export default fp(async function runs (fastify, options: RunsOptions) {
  const runs = new Runs(fastify.log, options)
  fastify.decorate('runs', runs)
  fastify.addHook('preClose', () => runs.close())
}, { name: 'runs' })

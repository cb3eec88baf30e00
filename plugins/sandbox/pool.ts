import type { Host } from './toolchain.js'
import { Worker, type WorkerJob, type WorkerKind, type WorkerRun } from './worker.js'

const IDLE_MS = 120_000
// For this long after a job the next one is likely to come soon, and all workers are kept ready.
const ACTIVE_MS = 10_000

/** Workers that are started ahead of their jobs. There are none before the first job or `warm`, and none once jobs stay away. */
export class Pool {
  readonly #kind: WorkerKind
  readonly #host: Host
  readonly #size: number
  readonly #busy = new Set<Worker>()
  #idle: Worker[] = []
  #timers: NodeJS.Timeout[] = []
  #isClosed = false

  /** `size`: how many are kept ready. Ten seconds after the last job one of them is left, after two minutes none. */
  constructor (kind: WorkerKind, host: Host, size: number) {
    this.#kind = kind
    this.#host = host
    this.#size = size
  }

  /** Runs a job in a worker of its own. `onFolder` gets the worker's folder. Workers that died while idle are skipped. */
  async run (job: object, { onFolder, ...options }: WorkerJob & { onFolder?: (folder: string) => void }): Promise<WorkerRun> {
    options.operation.signal.throwIfAborted() // before a worker is taken that nobody would end
    const worker = this.#take()
    onFolder?.(worker.folder)
    this.#busy.add(worker)
    try {
      return await worker.run(job, options)
    } finally {
      void this.#dispose(worker) // it takes 5 to 15 ms, which the caller need not wait for
    }
  }

  /** Starts as many workers as are missing. */
  warm (): void {
    if (this.#isClosed) return
    this.#idle = this.#idle.filter(worker => !worker.isDead)
    while (this.#idle.length < this.#size) this.#idle.push(new Worker(this.#kind, this.#host))
    this.#stopTimers()
    this.#timers = [setTimeout(() => void this.#keep(1), ACTIVE_MS).unref(), setTimeout(() => void this.#keep(0), IDLE_MS).unref()]
  }

  async close (): Promise<void> {
    this.#isClosed = true
    this.#stopTimers()
    await Promise.all([this.#keep(0), ...[...this.#busy].map(worker => worker.dispose())])
  }

  #take (): Worker {
    if (this.#isClosed) throw new Error('the sandbox is closed')
    for (let worker = this.#idle.shift(); worker; worker = this.#idle.shift()) if (!worker.isDead) return worker
    return new Worker(this.#kind, this.#host)
  }

  async #dispose (worker: Worker): Promise<void> {
    try {
      await worker.dispose()
    } catch (error) {
      this.#host.log.warn({ err: error }, 'a folder of the sandbox could not be removed')
    }
    this.#busy.delete(worker)
    this.warm() // not earlier: the start would compete with the job
  }

  async #keep (count: number): Promise<void> {
    await Promise.all(this.#idle.splice(count).map(worker => worker.dispose()))
  }

  #stopTimers (): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}

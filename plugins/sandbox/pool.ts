import { Cell, type CellJob, type CellKind, type CellRun } from './cell.js'
import type { Site } from './toolchain.js'

const IDLE_MS = 120_000
// So long after a job another one is likely, and may come before a cell could be started for it.
const ACTIVE_MS = 10_000

/** Cells made ready ahead of their jobs. None before the first job or `warm`, and none once jobs stay away. */
export class Pool {
  readonly #kind: CellKind
  readonly #site: Site
  readonly #size: number
  readonly #rest: number
  readonly #idleMs: number
  readonly #busy = new Set<Cell>()
  #idle: Cell[] = []
  #resting: NodeJS.Timeout | undefined
  #cooling: NodeJS.Timeout | undefined
  #isClosed = false

  constructor (kind: CellKind, site: Site, { size = 1, rest = 1, idleMs = IDLE_MS } = {}) {
    this.#kind = kind
    this.#site = site
    this.#size = size
    this.#rest = rest
    this.#idleMs = idleMs
  }

  /** Runs a job in a cell of its own. A cell that died while it waited is passed over. */
  async run (job: object, { onCell, ...options }: CellJob & { onCell?: (cell: Cell) => void }): Promise<CellRun> {
    options.scope.signal.throwIfAborted() // before a cell is taken that nobody would end
    const cell = this.#take()
    onCell?.(cell)
    this.#busy.add(cell)
    try {
      return await cell.run(job, options)
    } finally {
      void this.#part(cell) // it takes 5 to 15 ms, which nobody needs to wait for
    }
  }

  async #part (cell: Cell): Promise<void> {
    try {
      await cell.dispose()
    } catch (error) {
      this.#site.log.warn({ err: error }, 'a folder of the sandbox could not be removed')
    }
    this.#busy.delete(cell)
    this.warm() // only now: a start beside the job would compete with it
  }

  warm (): void {
    if (this.#isClosed) return
    this.#idle = this.#idle.filter(cell => !cell.isDead)
    while (this.#idle.length < this.#size) this.#idle.push(new Cell(this.#kind, this.#site))
    clearTimeout(this.#resting)
    clearTimeout(this.#cooling)
    if (this.#rest < this.#size) this.#resting = setTimeout(() => void this.#cool(this.#rest), ACTIVE_MS).unref()
    this.#cooling = setTimeout(() => void this.#cool(), this.#idleMs).unref()
  }

  async close (): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#resting)
    clearTimeout(this.#cooling)
    await Promise.all([this.#cool(), ...[...this.#busy].map(cell => cell.dispose())])
  }

  #take (): Cell {
    if (this.#isClosed) throw new Error('the sandbox is closed')
    for (let cell = this.#idle.shift(); cell; cell = this.#idle.shift()) if (!cell.isDead) return cell
    return new Cell(this.#kind, this.#site)
  }

  async #cool (left = 0): Promise<void> {
    await Promise.all(this.#idle.splice(left).map(cell => cell.dispose()))
  }
}

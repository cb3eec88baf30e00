import type { Files } from '../../agents/types.js'
import { Cell, type CellKind, type CellRun } from './cell.js'
import type { Scope, Site } from './toolchain.js'

const IDLE_MS = 120_000

/** Cells made ready ahead of their jobs. None before the first job or `warm`, and none once jobs stay away. */
export class Pool {
  readonly #kind: CellKind
  readonly #site: Site
  readonly #size: number
  readonly #idleMs: number
  readonly #busy = new Set<Cell>()
  #idle: Cell[] = []
  #cooling: NodeJS.Timeout | undefined
  #isClosed = false

  constructor (kind: CellKind, site: Site, { size = 1, idleMs = IDLE_MS } = {}) {
    this.#kind = kind
    this.#site = site
    this.#size = size
    this.#idleMs = idleMs
  }

  /** Runs a job in a cell of its own. A cell that died while it waited is passed over. */
  async run (job: object, { onCell, ...options }: { files?: Files, scope: Scope, onCell?: (cell: Cell) => void }): Promise<CellRun> {
    const cell = this.#take()
    onCell?.(cell)
    this.#busy.add(cell)
    try {
      return await cell.run(job, options)
    } finally {
      this.#busy.delete(cell)
      this.warm() // only now: a start beside the job would compete with it
    }
  }

  warm (): void {
    if (this.#isClosed) return
    this.#idle = this.#idle.filter(cell => !cell.isDead)
    while (this.#idle.length < this.#size) this.#idle.push(new Cell(this.#kind, this.#site))
    clearTimeout(this.#cooling)
    this.#cooling = setTimeout(() => void this.#cool(), this.#idleMs).unref()
  }

  async close (): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#cooling)
    await Promise.all([this.#cool(), ...[...this.#busy].map(cell => cell.dispose())])
  }

  #take (): Cell {
    if (this.#isClosed) throw new Error('the sandbox is closed')
    for (let cell = this.#idle.shift(); cell; cell = this.#idle.shift()) if (!cell.isDead) return cell
    return new Cell(this.#kind, this.#site)
  }

  async #cool (): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(cell => cell.dispose()))
  }
}

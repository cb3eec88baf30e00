import type { Limits, Logger } from '../../agents/types.js'
import { SandboxUnavailable } from './errors.js'
import { Slots } from './slots.js'
import type { Operation } from './toolchain.js'
import { type Excess, watchUsage } from './usage.js'

const WARM_MS = 10_000
// All that these tools need for a file of usual size.
const MIN_MEMORY_MIB = 1024

/** A tool that is running: a process, or a thread, which has no pid. */
export interface RunningTool {
  pid: number | undefined
  /** Aborted when the tool has ended, with the reason. */
  ended: AbortSignal
  stop: () => Promise<void>
}

export interface ToolSettings<T> {
  /** As a report names it: `the type checker`. */
  name: string
  start: () => Promise<T>
  /** How long it is kept without work. */
  idleMs: number
  /** After so many uses it is started anew, since it keeps a little memory of each. */
  maxUses?: number
  log: Logger
}

/** The tool passed a limit, or failed. */
export class ToolFailed extends Error {}

/** A tool that takes long to start: the first job starts it, later jobs use it one at a time, and it is stopped once idle. */
export class KeptTool<T extends RunningTool> {
  readonly #settings: ToolSettings<T>
  readonly #turn = new Slots(1)
  #running: Promise<T> | undefined
  #idle: NodeJS.Timeout | undefined
  #uses = 0
  #isClosed = false

  constructor (settings: ToolSettings<T>) {
    this.#settings = settings
  }

  /** The result of `work`. Throws a ToolFailed where it cannot be had within the limits; the tool is then stopped. */
  async use<R> (operation: Operation, work: (tool: T) => Promise<R>): Promise<R> {
    const { name, idleMs, maxUses = Infinity } = this.#settings
    return await this.#turn.with(operation, async () => {
      clearTimeout(this.#idle)
      try {
        const tool = await this.#open()
        const result = await within(operation, tool, name, work(tool))
        if (++this.#uses >= maxUses) await this.#stop()
        return result
      } catch (error) {
        await this.#stop()
        operation.signal.throwIfAborted()
        if (error instanceof ToolFailed || error instanceof SandboxUnavailable) throw error
        throw new ToolFailed(`${name} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
      } finally {
        this.#idle = setTimeout(() => void this.#stop(), idleMs).unref()
      }
    })
  }

  /** Starts the tool and has it do `work`, so that the first job finds it ready. */
  warm (work: (tool: T) => Promise<unknown>): void {
    const limits = { wallMs: WARM_MS, cpuMs: WARM_MS, memoryMiB: MIN_MEMORY_MIB, outputBytes: 0 }
    this.use({ signal: AbortSignal.timeout(WARM_MS), limits, run: this }, work)
      .catch((error: unknown) => this.#settings.log.debug({ err: error }, `${this.#settings.name} could not be warmed`))
  }

  async close (): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await this.#stop()
  }

  // A job that waited for its turn during `close` would start a tool that nobody stops.
  async #open (): Promise<T> {
    if (this.#isClosed) throw new SandboxUnavailable('the sandbox is closed')
    this.#running ??= this.#settings.start()
    return await this.#running
  }

  async #stop (): Promise<void> {
    const tool = await this.#running?.catch(() => undefined) // a tool that did not start need not be stopped
    this.#running = undefined
    this.#uses = 0
    await tool?.stop()
  }
}

/** Waits for `work` until the operation is aborted, the tool has ended, or it has passed a limit. */
async function within<R> ({ signal, limits }: Operation, { pid, ended }: RunningTool, name: string, work: Promise<R>): Promise<R> {
  const memory: Limits = { ...limits, memoryMiB: Math.max(limits.memoryMiB, MIN_MEMORY_MIB) }
  let release = () => {}
  const stopped = new Promise<never>((_resolve, reject) => {
    const unwatch = watchUsage(pid, memory, (excess: Excess) => reject(new ToolFailed(`${name} ran out of ${excess}`)))
    const signals = [signal, ended].map(source => [source, () => reject(source.reason)] as const)
    for (const [source, listener] of signals) {
      if (source.aborted) listener()
      source.addEventListener('abort', listener, { once: true })
    }
    // Not AbortSignal.any: of each signal that it makes, something would stay in `ended`.
    release = () => {
      unwatch()
      for (const [source, listener] of signals) source.removeEventListener('abort', listener)
    }
  })
  try {
    return await Promise.race([work, stopped])
  } finally {
    release()
  }
}

import type { FinishReason } from '../../agents/types.js'
import type { Usage } from '../../schemas/chat.js'
import { AgentFailed, IdempotencyConflict } from '../../schemas/errors.js'
import type { Run, RunEvent, RunView, Sink } from './run.js'

const KEEP_FOR = 10 * 60 * 1000
const KEEP_BYTES = 64 * 1024 * 1024
const PER_EVENT = 64 // roughly the bytes that an event takes in addition to its text

/** The runs with an Idempotency-Key: a repeated request joins the run in flight, or gets the finished reply again. */
export class SharedRuns {
  readonly #runs = new Map<string, { body: string, shared: SharedRun, expiry?: NodeJS.Timeout }>()
  #bytes = 0

  /** A view of the run with this key; if there is none, `start` makes one. */
  join (key: string, body: string, start: () => Run): RunView {
    const known = this.#runs.get(key)
    if (known && known.body !== body) throw new IdempotencyConflict()
    if (known) return known.shared.view()
    const shared = new SharedRun(start(), whole => whole ? this.#keep(key, shared) : this.#forget(key, shared))
    this.#runs.set(key, { body, shared })
    return shared.view()
  }

  clear (): void {
    for (const [key, { shared }] of this.#runs) this.#forget(key, shared)
  }

  #keep (key: string, shared: SharedRun): void {
    const entry = this.#runs.get(key)
    if (entry?.shared !== shared) return
    this.#bytes += shared.bytes
    entry.expiry = setTimeout(() => this.#forget(key, shared), KEEP_FOR).unref()
    for (const [oldest, { shared, expiry }] of this.#runs) {
      if (this.#bytes <= KEEP_BYTES) break
      if (expiry) this.#forget(oldest, shared)
    }
  }

  #forget (key: string, shared: SharedRun): void {
    const entry = this.#runs.get(key)
    if (entry?.shared !== shared) return
    this.#runs.delete(key)
    if (!entry.expiry) return
    clearTimeout(entry.expiry)
    this.#bytes -= shared.bytes
  }
}

/** One run read by several clients, each from the first event on. The fastest reader sets the pace. */
class SharedRun {
  readonly run: Run
  readonly log: RunEvent[] = []
  bytes = 0
  done = false
  error: unknown
  readonly #views = new Set<View>()
  readonly #onEnd: (whole: boolean) => void
  #reading = false
  #hungry: (() => void) | undefined

  constructor (run: Run, onEnd: (whole: boolean) => void) {
    this.run = run
    this.#onEnd = onEnd
  }

  view (): RunView {
    const view = new View(this)
    this.#views.add(view)
    return view
  }

  leave (view: View): void {
    if (!this.#views.delete(view) || this.#views.size > 0 || this.done) return
    this.#onEnd(false) // before the abort, so that the next request with this key starts a new run
    this.#hungry?.()
    this.run.leave()
  }

  /** Called when a view has read all events so far. */
  more (): void {
    this.#hungry?.()
    this.#hungry = undefined
    if (this.#reading) return
    this.#reading = true
    this.run.read(event => this.#add(event)).then(() => this.#end(), error => this.#end(error))
  }

  #add (event: RunEvent): Promise<void> | undefined {
    this.log.push(event)
    this.bytes += PER_EVENT + 2 * lengthOf(event)
    if (this.bytes > KEEP_BYTES) {
      this.run.fail(new AgentFailed(new Error('the reply is longer than can be kept for its Idempotency-Key; ask without one')))
      return undefined
    }
    this.#wake()
    return new Promise((resolve) => { this.#hungry = resolve })
  }

  #end (error?: unknown): void {
    this.done = true
    this.error = error
    this.#onEnd(error === undefined)
    this.#wake()
  }

  #wake (): void {
    for (const view of this.#views) view.wake()
  }
}

function lengthOf (event: RunEvent): number {
  if (typeof event === 'string') return event.length
  return event.type === 'progress' ? event.text.length : event.arguments.length
}

class View implements RunView {
  readonly #shared: SharedRun
  #left = false
  #wake: (() => void) | undefined

  constructor (shared: SharedRun) {
    this.#shared = shared
  }

  get id (): string { return this.#shared.run.id }
  get created (): number { return this.#shared.run.created }
  get finish (): FinishReason { return this.#shared.run.finish }

  async read (sink: Sink): Promise<void> {
    const shared = this.#shared
    for (let at = 0; !this.#left;) {
      const event = shared.log[at]
      if (event !== undefined) {
        at++
        await sink(event)
      } else if (shared.done) {
        if (shared.error !== undefined) throw shared.error
        return
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
          shared.more()
        })
      }
    }
  }

  wake (): void {
    this.#wake?.()
  }

  usage (reply: string): Promise<Usage> | Usage {
    return this.#shared.run.usage(reply)
  }

  leave (): void {
    this.#left = true
    this.#shared.leave(this)
    this.#wake?.()
  }
}

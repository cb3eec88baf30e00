import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Ending } from '../ending.js'
import { Slots } from '../slots.js'
import type { Scope } from '../toolchain.js'
import { isRecord } from '../values.js'

// It holds 70 MB, and is back in 0.2 s.
const IDLE_MS = 30_000
const HEAP_MIB = 256
// A larger one is 12 MB more, and no quicker.
const YOUNG_MIB = 2
const MAX_TEXT = 1024 * 1024

export interface Place { row: number, column: number }
export interface Edit { content: string | null, location: Place, end_location: Place }
export interface Lint { code: string, message: string, start: Place, edits: Edit[] }

/** Which rules, and what counts as the job's own when imports are sorted. */
export interface Rules { select: string[], firstParty: string[] }

/** It came to no end. */
export class RuffFailed extends Error {}

interface Thread { worker: Worker, ending: Ending }

/** Ruff, in a thread that is ended when it takes too long, and when it is not needed for a while. */
export class Ruff {
  readonly #file: string
  readonly #turn = new Slots(1)
  #thread: Thread | undefined
  #cooling: NodeJS.Timeout | undefined
  #id = 0

  constructor (folder: string) {
    this.#file = join(folder, 'ruff-worker.mjs')
  }

  /** Of a text that parses; undefined for one that does not. */
  async format (text: string, scope: Scope): Promise<string | undefined> {
    const { result } = await this.#ask('format', text, { select: [], firstParty: [] }, scope)
    return result
  }

  async check (text: string, rules: Rules, scope: Scope): Promise<Lint[]> {
    const { result, error } = await this.#ask('check', text, rules, scope)
    if (result === undefined) throw new RuffFailed(`ruff failed: ${error ?? ''}`)
    const found: unknown = JSON.parse(result)
    return Array.isArray(found) ? found.filter(isRecord).map(lintOf) : []
  }

  warm (): void {
    this.#thread ??= this.#start()
    this.#cool()
  }

  async close (): Promise<void> {
    clearTimeout(this.#cooling)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.worker.terminate()
  }

  async #ask (operation: 'format' | 'check', text: string, rules: Rules, scope: Scope): Promise<{ result?: string, error?: string }> {
    if (text.length > MAX_TEXT) throw new RuffFailed(`a file of more than ${MAX_TEXT} characters is not looked at`)
    return await this.#turn.with(scope, async () => {
      const { signal, limits } = scope
      const thread = this.#thread ??= this.#start()
      const id = ++this.#id
      const ends: (() => void)[] = []
      const stopped = new Promise<never>((_resolve, reject) => {
        const timer = setTimeout(() => reject(new RuffFailed('ruff ran out of time')), limits.wallMs)
        const onAbort = () => reject(signal.reason)
        signal.addEventListener('abort', onAbort, { once: true })
        ends.push(thread.ending.on(reject), () => clearTimeout(timer), () => signal.removeEventListener('abort', onAbort))
      })
      const answered = new Promise<{ result?: string, error?: string }>(resolve => {
        const onMessage = (message: { id: number, result?: string, error?: string }) => { if (message.id === id) resolve(message) }
        thread.worker.on('message', onMessage)
        ends.push(() => thread.worker.off('message', onMessage))
      })
      thread.worker.postMessage({ id, operation, text, ...rules })
      try {
        return await Promise.race([answered, stopped])
      } catch (error) {
        await this.close()
        throw error
      } finally {
        for (const end of ends) end()
        this.#cool()
      }
    })
  }

  #start (): Thread {
    const worker = new Worker(this.#file, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: YOUNG_MIB }, env: {}, execArgv: [], stdout: true, stderr: true })
    const ending = new Ending()
    worker.once('error', error => ending.tell(new RuffFailed(`ruff failed: ${error instanceof Error ? error.message : String(error)}`)))
    worker.once('exit', () => {
      if (this.#thread?.worker === worker) this.#thread = undefined
      ending.tell(new RuffFailed('ruff ended'))
    })
    worker.unref()
    return { worker, ending }
  }

  #cool (): void {
    clearTimeout(this.#cooling)
    this.#cooling = setTimeout(() => void this.close(), IDLE_MS).unref()
  }
}

function lintOf ({ code, message, start_location: start, fix }: Record<string, unknown>): Lint {
  const edits = isRecord(fix) && Array.isArray(fix.edits) ? fix.edits.filter(isRecord).map(({ content, location, end_location: end }) => ({ content: typeof content === 'string' ? content : null, location: placeOf(location), end_location: placeOf(end) })) : []
  return { code: typeof code === 'string' ? code : 'invalid-syntax', message: String(message), start: placeOf(start), edits }
}

function placeOf (place: unknown): Place {
  return isRecord(place) ? { row: Number(place.row), column: Number(place.column) } : { row: 1, column: 1 }
}

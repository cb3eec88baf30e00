import { join } from 'node:path'
import { Worker as Thread } from 'node:worker_threads'
import { KeptTool, type RunningTool, ToolFailed } from '../kept-tool.js'
import type { Host, Operation } from '../toolchain.js'
import { isRecord } from '../values.js'

// It holds 70 MB, and starts in 0.2 s.
const IDLE_MS = 30_000
const HEAP_MIB = 256
// A larger one takes 12 MB more and is not quicker.
const YOUNG_MIB = 2
const MAX_TEXT = 1024 * 1024

export interface Position { row: number, column: number }
export interface Edit { content: string, location: Position, end_location: Position }
export interface Lint { code: string, message: string, start: Position, edits: Edit[] }

/** `select`: the rules. `firstParty`: the job's own modules, which are sorted apart from others. */
export interface Rules { select: string[], firstParty: string[] }

interface Request extends Rules { operation: 'format' | 'check', text: string }
interface Answer { result?: string, error?: string }
interface Running extends RunningTool { thread: Thread }

/** Ruff in a thread, which can be ended when it takes too long. */
export class Ruff {
  readonly #tool: KeptTool<Running>

  constructor (folder: string, { log }: Host) {
    this.#tool = new KeptTool({ name: 'ruff', start: async () => start(join(folder, 'ruff-worker.mjs')), idleMs: IDLE_MS, log })
  }

  /** The formatted text; undefined where it does not parse. */
  async format (text: string, operation: Operation): Promise<string | undefined> {
    const { result } = await this.#ask({ operation: 'format', text, select: [], firstParty: [] }, operation)
    return result
  }

  async check (text: string, rules: Rules, operation: Operation): Promise<Lint[]> {
    const { result, error } = await this.#ask({ operation: 'check', text, ...rules }, operation)
    if (result === undefined) throw new ToolFailed(`ruff failed: ${error ?? ''}`)
    const found: unknown = JSON.parse(result)
    return Array.isArray(found) ? found.filter(isRecord).map(lintIn) : []
  }

  warm (): void {
    this.#tool.warm(async () => {})
  }

  async close (): Promise<void> {
    await this.#tool.close()
  }

  async #ask (request: Request, operation: Operation): Promise<Answer> {
    if (request.text.length > MAX_TEXT) throw new ToolFailed(`files of more than ${MAX_TEXT} characters are not checked`)
    return await this.#tool.use(operation, async ({ thread }) => {
      thread.postMessage(request)
      return await new Promise<Answer>(resolve => thread.once('message', resolve))
    })
  }
}

function start (file: string): Running {
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: YOUNG_MIB }
  const thread = new Thread(file, { resourceLimits, env: {}, execArgv: [], stdout: true, stderr: true })
  const ended = new AbortController()
  thread.once('error', error => ended.abort(error))
  thread.once('exit', () => ended.abort(new Error('its thread ended')))
  thread.unref()
  return { thread, pid: undefined, ended: ended.signal, stop: async () => { await thread.terminate() } }
}

function lintIn ({ code, message, start_location: start, fix }: Record<string, unknown>): Lint {
  const edits = isRecord(fix) && Array.isArray(fix.edits) ? fix.edits.filter(isRecord) : []
  return {
    code: typeof code === 'string' ? code : 'invalid-syntax',
    message: String(message),
    start: positionIn(start),
    edits: edits.map(({ content, location, end_location: end }) => {
      return { content: typeof content === 'string' ? content : '', location: positionIn(location), end_location: positionIn(end) }
    })
  }
}

function positionIn (position: unknown): Position {
  return isRecord(position) ? { row: Number(position.row), column: Number(position.column) } : { row: 1, column: 1 }
}

import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger, Message } from '../../../agents/types.js'
import { BackendClosed, BackendCutOff, type BackendError, BackendRefused } from '../errors.js'
import { Inbox } from './inbox.js'
import type { ChatOrder, LoadOrder, Loaded, Order, Report } from './messages.js'

export interface EngineProcessOptions {
  load: LoadOrder
  log: Logger
  onPercent: (percent: number) => void
  onEnd: (error: BackendError) => void
}

export type CallReport = Extract<Report, { id: number }>

// How many milliseconds the process may take to end before it is killed.
const STOP_TIMEOUT = 2000

const CRASH_REMEDY = 'see whether memory is short or the file is damaged; --no-gpu and a smaller --model need less'

/** The engine in a process of its own: if it crashes, only the replies in flight are lost. */
export class EngineProcess {
  /** Settles when the engine has loaded its model, or rejects with the reason why it has not. */
  readonly loaded: Promise<Loaded>
  readonly #options: EngineProcessOptions
  readonly #child: ChildProcess
  readonly #calls = new Map<number, Inbox<CallReport>>()
  readonly #gone: Promise<void>
  #settle!: { resolve: (loaded: Loaded) => void, reject: (error: BackendError) => void }
  #isLoaded = false
  #ended: BackendError | undefined
  #stderr = ''
  #ids = 0

  constructor (options: EngineProcessOptions) {
    this.#options = options
    this.loaded = new Promise((resolve, reject) => { this.#settle = { resolve, reject } })
    this.loaded.catch(() => undefined) // the code that awaits it gets the error
    this.#child = fork(entry(), {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_LLAMA_CPP_SKIP_DOWNLOAD: 'true' }
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => { this.#stderr = (this.#stderr + text).slice(-2000) })
    this.#child.on('message', (report: Report) => this.#receive(report))
    this.#gone = new Promise(resolve => {
      this.#child.once('error', error => { this.#end(error.message); resolve() })
      this.#child.once('exit', (code, signal) => { this.#end(signal ?? `code ${code}`); resolve() })
    })
    this.#send({ type: 'load', load: options.load })
  }

  /** The reports of a reply; the last one is its outcome. */
  async * chat (chat: ChatOrder, signal: AbortSignal): AsyncGenerator<CallReport> {
    yield * this.#call(id => ({ type: 'chat', id, chat }), signal)
  }

  async count (messages: Message[]): Promise<number> {
    for await (const report of this.#call(id => ({ type: 'count', id, messages }), new AbortController().signal)) {
      if (report.type === 'outcome' && report.outcome.type === 'counted') return report.outcome.tokens
      if (report.type === 'outcome' && report.outcome.type === 'failed') throw new Error(report.outcome.message)
    }
    throw new Error('the engine gave no number')
  }

  get pid (): number | undefined { return this.#child.pid }

  /** Ends the process; replies in flight end with `reason`. */
  async close (reason: BackendError = new BackendClosed()): Promise<void> {
    this.#ended ??= reason
    if (this.#child.connected) this.#child.disconnect()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT)
    await this.#gone
    clearTimeout(timer)
  }

  async * #call (order: (id: number) => Order, signal: AbortSignal): AsyncGenerator<CallReport> {
    signal.throwIfAborted()
    if (this.#ended) throw this.#ended
    const id = ++this.#ids
    const inbox = new Inbox<CallReport>()
    const leave = () => inbox.fail(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    this.#calls.set(id, inbox)
    try {
      this.#send(order(id))
      for (;;) {
        const report = await inbox.next()
        yield report
        if (report.type === 'outcome') return
      }
    } finally {
      signal.removeEventListener('abort', leave)
      // The call has its outcome, or its caller has gone: then this makes the engine stop.
      if (this.#calls.delete(id)) this.#send({ type: 'leave', id })
    }
  }

  #receive (report: Report): void {
    switch (report.type) {
      case 'started': return
      case 'note': return this.#options.log.info({}, report.text)
      case 'loading': return this.#options.onPercent(report.percent)
      case 'loaded':
        this.#isLoaded = true
        return this.#settle.resolve(report.loaded)
      case 'unusable': return void this.close(new BackendRefused(report.problem, report.remedy))
      default: this.#calls.get(report.id)?.push(report)
    }
  }

  #end (how: string): void {
    const words = reasonIn(this.#stderr)
    const what = `${how}${words === undefined ? '' : `: ${words}`}`
    this.#ended ??= this.#isLoaded
      ? new BackendCutOff(`the engine has crashed (${what})`, 'ask again: it is started anew')
      : new BackendRefused(`the engine has crashed while it loaded the model (${what})`, CRASH_REMEDY)
    this.#settle.reject(this.#ended)
    for (const inbox of this.#calls.values()) inbox.fail(this.#ended)
    this.#options.onEnd(this.#ended)
  }

  #send (order: Order): void {
    // An error here means that the process has just died: its exit event reports that.
    if (this.#child.connected) this.#child.send(order, () => {})
  }
}

// The entry of the engine's process: a TypeScript file in tests (the child inherits the loader), a compiled file in the build.
function entry (): string {
  const here = fileURLToPath(import.meta.url)
  return here.endsWith('.ts') ? join(dirname(here), 'child', 'main.ts') : built(dirname(here))
}

function built (from: string): string {
  const file = join(from, 'engine', 'main.js')
  if (existsSync(file)) return file
  if (dirname(from) === from) throw new Error('the build lacks engine/main.js: run "npm run build"')
  return built(dirname(from))
}

/** The first line of a text that reports an error. For a failed assertion, the path of the source file before it is left out. */
function reasonIn (words: string): string | undefined {
  const line = words.split(/[\r\n]/).find(line => /GGML_ASSERT|[Ee]rror/.test(line))
  return line === undefined || /[Ee]rror/.test(line) ? line : line.slice(line.indexOf('GGML_ASSERT'))
}

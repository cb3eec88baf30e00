import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { RunningTool } from '../kept-tool.js'
import { killGroup, startProcess } from '../process.js'
import type { Host } from '../toolchain.js'
import { isRecord } from '../values.js'

const HEADER = Buffer.from('\r\n\r\n')
// It is parsed as one JSON text, and the service does nothing else meanwhile.
const MAX_MESSAGE = 2 * 1024 * 1024

/** A language server as a process: it is sent requests and notifications, and gets the answers that it expects from an editor. */
export class LanguageServer implements RunningTool {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended = new AbortController()
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void, reject: (error: unknown) => void }>()
  #buffer: Buffer = Buffer.alloc(0)
  #id = 0

  constructor (command: string[], folder: string, host: Host) {
    const child = startProcess(command, folder, host)
    this.#child = child
    child.once('error', error => this.#end(error))
    child.once('close', (code, signal) => this.#end(new Error(`it ended with ${signal ?? `code ${code}`}`)))
    child.stderr.resume() // nobody reads it
    child.stdout.on('data', (part: Buffer) => this.#read(part))
  }

  get pid (): number | undefined { return this.#child.pid }

  get ended (): AbortSignal { return this.#ended.signal }

  async request (method: string, params: object): Promise<unknown> {
    this.ended.throwIfAborted()
    const id = ++this.#id
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#send({ id, method, params })
    return await answer
  }

  notify (method: string, params: object): void {
    this.#send({ method, params })
  }

  async stop (): Promise<void> {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null || this.pid === undefined) return
    const closed = new Promise(resolve => this.#child.once('close', resolve))
    killGroup(this.#child)
    await closed
  }

  #end (error: Error): void {
    this.#ended.abort(error)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #send (message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    this.#child.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]))
  }

  #read (part: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? part : Buffer.concat([this.#buffer, part])
    for (;;) {
      const end = this.#buffer.indexOf(HEADER)
      if (end < 0) return
      const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.toString('latin1', 0, end))?.[1] ?? 0)
      if (length > MAX_MESSAGE) return killGroup(this.#child)
      const next = end + HEADER.length + length
      if (this.#buffer.length < next) return
      const message: unknown = JSON.parse(this.#buffer.toString('utf8', end + HEADER.length, next))
      this.#buffer = this.#buffer.subarray(next)
      if (isRecord(message)) this.#handle(message)
    }
  }

  #handle ({ id, method, params, result, error }: Record<string, unknown>): void {
    if (typeof method === 'string') {
      // It asks for settings, of which its file has all, and to be notified of changed files, which we do anyway.
      const items = isRecord(params) && Array.isArray(params.items) ? params.items : []
      if (id !== undefined) this.#send({ id, result: method === 'workspace/configuration' ? items.map(() => ({})) : null })
      return
    }
    const waiting = this.#waiting.get(Number(id))
    this.#waiting.delete(Number(id))
    if (isRecord(error)) waiting?.reject(new Error(String(error.message)))
    else waiting?.resolve(result)
  }
}

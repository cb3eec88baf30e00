import { type ChildProcess, spawn } from 'node:child_process'
import { denoEnvironment } from '../deno.js'
import { Ending } from '../ending.js'
import type { Site } from '../toolchain.js'
import { isRecord } from '../values.js'

const HEADER = Buffer.from('\r\n\r\n')
// It is read as one JSON text, for which the service stands still.
const MAX_MESSAGE = 2 * 1024 * 1024

/** A language server as a process: requests, notifications, and the answers that it expects of an editor. */
export class LanguageServer {
  readonly process: ChildProcess
  readonly #ending = new Ending()
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void, reject: (error: Error) => void }>()
  #buffer: Buffer = Buffer.alloc(0)
  #id = 0

  constructor (command: string[], folder: string, { deno, guardian }: Site) {
    const child = spawn(command[0] ?? deno, command.slice(1), { cwd: folder, env: denoEnvironment(deno), stdio: ['pipe', 'pipe', 'ignore'], detached: process.platform !== 'win32' })
    this.process = child
    child.once('error', error => this.#ending.tell(error))
    child.once('close', (code, signal) => this.#ending.tell(new Error(`it ended with ${signal ?? `code ${code}`}`)))
    const { pid } = child
    if (pid !== undefined) {
      guardian.watch(pid)
      child.once('close', () => guardian.forget(pid))
    }
    child.stdin.on('error', () => {}) // it has ended, which its end tells
    child.stdout.on('data', (part: Buffer) => this.#take(part))
  }

  async request (method: string, params: object): Promise<unknown> {
    const id = ++this.#id
    let forget: (() => void) | undefined
    const answered = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      forget = this.#ending.on(reject)
    })
    this.#send({ id, method, params })
    try {
      return await answered
    } finally {
      forget?.()
      this.#waiting.delete(id)
    }
  }

  notify (method: string, params: object): void {
    this.#send({ method, params })
  }

  async kill (): Promise<void> {
    const { pid, exitCode, signalCode } = this.process
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const gone = new Promise(resolve => this.process.once('close', resolve))
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
    } catch {
      this.process.kill('SIGKILL') // its group is not there yet, or no more
    }
    await gone
  }

  #send (message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    this.process.stdin?.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]))
  }

  #take (part: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? part : Buffer.concat([this.#buffer, part])
    for (;;) {
      const end = this.#buffer.indexOf(HEADER)
      if (end < 0) return
      const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.toString('latin1', 0, end))?.[1] ?? 0)
      if (length > MAX_MESSAGE) return void this.kill()
      const next = end + HEADER.length + length
      if (this.#buffer.length < next) return
      const message: unknown = JSON.parse(this.#buffer.toString('utf8', end + HEADER.length, next))
      this.#buffer = this.#buffer.subarray(next)
      if (isRecord(message)) this.#handle(message)
    }
  }

  #handle ({ id, method, params, result, error }: Record<string, unknown>): void {
    if (typeof method === 'string') {
      // It asks for settings, to which there are none beyond its file, and to be told of changes, which it is.
      const items = isRecord(params) && Array.isArray(params.items) ? params.items : []
      if (id !== undefined) this.#send({ id, result: method === 'workspace/configuration' ? items.map(() => ({})) : null })
      return
    }
    const waiting = this.#waiting.get(Number(id))
    if (isRecord(error)) waiting?.reject(new Error(String(error.message)))
    else waiting?.resolve(result)
  }
}

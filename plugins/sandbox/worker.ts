import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files, Limits } from '../../agents/types.js'
import { SandboxUnavailable } from './errors.js'
import { FrameReader, type Message } from './frames.js'
import { killGroup, startProcess, writeFiles } from './process.js'
import { TestClock } from './test-clock.js'
import type { Host, Operation } from './toolchain.js'
import { type Excess, watchUsage } from './usage.js'

const START_MS = 30_000
const READY = Buffer.from('READY\n')
const STDERR_BYTES = 64 * 1024
// The length of the job in bytes, padded with zeros.
const SIZE_DIGITS = 9
const FRAME_BYTES = 2 * 1024 * 1024
const FRAMES_BYTES = 16 * 1024 * 1024
const FRAMES = 20_000
// A runner that cannot go on exits with 97. Greater codes come from the wall, for signals.
const BROKEN_CODE = 97
// A killed group is gone in a few milliseconds. Nobody waits longer for its pipes to close.
const KILL_MS = 300

/** What the workers of one language have in common. */
export interface WorkerKind {
  /** Deno's command line for a worker whose own folder is `folder`. */
  command: (folder: string) => string[]
  /** Files and folders that it may read beside that folder. The wall shows it nothing else. */
  readable: string[]
  /** The size of the data segment, for `ulimit -d`: V8 reserves some of it before anything runs. */
  dataMiB: number
  /** Whether a message says that a test begins. */
  isTestStart: (body: unknown) => boolean
}

interface Exit { code: number | null, signal: NodeJS.Signals | null }

/** What a worker's process did with its job. */
export interface WorkerRun {
  /** What the runner said, in order. The last message is of type `end` unless there is a `cause`. */
  messages: Message[]
  /** What was printed after the last message. */
  rest: string
  stderr: string
  /** How the process ended by itself; null where it was killed. */
  exit: Exit | null
  /** Why the runner did not finish. */
  cause: null | 'exited' | 'time' | 'cpu' | 'memory' | 'output'
  /** The limit of one test, where a test reached it and the process was killed. */
  testMs: number | null
  durationMs: number
  /** As last measured, so it may be a little less than what was used. */
  cpuMs: number
}

/** `files` are written to the worker's folder before the job is sent. `stdin` is what the job's program reads. */
export interface WorkerJob { files?: Files, stdin?: string, operation: Operation }

/**
 * One process that runs one job. It is started ahead of the job and says READY on its stdout. From stdin it reads the nonce
 * (32 hex digits), a space, the length of the job, a line feed and the job as JSON. It then sends messages in frames, the last
 * one `{ "type": "end" }`. A program that is run sends no end: its process ends by itself.
 */
export class Worker {
  readonly folder: string
  /** Settles when the process is ready for its job, or has failed to start. */
  readonly ready: Promise<void>
  readonly #host: Host
  readonly #kind: WorkerKind
  #child: ChildProcessWithoutNullStreams | undefined
  #closed: Promise<Exit> | undefined
  readonly #stderr: Buffer[] = []
  #stderrBytes = 0
  #stderrRoom = STDERR_BYTES
  #onData: (chunk: Buffer) => void = () => {}
  #onStderr: (bytes: number) => void = () => {}
  #isDead = false

  constructor (kind: WorkerKind, host: Host) {
    this.#host = host
    this.#kind = kind
    this.folder = join(host.folder, `worker-${randomBytes(6).toString('hex')}`)
    this.ready = this.#start()
    this.ready.catch(() => this.kill()) // `run` awaits it again
  }

  get isDead (): boolean { return this.#isDead }

  /** Runs the job and kills the process, whatever happens. `dispose` waits for its end. */
  async run (job: object, { files, stdin = '', operation: { limits, signal } }: WorkerJob): Promise<WorkerRun> {
    const onAbort = () => this.kill()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      signal.throwIfAborted()
      await this.ready
      if (files) await writeFiles(this.folder, files)
      const run = await this.#runJob(job, stdin, limits)
      signal.throwIfAborted()
      return run
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.kill()
    }
  }

  kill (): void {
    this.#isDead = true
    if (this.#child) killGroup(this.#child)
  }

  /** Kills the process, waits for its end and removes its folder. */
  async dispose (): Promise<void> {
    this.kill()
    await this.ready.catch(() => {}) // it may also have failed to start
    await Promise.race([this.#closed, new Promise(resolve => setTimeout(resolve, KILL_MS).unref())])
    await rm(this.folder, { recursive: true, force: true })
  }

  async #start (): Promise<void> {
    await mkdir(this.folder, { mode: 0o755 })
    if (this.#isDead) throw new Error('the worker was closed before it was started')
    const { deno, wall } = this.#host
    const { command, readable, dataMiB } = this.#kind
    const bounds = { readable: [this.folder, ...readable], dataMiB }
    const child = startProcess(wall.around([deno, ...command(this.folder)], bounds), this.folder, this.#host)
    this.#child = child
    this.#closed = new Promise(resolve => child.once('close', (code, signal) => {
      this.#isDead = true
      resolve({ code, signal })
    }))
    child.stderr.on('data', (chunk: Buffer) => {
      const room = this.#stderrRoom - this.#stderrBytes
      if (room > 0) this.#stderr.push(chunk.subarray(0, room))
      this.#stderrBytes += chunk.length
      this.#onStderr(this.#stderrBytes)
    })
    child.stdout.on('data', (chunk: Buffer) => this.#onData(chunk))
    await this.#handshake(child)
  }

  #handshake (child: ChildProcessWithoutNullStreams): Promise<void> {
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0)
      const fail = (why: string) => {
        clearTimeout(timer)
        reject(new SandboxUnavailable(`a sandbox process did not start: ${why} ${this.#printedErrors().trim().slice(0, 500)}`.trim()))
      }
      const timer = setTimeout(() => fail(`it was not ready within ${START_MS / 1000} s.`), START_MS)
      child.once('error', error => fail(error.message))
      child.once('close', (code, signal) => fail(`it ended with ${signal ?? `code ${code}`}.`))
      this.#onData = chunk => {
        received = Buffer.concat([received, chunk])
        if (received.length < READY.length) return
        if (!received.subarray(0, READY.length).equals(READY)) return fail('it printed something before it was ready.')
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #printedErrors (): string {
    return Buffer.concat(this.#stderr).toString('utf8')
  }

  async #runJob (job: object, stdin: string, limits: Limits): Promise<WorkerRun> {
    const child = this.#child
    if (!child || !this.#closed || this.#isDead) throw new Error('the worker has ended')
    const nonce = randomBytes(16).toString('hex')
    const { outputBytes } = limits
    const reader = new FrameReader(nonce, { outputBytes, frameBytes: FRAME_BYTES, framesBytes: FRAMES_BYTES, frames: FRAMES })
    this.#stderrRoom = outputBytes + STDERR_BYTES
    const since = performance.now()
    let excess: Excess | 'output' | undefined
    let cpuMs = 0
    let onSettled: (() => void) | undefined
    const settled = new Promise<void>(resolve => { onSettled = resolve })
    const stop = (why?: Excess | 'output') => {
      excess ??= why
      this.kill()
      onSettled?.()
    }
    let testMs: number | null = null
    const clock = new TestClock(limits.testMs, this.#kind.isTestStart, () => {
      testMs = limits.testMs ?? null
      stop('time')
    })
    this.#onData = chunk => {
      if (excess !== undefined) return
      if (!reader.push(chunk)) stop('output')
      else if (isEnd(reader.messages.at(-1))) stop()
      else clock.update(reader.messages)
    }
    this.#onStderr = bytes => { if (bytes > this.#stderrRoom) stop('output') }
    const unwatch = watchUsage(child.pid, limits, stop, used => { cpuMs = used })
    const text = JSON.stringify({ ...job, folder: this.folder })
    child.stdin.end(`${nonce} ${String(Buffer.byteLength(text)).padStart(SIZE_DIGITS, '0')}\n${text}${stdin}`)
    const exit = await Promise.race([this.#closed, settled.then(() => null)])
    unwatch()
    clock.stop()
    this.#onData = this.#onStderr = () => {}
    const stderr = this.#printedErrors()
    const { messages, rest } = reader
    const cause = excess ?? (isEnd(messages.at(-1)) ? null : causeOf(exit, stderr))
    return { messages, rest, stderr, exit, cause, testMs, durationMs: performance.now() - since, cpuMs }
  }
}

function isEnd (message: Message | undefined): boolean {
  return typeof message?.body === 'object' && message.body !== null && 'type' in message.body && message.body.type === 'end'
}

/** Why a process ended before its runner had finished. A program can print these words too, but only a failing engine ends like this. */
function causeOf (exit: Exit | null, stderr: string): 'exited' | 'cpu' | 'memory' {
  const { code = null, signal = null } = exit ?? {}
  const isOutOfMemory = /out of memory|\bOOM\b|allocation failed|memory allocation of/i.test(stderr)
  if ((signal !== null || (code ?? 0) >= BROKEN_CODE) && isOutOfMemory) return 'memory'
  return signal === 'SIGXCPU' ? 'cpu' : 'exited'
}

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files, Limits } from '../../agents/types.js'
import { denoEnvironment } from './deno.js'
import { SandboxUnavailable } from './errors.js'
import { FrameReader, type Report } from './frames.js'
import { TestClock } from './test-clock.js'
import type { Scope, Site } from './toolchain.js'
import { type Excess, watchUse } from './use.js'

const START_MS = 30_000
const READY = Buffer.from('READY\n')
const STDERR_BYTES = 64 * 1024
// Of the job that follows, in bytes, with zeros before them.
const SIZE_DIGITS = 9
const FRAME_BYTES = 2 * 1024 * 1024
const FRAMES_BYTES = 16 * 1024 * 1024
const FRAMES = 20_000
// What a harness exits with when it cannot go on; above it, a second wall tells of signals.
const BROKEN_CODE = 97
// A killed group is gone in a few milliseconds. Should its pipes stay open, nobody waits for them.
const KILL_MS = 300

export interface CellKind {
  /** Deno's command line for a cell whose own folder is `folder`, the trusted root module last. */
  command: (folder: string) => string[]
  /** What it may read beside that folder; a second wall shows it nothing else. */
  readable: string[]
  /** The data segment in MiB, for `ulimit -d`: V8 reserves some of it before anything runs. */
  dataMiB: number
  /** Whether a report says that a test begins. */
  begins: (body: unknown) => boolean
}

export interface CellRun {
  /** What the harness reported, in order. The last one is of type `end`, unless there is a cause. */
  reports: Report[]
  /** What was printed after the last report. */
  rest: string
  stderr: string
  /** How the process ended by itself; null where it was ended. */
  exit: { code: number | null, signal: NodeJS.Signals | null } | null
  /** Why the harness did not come to its end. */
  cause: null | 'exited' | 'time' | 'cpu' | 'memory' | 'output'
  /** The test under way was ended at this limit, and all of its process with it. */
  testMs: number | null
  durationMs: number
  /** As far as it was seen: what is used between two looks is not. */
  cpuMs: number
}

/** What a job comes with. `files` are written to the cell's folder first; `stdin` is what its program reads there, after the job. */
export interface CellJob { files?: Files, stdin?: string, scope: Scope }

/**
 * One process for one job, started ahead of it. The child says READY on its stdout, reads the nonce (32 hex digits), a space,
 * the length of the job, a line feed and the job as JSON from its stdin, then reports in frames, the last one
 * `{ "type": "end" }`. A program that is run reports no end: its process ends by itself.
 */
export class Cell {
  readonly folder: string
  /** Settles when the child is ready for its job, or has failed to become so. */
  readonly ready: Promise<void>
  readonly #site: Site
  readonly #kind: CellKind
  #child: ChildProcess | undefined
  #closed: Promise<{ code: number | null, signal: NodeJS.Signals | null }> | undefined
  readonly #stderr: Buffer[] = []
  #stderrBytes = 0
  #stderrRoom = STDERR_BYTES
  #onData: (chunk: Buffer) => void = () => {}
  #onStderr: (bytes: number) => void = () => {}
  #isDead = false

  constructor (kind: CellKind, site: Site) {
    this.#site = site
    this.#kind = kind
    this.folder = join(site.folder, `cell-${randomBytes(6).toString('hex')}`)
    this.ready = this.#start(kind)
    this.ready.catch(() => this.kill()) // whoever runs a job awaits it again
  }

  get isDead (): boolean { return this.#isDead }

  /** Runs the job and kills the process, whatever happens; `dispose` waits for its end. */
  async run (job: object, { files, stdin = '', scope: { limits, signal } }: CellJob): Promise<CellRun> {
    const onAbort = () => this.kill()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      signal.throwIfAborted()
      await this.ready
      if (files) await this.#write(files)
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
    const pid = this.#child?.pid
    if (pid === undefined) return
    if (!signalGroup(pid)) this.#child?.kill('SIGKILL')
  }

  /** Kills it and waits until nothing of it is left. */
  async dispose (): Promise<void> {
    this.kill()
    await this.ready.catch(() => {}) // it was to be ended, however it began
    await this.#gone()
  }

  async #start (kind: CellKind): Promise<void> {
    await mkdir(this.folder, { mode: 0o755 })
    if (this.#isDead) throw new Error('the cell was closed before it began')
    const { deno, wall, guardian } = this.#site
    const command = wall.around([deno, ...kind.command(this.folder)], { readable: [this.folder, ...kind.readable], dataMiB: kind.dataMiB })
    const child = spawn(command[0] ?? deno, command.slice(1), { cwd: this.folder, env: denoEnvironment(deno), stdio: 'pipe', detached: process.platform !== 'win32' })
    this.#child = child
    this.#closed = new Promise(resolve => child.once('close', (code, signal) => resolve({ code, signal })))
    child.stdin.on('error', () => {}) // it ended before it had read all: its exit tells
    child.stderr.on('data', (chunk: Buffer) => {
      const room = this.#stderrRoom - this.#stderrBytes
      if (room > 0) this.#stderr.push(chunk.subarray(0, room))
      this.#stderrBytes += chunk.length
      this.#onStderr(this.#stderrBytes)
    })
    child.stdout.on('data', (chunk: Buffer) => this.#onData(chunk))
    const { pid } = child
    if (pid !== undefined) {
      guardian.watch(pid)
      void this.#closed.then(() => { this.#isDead = true; guardian.forget(pid) })
    }
    await this.#handshake(child)
  }

  #handshake (child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      let seen = Buffer.alloc(0)
      const fail = (why: string) => {
        clearTimeout(timer)
        reject(new SandboxUnavailable(`a sandbox process did not start: ${why} ${this.#said().trim().slice(0, 500)}`.trim()))
      }
      const timer = setTimeout(() => fail(`it was not ready within ${START_MS / 1000} s.`), START_MS)
      child.once('error', error => fail(error.message))
      child.once('close', (code, signal) => fail(`it ended with ${signal ?? `code ${code}`}.`))
      this.#onData = chunk => {
        seen = Buffer.concat([seen, chunk])
        if (seen.length < READY.length) return
        if (!seen.subarray(0, READY.length).equals(READY)) return fail('it said something else than that it is ready.')
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #write (files: Files): Promise<void> {
    const paths = Object.entries(files).map(([path, text]) => [join(this.folder, path), text] as const)
    for (const folder of new Set(paths.map(([path]) => dirname(path)))) if (folder !== this.folder) await mkdir(folder, { recursive: true })
    await Promise.all(paths.map(([path, text]) => writeFile(path, text)))
  }

  #said (): string {
    return Buffer.concat(this.#stderr).toString('utf8')
  }

  async #runJob (job: object, stdin: string, limits: Limits): Promise<CellRun> {
    const child = this.#child
    if (!child?.stdin || !this.#closed || child.pid === undefined || this.#isDead) throw new Error('the cell is dead')
    const nonce = randomBytes(16).toString('hex')
    const reader = new FrameReader(nonce, { outputBytes: limits.outputBytes, frameBytes: FRAME_BYTES, framesBytes: FRAMES_BYTES, frames: FRAMES })
    this.#stderrRoom = limits.outputBytes + STDERR_BYTES
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
    const clock = new TestClock(limits.testMs, this.#kind.begins, () => {
      testMs = limits.testMs ?? null
      stop('time')
    })
    this.#onData = chunk => {
      if (excess !== undefined) return
      if (!reader.push(chunk)) stop('output')
      else if (isEnd(reader.reports.at(-1))) stop()
      else clock.hear(reader.reports)
    }
    this.#onStderr = bytes => { if (bytes > this.#stderrRoom) stop('output') }
    const unwatch = watchUse(child.pid, limits, stop, seen => { cpuMs = seen })
    const text = JSON.stringify({ ...job, folder: this.folder })
    child.stdin.end(`${nonce} ${String(Buffer.byteLength(text)).padStart(SIZE_DIGITS, '0')}\n${text}${stdin}`)
    const exit = await Promise.race([this.#closed, settled.then(() => null)])
    unwatch()
    clock.end()
    this.#onData = this.#onStderr = () => {}
    const stderr = this.#said()
    const cause = excess ?? (isEnd(reader.reports.at(-1)) ? null : causeOf(exit, stderr))
    return { reports: reader.reports, rest: reader.rest, stderr, exit, cause, testMs, durationMs: performance.now() - since, cpuMs }
  }

  async #gone (): Promise<void> {
    await Promise.race([this.#closed, new Promise(resolve => setTimeout(resolve, KILL_MS).unref())])
    await rm(this.folder, { recursive: true, force: true })
  }
}

function isEnd (report: Report | undefined): boolean {
  return typeof report?.body === 'object' && report.body !== null && 'type' in report.body && report.body.type === 'end'
}

/** Of a process that ended without a word from the harness. Whatever a program prints, only an engine that gives up ends so. */
function causeOf (exit: CellRun['exit'], stderr: string): 'exited' | 'cpu' | 'memory' {
  const { code = null, signal = null } = exit ?? {}
  if ((signal !== null || (code ?? 0) >= BROKEN_CODE) && /out of memory|\bOOM\b|allocation failed|memory allocation of/i.test(stderr)) return 'memory'
  return signal === 'SIGXCPU' ? 'cpu' : 'exited'
}

function signalGroup (pid: number): boolean {
  if (process.platform === 'win32') return false
  try {
    process.kill(-pid, 'SIGKILL')
    return true
  } catch {
    return false // gone already, or not yet a group of its own
  }
}

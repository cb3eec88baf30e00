import { dirname } from 'node:path'
import type { Call, CheckReport, Files, Outcome, RunReport, TestReport } from '../../../agents/types.js'
import { SandboxUnavailable } from '../errors.js'
import type { CheckedProgram } from '../job.js'
import { Pool } from '../pool.js'
import type { Bait, Host, Operation, Toolchain } from '../toolchain.js'
import { outcomes } from './calls.js'
import { check } from './check.js'
import { findEscapes } from './escapes.js'
import { format } from './lint.js'
import { type Paths, findPaths } from './paths.js'
import { Pyright } from './pyright.js'
import { Ruff } from './ruff.js'
import { programReport } from './run.js'
import { snapshotFile } from './snapshot.js'
import { pythonReport } from './tests.js'
import { pythonWorker } from './worker-kind.js'

const SELF_TEST_LIMITS = { wallMs: 30_000, cpuMs: 20_000, memoryMiB: 768, outputBytes: 1024 * 1024 }
// Left for the report when the time is up.
const MARGIN_MS = 150
const MAX_EACH_MS = 10_000
const POOL_SIZE = 2

interface TestJob { files: Files, tests: string[], stubbed: boolean }

export class PythonToolchain implements Toolchain {
  readonly #host: Host
  readonly #paths: Paths
  readonly #ruff: Ruff
  readonly #pyright: Pyright
  readonly #closing = new AbortController()
  #pool: Promise<Pool> | undefined

  constructor (host: Host) {
    this.#host = host
    this.#paths = findPaths()
    this.#ruff = new Ruff(dirname(this.#paths.runner), host)
    this.#pyright = new Pyright(this.#paths, host)
  }

  async format (files: Files, fix: boolean, operation: Operation): Promise<Files> {
    return await format(files, fix, this.#ruff, operation)
  }

  async check (files: Files, operation: Operation): Promise<CheckReport> {
    return await check(files, { ruff: this.#ruff, pyright: this.#pyright }, operation)
  }

  async test (files: Files, tests: string[], operation: Operation): Promise<TestReport> {
    return await this.#test({ files, tests, stubbed: false }, operation)
  }

  async testStubs (files: Files, tests: string[], operation: Operation): Promise<TestReport> {
    return await this.#test({ files, tests, stubbed: true }, operation)
  }

  async #test (job: TestJob, operation: Operation): Promise<TestReport> {
    const { testMs } = operation.limits
    const times = { ...timesOf(operation, 3), ...(testMs !== undefined && { eachMs: testMs }) }
    return pythonReport(await (await this.#workers()).run({ ...job, ...times }, { operation }), job.tests)
  }

  async evaluate (files: Files, calls: Call[], operation: Operation): Promise<Outcome[]> {
    const run = await (await this.#workers()).run({ files, calls, ...timesOf(operation, calls.length) }, { operation })
    return await outcomes(run, calls)
  }

  async run (program: CheckedProgram, operation: Operation): Promise<RunReport> {
    return programReport(await (await this.#workers()).run({ ...program, ...timesOf(operation, 1, Infinity) }, { operation }))
  }

  async findEscapes (bait: Bait, signal: AbortSignal): Promise<string[]> {
    return await findEscapes(await this.#workers(), bait, { signal, limits: SELF_TEST_LIMITS, run: this })
  }

  warm (): void {
    const onError = (error: unknown) => this.#host.log.debug({ err: error }, 'Python could not be warmed')
    this.#workers().then(pool => pool.warm(), onError)
    this.#ruff.warm()
    this.#pyright.warm()
  }

  async close (): Promise<void> {
    this.#closing.abort()
    const pool = await this.#pool?.catch(() => undefined) // where it could not be made, nothing needs to be closed
    await Promise.all([pool?.close(), this.#ruff.close(), this.#pyright.close()])
  }

  #workers (): Promise<Pool> {
    // A self-test that is still running during `close` would start a worker that nobody ends.
    if (this.#closing.signal.aborted) return Promise.reject(new SandboxUnavailable('the sandbox is closed'))
    this.#pool ??= this.#openPool()
    this.#pool.catch(() => { this.#pool = undefined }) // the next job tries again
    return this.#pool
  }

  async #openPool (): Promise<Pool> {
    const snapshot = await snapshotFile(this.#paths, this.#host, this.#closing.signal)
    return new Pool(pythonWorker(this.#paths, snapshot), this.#host, POOL_SIZE)
  }
}

/** Code that hangs is interrupted early enough for a report, and for the other tests or calls, of which there are `count`. */
function timesOf ({ limits: { wallMs, outputBytes } }: Operation, count: number, maxEachMs = MAX_EACH_MS): object {
  const budgetMs = Math.max(1, wallMs - Math.min(MARGIN_MS, wallMs / 4))
  return { budgetMs, eachMs: Math.min(maxEachMs, budgetMs / Math.min(count, 3)), outputBytes }
}

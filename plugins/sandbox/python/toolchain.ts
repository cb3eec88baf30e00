import { dirname } from 'node:path'
import type { Call, CheckReport, Files, Outcome, RunReport, TestReport } from '../../../agents/types.js'
import { SandboxUnavailable } from '../errors.js'
import type { CheckedProgram } from '../job.js'
import { Pool } from '../pool.js'
import type { Bait, Scope, Site, Toolchain } from '../toolchain.js'
import { outcomes } from './calls.js'
import { pythonCell } from './cells.js'
import { check } from './check.js'
import { attempt } from './leaks.js'
import { format } from './lint.js'
import { type Places, findPlaces } from './places.js'
import { Pyright } from './pyright.js'
import { Ruff } from './ruff.js'
import { programReport } from './run.js'
import { snapshotFile } from './snapshot.js'
import { testReport } from './tests.js'

const PROBE_LIMITS = { wallMs: 30_000, cpuMs: 20_000, memoryMiB: 768, outputBytes: 1024 * 1024 }
// What is left for the report when the time is up.
const MARGIN_MS = 150
const MAX_EACH_MS = 10_000

export class PythonToolchain implements Toolchain {
  readonly #site: Site
  readonly #places: Places
  readonly #ruff: Ruff
  readonly #pyright: Pyright
  readonly #closing = new AbortController()
  #pool: Promise<Pool> | undefined

  constructor (site: Site) {
    this.#site = site
    this.#places = findPlaces()
    this.#ruff = new Ruff(dirname(this.#places.runner))
    this.#pyright = new Pyright(this.#places, site)
  }

  async format (files: Files, fix: boolean, scope: Scope): Promise<Files> {
    return await format(files, fix, this.#ruff, scope)
  }

  async check (files: Files, scope: Scope): Promise<CheckReport> {
    return await check(files, { ruff: this.#ruff, pyright: this.#pyright }, scope)
  }

  async test (files: Files, tests: string[], scope: Scope): Promise<TestReport> {
    return await this.#test({ files, tests }, scope)
  }

  async testHollow (files: Files, tests: string[], scope: Scope): Promise<TestReport> {
    return await this.#test({ files, tests, hollow: true }, scope)
  }

  async #test (job: { files: Files, tests: string[], hollow?: boolean }, scope: Scope): Promise<TestReport> {
    const { testMs } = scope.limits
    const run = await (await this.#cells()).run({ ...job, ...times(scope, 3), ...(testMs !== undefined && { eachMs: testMs }) }, { scope })
    return testReport(run, job.tests)
  }

  async evaluate (files: Files, calls: Call[], scope: Scope): Promise<Outcome[]> {
    const run = await (await this.#cells()).run({ files, calls, ...times(scope, calls.length) }, { scope })
    return await outcomes(run, calls)
  }

  async run (program: CheckedProgram, scope: Scope): Promise<RunReport> {
    const { budgetMs, outputBytes } = times(scope, 1)
    return programReport(await (await this.#cells()).run({ ...program, budgetMs, eachMs: budgetMs, outputBytes }, { scope }))
  }

  async leaks (bait: Bait, signal: AbortSignal): Promise<string[]> {
    return await attempt(await this.#cells(), bait, { signal, limits: PROBE_LIMITS, run: this })
  }

  warm (): void {
    this.#cells().then(pool => pool.warm(), (error: unknown) => this.#site.log.debug({ err: error }, 'Python could not be warmed'))
    this.#ruff.warm()
    this.#pyright.warm()
  }

  async close (): Promise<void> {
    this.#closing.abort()
    const pool = await this.#pool?.catch(() => undefined) // one that was never made has nothing to close
    await Promise.all([pool?.close(), this.#ruff.close(), this.#pyright.close()])
  }

  #cells (): Promise<Pool> {
    // Who asks late, as a self-test that was under way, would start what nobody ends.
    if (this.#closing.signal.aborted) return Promise.reject(new SandboxUnavailable('the sandbox is closed'))
    this.#pool ??= snapshotFile(this.#places, this.#site, this.#closing.signal).then(snapshot => new Pool(pythonCell(this.#places, snapshot), this.#site, { size: 2 }))
    this.#pool.catch(() => { this.#pool = undefined }) // what lacked may be there the next time
    return this.#pool
  }
}

/** Code that hangs is interrupted in time for the rest to be reported, and so that it leaves time for others. */
function times ({ limits: { wallMs, outputBytes } }: Scope, shares: number): { budgetMs: number, eachMs: number, outputBytes: number } {
  const budgetMs = Math.max(1, wallMs - Math.min(MARGIN_MS, wallMs / 4))
  return { budgetMs, eachMs: Math.min(MAX_EACH_MS, budgetMs / Math.min(shares, 3)), outputBytes }
}

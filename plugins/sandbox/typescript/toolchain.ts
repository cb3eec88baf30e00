import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Call, CheckReport, Files, Limits, Outcome, RunReport, TestReport } from '../../../agents/types.js'
import type { CheckedProgram } from '../job.js'
import { Pool } from '../pool.js'
import { type TestRun, testReport, verdictOf } from '../test-report.js'
import type { Bait, Host, Operation, Toolchain } from '../toolchain.js'
import type { WorkerRun } from '../worker.js'
import { outcomes, prepareCalls } from './calls.js'
import { Checker } from './checker.js'
import { findEscapes } from './escapes.js'
import { format } from './format.js'
import { countDeclared, doubtsIn } from './gates/doubts.js'
import { stubbed } from './gates/stubs.js'
import { serversNamed, usesNodeTest } from './imports.js'
import { lint } from './lint.js'
import { prepareFiles, prepareProgram } from './prepare.js'
import { programReport } from './run.js'
import { runnerFolder } from './runner-folder.js'
import { testRun } from './tests.js'
import { configOf } from './tsconfig.js'
import { typescriptWorker } from './worker-kind.js'

const TEST_MS = 5000
const CALL_MS = 5000
const MAX_TESTS = 5000 // in all files; for one file, see runner/run-tests.ts
const SELF_TEST_LIMITS = { wallMs: 20_000, cpuMs: 10_000, memoryMiB: 512, outputBytes: 1024 * 1024 }
// A worker is small, and with two of them a job that follows at once need not wait for the next one to start.
const POOL_SIZE = 2

export class TypeScriptToolchain implements Toolchain {
  readonly #host: Host
  readonly #pool: Pool
  /** For jobs with decorators of the old kind. They are rare, so no worker waits for one. */
  readonly #oldDecorators: Pool
  readonly #checker: Checker

  private constructor (host: Host, runner: string, oldDecorators: string) {
    this.#host = host
    this.#pool = new Pool(typescriptWorker(host, runner), host, POOL_SIZE)
    this.#oldDecorators = new Pool(typescriptWorker(host, runner, oldDecorators), host, 0)
    this.#checker = new Checker(host)
  }

  static async open (host: Host): Promise<TypeScriptToolchain> {
    const oldDecorators = join(host.folder, 'old-decorators.json')
    await writeFile(oldDecorators, JSON.stringify({ compilerOptions: { experimentalDecorators: true } }))
    // Copied to the temporary folder: code can read its own stack, which must not name the installation.
    const runner = join(host.folder, 'runner')
    await cp(await runnerFolder(host.folder), runner, { recursive: true })
    return new TypeScriptToolchain(host, runner, oldDecorators)
  }

  async format (files: Files, fix: boolean, operation: Operation): Promise<Files> {
    return await format(files, fix, this.#host, operation)
  }

  async check (files: Files, operation: Operation): Promise<CheckReport> {
    const [linted, typed] = await Promise.all([lint(files, this.#host, operation), this.#checker.check(files, operation)])
    // Both report files that do not parse. The checker gives the better place.
    const broken = new Set(typed.diagnostics.filter(({ source }) => source === 'syntax').map(({ file }) => file))
    const lints = linted.diagnostics.filter(({ source, file }) => source !== 'syntax' || !broken.has(file))
    const diagnostics = [...typed.diagnostics, ...lints]
    return {
      diagnostics: diagnostics.sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column),
      missing: typed.missing,
      unchecked: [...linted.unchecked, ...typed.unchecked]
    }
  }

  async test (given: Files, tests: string[], operation: Operation): Promise<TestReport> {
    const files = prepareFiles(given, tests)
    const doubts = doubtsIn(given, tests) // while the first file runs
    const lost: string[] = []
    const runs: TestRun[] = []
    const since = performance.now()
    let { limits } = operation
    let count = 0
    // Each file has a process of its own, as with vitest, jest and Node, so that no file sees what another does to its modules. The
    // limits are for all files together, and include the time to start the next process.
    for (const test of tests) {
      const { result, run } = await this.#testFile(files, test, { ...operation, limits })
      runs.push(result)
      const isShort = result.tests.length < countDeclared(test, given[test])
      if (isShort && verdictOf([result]).outcome === 'passed') lost.push(`${test}:1: more tests stand in it than were collected`)
      count += result.tests.length
      if (count > MAX_TESTS) runs.push(tooManyTests())
      const isOver = (run.cause === 'time' && run.testMs === null) || run.cause === 'cpu' || run.cause === 'output'
      if (isOver || count > MAX_TESTS) break
      limits = leftOf(operation.limits, limits, run, performance.now() - since)
    }
    return testReport(runs, [...await doubts, ...lost])
  }

  async testStubs (files: Files, tests: string[], operation: Operation): Promise<TestReport> {
    return await this.test(stubbed(files, tests), tests, operation)
  }

  async #testFile (files: Files, test: string, operation: Operation): Promise<{ result: TestRun, run: WorkerRun }> {
    const { testMs = TEST_MS, wallMs } = operation.limits
    const times = { testMs: Math.min(testMs, wallMs) }
    const job = { mode: 'test', test, ...times, usesNodeTest: usesNodeTest(files[test]), servers: serversNamed(files) }
    const { run, folder } = await this.#runJob(job, files, operation)
    return { result: testRun(run, { files, folder }), run }
  }

  async evaluate (given: Files, calls: Call[], operation: Operation): Promise<Outcome[]> {
    const files = prepareFiles(given, [])
    const prepared = await prepareCalls(files, calls)
    const { evaluator } = prepared
    const each = prepared.calls.map(({ file, code }) => ({ file, code }))
    const callMs = Math.min(CALL_MS, operation.limits.wallMs)
    const job = { mode: 'evaluate', calls: each, evaluator, callMs, servers: serversNamed(files) }
    const { run, folder } = await this.#runJob(job, prepared.files, operation)
    return await outcomes(run, prepared, calls.length, { files, folder })
  }

  async run (program: CheckedProgram, operation: Operation): Promise<RunReport> {
    const { files, job } = prepareProgram(program)
    const { run, folder } = await this.#runJob(job, files, operation, program.stdin)
    return programReport(run, program.files, folder)
  }

  async #runJob (job: object, files: Files, operation: Operation, stdin = ''): Promise<{ run: WorkerRun, folder: string }> {
    let folder = ''
    const pool = configOf(files).hasOldDecorators ? this.#oldDecorators : this.#pool
    const run = await pool.run(job, { files, stdin, operation, onFolder: path => { folder = path } })
    return { run, folder }
  }

  async findEscapes (bait: Bait, signal: AbortSignal): Promise<string[]> {
    return await findEscapes(this.#pool, bait, { signal, limits: SELF_TEST_LIMITS, run: this })
  }

  warm (): void {
    this.#pool.warm()
    this.#checker.warm()
  }

  async close (): Promise<void> {
    await Promise.all([this.#pool.close(), this.#oldDecorators.close(), this.#checker.close()])
  }
}

function tooManyTests (): TestRun {
  const failure = { cause: 'load error' as const, message: `there are more than ${MAX_TESTS} tests`, frame: null }
  return { tests: [], failure, missing: [], unavailable: undefined, output: '', durationMs: 0 }
}

/** What is left of the limits for the next file. */
function leftOf (all: Limits, current: Limits, run: WorkerRun, passedMs: number): Limits {
  const printed = run.messages.reduce((sum, { output }) => sum + Buffer.byteLength(output), Buffer.byteLength(run.rest))
  return {
    ...current,
    wallMs: Math.max(1, all.wallMs - passedMs),
    cpuMs: Math.max(1, current.cpuMs - run.cpuMs),
    outputBytes: Math.max(0, current.outputBytes - printed)
  }
}

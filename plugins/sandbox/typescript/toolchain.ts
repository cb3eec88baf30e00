import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Call, CheckReport, Files, Outcome, RunReport, TestReport } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import type { CheckedProgram } from '../job.js'
import { Pool } from '../pool.js'
import type { Bait, Scope, Site, Toolchain } from '../toolchain.js'
import { withoutAliases } from './aliases.js'
import { outcomes, prepareCalls } from './calls.js'
import { typescriptCell } from './cells.js'
import { Checker } from './checker.js'
import { withModulesMarked } from './commonjs.js'
import { countDeclared, doubtsOf } from './gates/look.js'
import { format } from './format.js'
import { hollowed } from './gates/hollow.js'
import { withJsonTypes } from './json-imports.js'
import { attempt } from './leaks.js'
import { serversNamed, usesNodeTest } from './imports.js'
import { lint } from './lint.js'
import { prepareProgram } from './prepare-program.js'
import { programReport } from './run.js'
import { runnerFolder } from './runner-folder.js'
import { withMetaEnv } from './meta-env.js'
import { testReport } from './tests.js'
import { configOf } from './tsconfig.js'
import { wholeReport } from './whole-report.js'

const TEST_MS = 5000
const CALL_MS = 5000
const MAX_TESTS = 5000 // of all files; of one, see runner/run-tests.ts
const PROBE_LIMITS = { wallMs: 20_000, cpuMs: 10_000, memoryMiB: 512, outputBytes: 1024 * 1024 }

export class TypeScriptToolchain implements Toolchain {
  readonly #site: Site
  readonly #pool: Pool
  /** For jobs whose decorators are of the old kind. They are rare, so no cell waits for one. */
  readonly #oldPool: Pool
  readonly #checker: Checker

  private constructor (site: Site, runner: string, oldDecorators: string) {
    this.#site = site
    // They are small, and a job that follows at once need not wait for the next to start.
    this.#pool = new Pool(typescriptCell(site, runner), site, { size: 2 })
    this.#oldPool = new Pool(typescriptCell(site, runner, oldDecorators), site, { size: 0, rest: 0 })
    this.#checker = new Checker(site)
  }

  static async open (site: Site): Promise<TypeScriptToolchain> {
    const oldDecorators = join(site.folder, 'old-decorators.json')
    await writeFile(oldDecorators, JSON.stringify({ compilerOptions: { experimentalDecorators: true } }))
    // Beside the jobs: code may read its own stack, and then sees no folder of the installation.
    const runner = join(site.folder, 'runner')
    await cp(await runnerFolder(site.folder), runner, { recursive: true })
    return new TypeScriptToolchain(site, runner, oldDecorators)
  }

  async format (files: Files, fix: boolean, scope: Scope): Promise<Files> {
    return await format(files, fix, this.#site, scope)
  }

  async check (files: Files, scope: Scope): Promise<CheckReport> {
    const [linted, typed] = await Promise.all([lint(files, this.#site, scope), this.#checker.check(files, scope)])
    // Both say what does not parse; the checker knows where better.
    const said = new Set(typed.diagnostics.filter(({ source }) => source === 'syntax').map(({ file }) => file))
    const lints = linted.diagnostics.filter(({ source, file }) => source !== 'syntax' || !said.has(file))
    return {
      diagnostics: [...typed.diagnostics, ...lints].sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column),
      missing: typed.missing,
      unchecked: [...linted.unchecked, ...typed.unchecked]
    }
  }

  async test (given: Files, tests: string[], scope: Scope): Promise<TestReport> {
    const files = withModulesMarked(withMetaEnv(withJsonTypes(withoutAliases(given))), tests)
    // While the first of them runs: what is seen lowers only how far a pass is relied on.
    const seen = doubtsOf(given, tests)
    const reports: TestReport[] = []
    const lost: string[] = []
    const since = performance.now()
    let { limits } = scope
    let count = 0
    // Each in a process of its own, as with vitest, jest and Node: what one of them does to its modules no other sees. The
    // limits are for all of them together, what it takes to start the next one included.
    for (const test of tests) {
      const { report, run } = await this.#testFile(files, test, { ...scope, limits })
      reports.push(report)
      if (report.outcome === 'passed' && report.tests.length < countDeclared(test, given[test])) lost.push(`${test}:1: more tests stand in it than were collected`)
      count += report.tests.length
      if (count > MAX_TESTS) reports.push({ ...report, outcome: 'failed', cause: 'load error', message: `there are more than ${MAX_TESTS} tests`, frame: null, tests: [], output: '', durationMs: 0 })
      if (count > MAX_TESTS || (report.cause === 'time' && run.testMs === null) || report.cause === 'cpu' || report.cause === 'output') break
      const printed = run.reports.reduce((sum, { output }) => sum + Buffer.byteLength(output), Buffer.byteLength(run.rest))
      limits = { ...limits, wallMs: Math.max(1, scope.limits.wallMs - (performance.now() - since)), cpuMs: Math.max(1, limits.cpuMs - run.cpuMs), outputBytes: Math.max(0, limits.outputBytes - printed) }
    }
    return wholeReport(reports, [...await seen, ...lost])
  }

  async testHollow (files: Files, tests: string[], scope: Scope): Promise<TestReport> {
    return await this.test(hollowed(files, tests), tests, scope)
  }

  async #testFile (files: Files, test: string, scope: Scope): Promise<{ report: TestReport, run: CellRun }> {
    let folder = ''
    const job = { mode: 'test', test, testMs: Math.min(scope.limits.testMs ?? TEST_MS, scope.limits.wallMs), usesNodeTest: usesNodeTest(files[test]), servers: serversNamed(files) }
    const run = await this.#poolFor(files).run(job, { files, scope, onCell: cell => { folder = cell.folder } })
    return { report: testReport(run, { files, test, folder }), run }
  }

  async evaluate (given: Files, calls: Call[], scope: Scope): Promise<Outcome[]> {
    const files = withModulesMarked(withMetaEnv(withJsonTypes(withoutAliases(given))), [])
    let folder = ''
    const prepared = await prepareCalls(files, calls)
    const job = { mode: 'evaluate', calls: prepared.calls.map(({ file, code }) => ({ file, code })), evaluator: prepared.evaluator, callMs: Math.min(CALL_MS, scope.limits.wallMs), servers: serversNamed(files) }
    const run = await this.#poolFor(files).run(job, { files: prepared.files, scope, onCell: cell => { folder = cell.folder } })
    return await outcomes(run, prepared, calls.length, { files, folder })
  }

  async run (program: CheckedProgram, scope: Scope): Promise<RunReport> {
    const prepared = prepareProgram(program)
    let folder = ''
    const run = await this.#poolFor(prepared.files).run(prepared.job, { files: prepared.files, stdin: program.stdin ?? '', scope, onCell: cell => { folder = cell.folder } })
    return programReport(run, prepared, folder)
  }

  #poolFor (files: Files): Pool {
    return configOf(files).hasOldDecorators ? this.#oldPool : this.#pool
  }

  async leaks (bait: Bait, signal: AbortSignal): Promise<string[]> {
    return await attempt(this.#pool, bait, { signal, limits: PROBE_LIMITS, run: this })
  }

  warm (): void {
    this.#pool.warm()
    this.#checker.warm()
  }

  async close (): Promise<void> {
    await Promise.all([this.#pool.close(), this.#oldPool.close(), this.#checker.close()])
  }
}

import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  CheckReport, Files, Language, Logger, Outcome, Program, RunReport, Sandbox, SandboxInfo, SandboxOptions, TestJob, TestReport
} from '../../agents/types.js'
import { findDeno } from './deno.js'
import { InvalidJob, SandboxUnavailable } from './errors.js'
import { Guardian } from './guardian.js'
import { checkCalls, checkFiles, checkProgram, checkTests } from './job.js'
import { limitsFor } from './limits.js'
import { packagesFolder } from './packages.js'
import { PathMask } from './path-mask.js'
import { provesSomething, unproven } from './proof.js'
import { selfTest } from './self-test.js'
import { Slots } from './slots.js'
import { type SelfTestResult, summary } from './state.js'
import type { Host, Operation, Toolchain } from './toolchain.js'
import { findWall } from './wall.js'

const LANGUAGES: readonly Language[] = ['typescript', 'python']
// Imported at the first job of a language, so that Pyodide, Pyright and the checker are not loaded before.
const TOOLCHAINS: Record<Language, (host: Host) => Promise<Toolchain>> = {
  typescript: async host => await (await import('./typescript/toolchain.js')).TypeScriptToolchain.open(host),
  python: async host => new (await import('./python/toolchain.js')).PythonToolchain(host)
}

export interface SandboxSettings {
  log: Logger
  /** A node_modules folder whose packages TypeScript may import. */
  packages?: string
  /** How many operations run at once; more wait. */
  processes?: number
}

type Work<T> = (toolchain: Toolchain, operation: Operation) => Promise<T>

/** Checks and runs untrusted code, each job in a process of its own. Nothing is started before it is used. */
export class LocalSandbox implements Sandbox {
  readonly #settings: SandboxSettings
  readonly #slots: Slots
  readonly #toolchains = new Map<Language, Promise<Toolchain>>()
  readonly #selfTests = new Map<Language, Promise<void>>()
  readonly #results = new Map<Language, SelfTestResult>()
  readonly #closing = new AbortController()
  readonly #running = new Set<AbortController>()
  #host: Promise<Host> | undefined
  #mask = new PathMask() // replaced once the host's folder is known

  constructor (settings: SandboxSettings) {
    this.#settings = settings
    this.#slots = new Slots(settings.processes ?? Math.max(2, availableParallelism()))
  }

  info (): SandboxInfo { return summary(this.#results) }

  async prove (): Promise<SandboxInfo> {
    await Promise.allSettled(LANGUAGES.map(language => this.#tested(language)))
    return this.info()
  }

  warm (language: Language): void {
    const warm = (toolchain: Toolchain) => {
      if (!this.#closing.signal.aborted) toolchain.warm()
    }
    const onError = (error: unknown) => this.#settings.log.debug({ err: error, language }, 'the sandbox could not be warmed')
    this.#tested(language).then(warm, onError)
  }

  async format ({ language, files, fix = true }: Parameters<Sandbox['format']>[0], options: SandboxOptions): Promise<Files> {
    const checked = checkFiles(files)
    return await this.#parse(language, options, async (toolchain, operation) => await toolchain.format(checked, fix, operation))
  }

  async check ({ language, files }: Parameters<Sandbox['check']>[0], options: SandboxOptions): Promise<CheckReport> {
    const checked = checkFiles(files)
    return await this.#parse(language, options, async (toolchain, operation) => {
      const report = await toolchain.check(checked, operation)
      return await this.#mask.maskTools(report)
    })
  }

  async test ({ language, files, tests, prove = false }: TestJob, options: SandboxOptions): Promise<TestReport> {
    const checked = checkFiles(files)
    const names = checkTests(checked, tests)
    return await this.#execute(language, options, async (toolchain, operation) => {
      const report = await toolchain.test(checked, names, operation)
      if (!prove || !report.vouched) return report
      return provesSomething(report, await toolchain.testStubs(checked, names, operation)) ? report : unproven(report)
    })
  }

  async evaluate ({ language, files, calls }: Parameters<Sandbox['evaluate']>[0], options: SandboxOptions): Promise<Outcome[]> {
    const checked = checkFiles(files)
    checkCalls(checked, calls)
    if (calls.length === 0) return []
    return await this.#execute(language, options, async (toolchain, operation) => await toolchain.evaluate(checked, calls, operation))
  }

  async run (program: Program, options: SandboxOptions): Promise<RunReport> {
    const checked = checkProgram(program)
    return await this.#execute(program.language, options, async (toolchain, operation) => await toolchain.run(checked, operation))
  }

  /** Ends all that runs and removes the temporary folder. */
  async close (): Promise<void> {
    this.#closing.abort(new SandboxUnavailable('the sandbox is closed'))
    for (const controller of this.#running) controller.abort(this.#closing.signal.reason)
    const toolchains = await Promise.allSettled([...this.#toolchains.values()])
    await Promise.all(toolchains.flatMap(toolchain => toolchain.status === 'fulfilled' ? [toolchain.value.close()] : []))
    const host = await this.#host?.catch(() => undefined) // where it could not be made, nothing needs to be closed
    if (!host) return
    await host.guardian.close()
    await rm(host.folder, { recursive: true, force: true })
  }

  /** For tools that read the code and do not run it. */
  async #parse<T> (language: Language, options: SandboxOptions, work: Work<T>): Promise<T> {
    return await this.#operate(language, options, async operation => await work(await this.#toolchain(language), operation))
  }

  /** For code that is run: only after the self-test. */
  async #execute<T extends TestReport | Outcome[] | RunReport> (language: Language, options: SandboxOptions, work: Work<T>): Promise<T> {
    return await this.#operate(language, options, async operation => {
      const report = await work(await this.#tested(language), operation)
      return await this.#mask.maskCode(report) // the mask of the host, which may have been made just now
    })
  }

  async #operate<T> (language: Language, options: SandboxOptions, work: (operation: Operation) => Promise<T>): Promise<T> {
    if (!LANGUAGES.includes(language)) throw new InvalidJob(`language must be one of ${LANGUAGES.join(', ')}`)
    const limits = limitsFor(language, options)
    this.#closing.signal.throwIfAborted()
    // Not the signal of `#closing` itself: each signal that AbortSignal.any makes would leave something in it.
    const controller = new AbortController()
    this.#running.add(controller)
    try {
      const signal = AbortSignal.any([options.signal, controller.signal])
      const operation = { limits, signal, run: options.run ?? options.signal }
      return await this.#slots.with(operation, async () => await work(operation))
    } catch (error) {
      if (error instanceof Error && !options.signal.aborted) this.#mask.maskError(error)
      throw error
    } finally {
      this.#running.delete(controller)
    }
  }

  #toolchain (language: Language): Promise<Toolchain> {
    let toolchain = this.#toolchains.get(language)
    if (!toolchain) {
      this.#closing.signal.throwIfAborted()
      toolchain = this.#makeHost().then(host => TOOLCHAINS[language](host))
      this.#toolchains.set(language, toolchain)
      toolchain.catch(() => this.#toolchains.delete(language)) // the next job tries again
    }
    return toolchain
  }

  /** The toolchain of a language that has passed its self-test. */
  async #tested (language: Language): Promise<Toolchain> {
    let test = this.#selfTests.get(language)
    if (!test) {
      test = this.#selfTest(language)
      this.#selfTests.set(language, test)
      test.catch(() => this.#selfTests.delete(language))
    }
    await test
    const { state, problem } = this.info()
    if (state === 'refused') throw new SandboxUnavailable(problem ?? '')
    return await this.#toolchain(language)
  }

  async #selfTest (language: Language): Promise<void> {
    try {
      const toolchain = await this.#toolchain(language)
      const { folder } = await this.#makeHost()
      const escapes = await selfTest(toolchain, folder, this.#closing.signal)
      this.#results.set(language, escapes.length > 0 ? { state: 'refused', escapes } : { state: 'ready' })
      if (escapes.length > 0) this.#settings.log.error({ escapes, language }, this.info().problem ?? '')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#results.set(language, { state: 'unavailable', reason })
      if (error instanceof SandboxUnavailable) throw error
      throw new SandboxUnavailable(`the self-test for ${language} could not be made: ${reason}`, { cause: error })
    }
  }

  #makeHost (): Promise<Host> {
    this.#host ??= this.#findHost()
    this.#host.catch(() => { this.#host = undefined })
    return this.#host
  }

  async #findHost (): Promise<Host> {
    const { log } = this.#settings
    const packages = this.#settings.packages === undefined ? undefined : await packagesFolder(this.#settings.packages)
    const deno = findDeno()
    const wall = await findWall(deno)
    const second = wall.name === 'none' ? 'alone: install bubblewrap (bwrap) for a second wall' : `and ${wall.name}`
    log.info({ wall: wall.name }, `code runs behind Deno's permissions ${second}`)
    // The real path, since Deno compares real paths with those that it allows.
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'svc-sandbox-'))
    // Modules in a worker's folder, which is inside of this one, search for packages here.
    if (packages !== undefined) await symlink(packages, join(folder, 'node_modules'), 'junction')
    this.#mask = new PathMask(folder, packages)
    return { deno, folder, wall, guardian: new Guardian(folder), log, packages }
  }
}

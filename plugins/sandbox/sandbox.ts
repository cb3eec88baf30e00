import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call, CheckReport, Files, Language, Logger, Outcome, Program, RunReport, Sandbox, SandboxInfo, SandboxOptions, TestJob, TestReport } from '../../agents/types.js'
import { Border } from './border.js'
import { findDeno } from './deno.js'
import { InvalidJob, SandboxUnavailable } from './errors.js'
import { Guardian } from './guardian.js'
import { proves, unproven } from './hollow.js'
import { checkCalls, checkFiles, checkProgram, checkTests } from './job.js'
import { limitsFor } from './limits.js'
import { packagesFolder } from './packages.js'
import { selfTest } from './self-test.js'
import { Slots } from './slots.js'
import { type Proven, summary } from './state.js'
import type { Scope, Site, Toolchain } from './toolchain.js'
import { findWall } from './wall.js'

const LANGUAGES: readonly Language[] = ['typescript', 'python']
// Neither pyodide nor pyright nor the checker is loaded before its language is asked for.
const TOOLCHAINS: Record<Language, (site: Site) => Promise<Toolchain>> = {
  typescript: async site => await (await import('./typescript/toolchain.js')).TypeScriptToolchain.open(site),
  python: async site => new (await import('./python/toolchain.js')).PythonToolchain(site)
}

export interface SandboxSettings {
  log: Logger
  /** A node_modules folder whose packages TypeScript may import. */
  packages?: string
  /** How many operations run at once; more wait. */
  processes?: number
}

/** Checks and runs untrusted code, each job in a process of its own. Nothing is started before it is used. */
export class LocalSandbox implements Sandbox {
  readonly #settings: SandboxSettings
  readonly #slots: Slots
  readonly #toolchains = new Map<Language, Promise<Toolchain>>()
  readonly #proofs = new Map<Language, Promise<void>>()
  readonly #proven = new Map<Language, Proven>()
  readonly #closing = new AbortController()
  readonly #running = new Set<AbortController>()
  #site: Promise<Site> | undefined
  #border = new Border() // another one once the site is there, which the first job makes

  constructor (settings: SandboxSettings) {
    this.#settings = settings
    this.#slots = new Slots(settings.processes ?? Math.max(2, availableParallelism()))
  }

  info (): SandboxInfo { return summary(this.#proven) }

  async prove (): Promise<SandboxInfo> {
    await Promise.allSettled(LANGUAGES.map(language => this.#proof(language)))
    return this.info()
  }

  warm (language: Language): void {
    const warm = (toolchain: Toolchain) => {
      if (!this.#closing.signal.aborted) toolchain.warm()
    }
    this.#proof(language).then(warm, error => this.#settings.log.debug({ err: error as unknown, language }, 'the sandbox could not be warmed'))
  }

  async format ({ language, files, fix = true }: { language: Language, files: Files, fix?: boolean }, options: SandboxOptions): Promise<Files> {
    const checked = checkFiles(files)
    return await this.#run(language, options, async scope => await (await this.#toolchain(language)).format(checked, fix, scope))
  }

  async check ({ language, files }: { language: Language, files: Files }, options: SandboxOptions): Promise<CheckReport> {
    const checked = checkFiles(files)
    return await this.#run(language, options, async scope => {
      const report = await (await this.#toolchain(language)).check(checked, scope)
      return await this.#border.ofTools(report)
    })
  }

  async test ({ language, files, tests, prove = false }: TestJob, options: SandboxOptions): Promise<TestReport> {
    const checked = checkFiles(files)
    const names = checkTests(checked, tests)
    return await this.#run(language, options, async scope => {
      const toolchain = await this.#proof(language)
      const report = await toolchain.test(checked, names, scope)
      const isProven = !prove || !report.vouched || proves(report, await toolchain.testHollow(checked, names, scope))
      return await this.#border.ofCode(isProven ? report : unproven(report))
    })
  }

  async evaluate ({ language, files, calls }: { language: Language, files: Files, calls: Call[] }, options: SandboxOptions): Promise<Outcome[]> {
    const checked = checkFiles(files)
    checkCalls(checked, calls)
    if (calls.length === 0) return []
    return await this.#run(language, options, async scope => {
      const outcomes = await (await this.#proof(language)).evaluate(checked, calls, scope)
      return await this.#border.ofCode(outcomes)
    })
  }

  async run (program: Program, options: SandboxOptions): Promise<RunReport> {
    const { language } = program
    const checked = checkProgram(program)
    return await this.#run(language, options, async scope => await this.#border.ofCode(await (await this.#proof(language)).run(checked, scope)))
  }

  /** Ends whatever runs and removes what is temporary. */
  async close (): Promise<void> {
    this.#closing.abort(new SandboxUnavailable('the sandbox is closed'))
    for (const ending of this.#running) ending.abort(this.#closing.signal.reason)
    const made = await Promise.allSettled([...this.#toolchains.values()])
    await Promise.all(made.flatMap(toolchain => toolchain.status === 'fulfilled' ? [toolchain.value.close()] : []))
    const site = await this.#site?.catch(() => undefined) // one that could not be made has nothing to close
    if (!site) return
    await site.guardian.close()
    await rm(site.folder, { recursive: true, force: true })
  }

  async #run<T> (language: Language, options: SandboxOptions, work: (scope: Scope) => Promise<T>): Promise<T> {
    if (!LANGUAGES.includes(language)) throw new InvalidJob(`language must be one of ${LANGUAGES.join(', ')}`)
    const limits = limitsFor(language, options)
    this.#closing.signal.throwIfAborted()
    // Not the closing signal itself: AbortSignal.any keeps a trace of each in one that lives on.
    const ending = new AbortController()
    this.#running.add(ending)
    try {
      const signal = AbortSignal.any([options.signal, ending.signal])
      const scope = { limits, signal, run: options.run ?? options.signal }
      return await this.#slots.with(scope, async () => await work(scope))
    } catch (error) {
      if (error instanceof Error && !options.signal.aborted) this.#border.mend(error)
      throw error
    } finally {
      this.#running.delete(ending)
    }
  }

  #toolchain (language: Language): Promise<Toolchain> {
    let toolchain = this.#toolchains.get(language)
    if (!toolchain) {
      this.#closing.signal.throwIfAborted()
      toolchain = this.#makeSite().then(site => TOOLCHAINS[language](site))
      this.#toolchains.set(language, toolchain)
      toolchain.catch(() => this.#toolchains.delete(language)) // what lacked may be there the next time
    }
    return toolchain
  }

  /** The toolchain, once it was seen to hold what it must. */
  async #proof (language: Language): Promise<Toolchain> {
    let proof = this.#proofs.get(language)
    if (!proof) {
      proof = this.#prove(language)
      this.#proofs.set(language, proof)
      proof.catch(() => this.#proofs.delete(language))
    }
    await proof
    const { state, problem } = this.info()
    if (state === 'refused') throw new SandboxUnavailable(problem ?? '')
    return await this.#toolchain(language)
  }

  async #prove (language: Language): Promise<void> {
    try {
      const toolchain = await this.#toolchain(language)
      const { folder } = await this.#makeSite()
      const leaks = await selfTest(toolchain, folder, this.#closing.signal)
      this.#proven.set(language, leaks.length > 0 ? { state: 'refused', leaks } : { state: 'ready' })
      if (leaks.length > 0) this.#settings.log.error({ leaks, language }, this.info().problem ?? '')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#proven.set(language, { state: 'unavailable', reason })
      throw error instanceof SandboxUnavailable ? error : new SandboxUnavailable(`the self-test for ${language} could not be made: ${reason}`, { cause: error })
    }
  }

  #makeSite (): Promise<Site> {
    this.#site ??= this.#findSite()
    this.#site.catch(() => { this.#site = undefined })
    return this.#site
  }

  async #findSite (): Promise<Site> {
    const { log } = this.#settings
    const packages = this.#settings.packages === undefined ? undefined : await packagesFolder(this.#settings.packages)
    const deno = findDeno()
    const wall = await findWall(deno)
    log.info({ wall: wall.name }, wall.name === 'none' ? 'code runs behind Deno\'s permissions alone: install bubblewrap (bwrap) for a second wall' : `code runs behind Deno's permissions and ${wall.name}`)
    // The path that Deno compares is the real one.
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'svc-sandbox-'))
    // Where a module in a cell's folder, which lies in this one, looks for packages.
    if (packages !== undefined) await symlink(packages, join(folder, 'node_modules'), 'junction')
    this.#border = new Border(folder, packages)
    return { deno, folder, wall, guardian: new Guardian(folder), log, packages }
  }
}

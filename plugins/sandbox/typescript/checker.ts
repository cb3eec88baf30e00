import type { ChildProcess } from 'node:child_process'
import type { API } from 'typescript-native/unstable/async'
import type { CheckReport, Files } from '../../../agents/types.js'
import { Ending } from '../ending.js'
import { SandboxUnavailable } from '../errors.js'
import { Slots } from '../slots.js'
import type { Scope, Site } from '../toolchain.js'
import { type Excess, watchUse } from '../use.js'
import { loadClient } from './checker-client.js'
import { childOf } from './child.js'
import { type Found, report } from './diagnostics.js'
import { packagesOf } from './imports.js'
import { surroundingsOf } from './surroundings.js'
import { VirtualFiles } from './virtual-files.js'

const IDLE_MS = 120_000
// It keeps a little of every check.
const MAX_CHECKS = 300
const MIN_MEMORY_MIB = 1024
const ERROR = 1 // DiagnosticCategory.Error

interface Server { api: API, files: VirtualFiles, process: ChildProcess | undefined, ending: Ending, checks: number }

/** TypeScript's native checker, kept running. It sees the job's files and its own libraries, nothing else of this machine. */
export class Checker {
  readonly #site: Site
  readonly #turn = new Slots(1)
  #server: Promise<Server> | undefined
  #cooling: NodeJS.Timeout | undefined
  #isClosed = false

  constructor (site: Site) {
    this.#site = site
  }

  warm (): void {
    // Its first check would read the libraries.
    const scope = { signal: AbortSignal.timeout(10_000), limits: { wallMs: 10_000, cpuMs: 10_000, memoryMiB: MIN_MEMORY_MIB, outputBytes: 0 }, run: this }
    this.check({ 'warm.ts': 'export const warm: number = 1\nconsole.log(warm)\n' }, scope).catch((error: unknown) => this.#site.log.debug({ err: error }, 'the type checker could not be warmed'))
  }

  async check (files: Files, scope: Scope): Promise<CheckReport> {
    return await this.#turn.with(scope, async () => await this.#check(files, scope))
  }

  async close (): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#cooling)
    await this.#stop()
  }

  async #check (files: Files, { signal, limits }: Scope): Promise<CheckReport> {
    clearTimeout(this.#cooling)
    const server = await this.#open()
    const ends: (() => void)[] = []
    let excess: Excess | undefined
    const stopped = new Promise<never>((_resolve, reject) => {
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      ends.push(server.ending.on(reject), () => signal.removeEventListener('abort', onAbort))
      if (server.process?.pid !== undefined) ends.push(watchUse(server.process.pid, { ...limits, memoryMiB: Math.max(limits.memoryMiB, MIN_MEMORY_MIB) }, why => { excess = why; reject(new Error(why)) }))
    })
    try {
      const found = await Promise.race([this.#ask(server, files), stopped])
      this.#cooling = setTimeout(() => void this.#stop(), IDLE_MS).unref()
      if (++server.checks >= MAX_CHECKS) await this.#stop()
      return report(found, files)
    } catch (error) {
      await this.#stop()
      signal.throwIfAborted()
      const reason = excess === undefined ? `the type checker failed: ${error instanceof Error ? error.message : String(error)}` : `the type checker ran out of ${excess}`
      return { diagnostics: [], missing: packagesOf(files).filter(name => !server.files.hasPackage(name)), unchecked: [{ source: 'types', reason }] }
    } finally {
      for (const end of ends) end()
    }
  }

  async #ask ({ api, files: virtual }: Server, files: Files): Promise<Found[]> {
    const job = virtual.add(files, surroundingsOf(files))
    const snapshot = await api.updateSnapshot({ openProjects: [job.config], fileChanges: { created: job.paths } })
    try {
      const program = snapshot.getProject(job.config)?.program
      if (!program) throw new Error('it opened no project')
      const found: Found[] = []
      const general = [...await program.getProgramDiagnostics(), ...await program.getGlobalDiagnostics()]
      const each = await Promise.all(job.sources.map(async path => {
        const syntax = await program.getSyntacticDiagnostics(path)
        return [syntax.map(diagnostic => ({ diagnostic, isSyntax: true })), syntax.length > 0 ? [] : (await program.getSemanticDiagnostics(path)).map(diagnostic => ({ diagnostic, isSyntax: false }))].flat()
      }))
      for (const { diagnostic, isSyntax } of [...general.map(diagnostic => ({ diagnostic, isSyntax: false })), ...each.flat()]) {
        const { fileName, pos, code, category, text, messageChain = [] } = diagnostic
        if (fileName === undefined || !fileName.startsWith(`${job.root}/`)) continue
        found.push({ file: fileName.slice(job.root.length + 1), pos, code, isError: Number(category) === ERROR, isSyntax, text: [text, ...messageChain.map(chained => chained.text)].join(' ').replaceAll(`${job.root}/`, '') })
      }
      return found
    } finally {
      await snapshot.dispose()
      job.remove()
      const closed = await api.updateSnapshot({ closeProjects: [job.config], fileChanges: { deleted: job.paths } })
      await closed.dispose()
    }
  }

  // A check that waited for its turn while all was closed would start what nobody ends.
  async #open (): Promise<Server> {
    if (this.#isClosed) throw new SandboxUnavailable('the sandbox is closed')
    this.#server ??= this.#start()
    this.#server.catch(() => { this.#server = undefined })
    return await this.#server
  }

  async #start (): Promise<Server> {
    const { API } = await loadClient()
    const files = new VirtualFiles(this.#site.packages)
    const api = new API({ cwd: '/', fs: files.callbacks })
    const opened = await api.updateSnapshot({}) // it is spawned by its first request
    await opened.dispose()
    const process = childOf(api)
    const ending = new Ending()
    process?.once('exit', (code, signal) => ending.tell(new Error(`it ended with ${signal ?? `code ${code}`}`)))
    const pid = process?.pid
    if (pid !== undefined) {
      this.#site.guardian.watch(pid)
      process?.once('exit', () => this.#site.guardian.forget(pid))
      process?.unref()
    }
    return { api, files, process, ending, checks: 0 }
  }

  async #stop (): Promise<void> {
    const server = await this.#server?.catch(() => undefined)
    this.#server = undefined
    if (!server?.process || server.process.exitCode !== null || server.process.signalCode !== null) return
    const gone = new Promise(resolve => server.process?.once('exit', resolve))
    server.process.ref()
    server.process.kill('SIGKILL')
    await gone
  }
}

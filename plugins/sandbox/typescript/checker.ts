import type { API } from 'typescript-native/unstable/async'
import type { CheckReport, Files } from '../../../agents/types.js'
import { KeptTool, type RunningTool, ToolFailed } from '../kept-tool.js'
import type { Host, Operation } from '../toolchain.js'
import { loadClient } from './checker-client.js'
import { processOf } from './checker-process.js'
import { declarationsFor } from './declarations.js'
import { type Complaint, report } from './diagnostics.js'
import { packagesOf } from './imports.js'
import { VirtualFiles, hasPackage } from './virtual-files.js'

const IDLE_MS = 120_000
const MAX_USES = 300
const ERROR = 1 // DiagnosticCategory.Error
const WARM_TEXT = 'export const warm: number = 1\nconsole.log(warm)\n'

interface Running extends RunningTool { api: API, files: VirtualFiles }

/** TypeScript's native checker. It sees the job's files and its own libraries, nothing else of this machine. */
export class Checker {
  readonly #host: Host
  readonly #tool: KeptTool<Running>

  constructor (host: Host) {
    this.#host = host
    this.#tool = new KeptTool({ name: 'the type checker', start: () => start(host), idleMs: IDLE_MS, maxUses: MAX_USES, log: host.log })
  }

  /** The first check also reads the libraries. */
  warm (): void {
    this.#tool.warm(running => complaintsOf(running, { 'warm.ts': WARM_TEXT }))
  }

  async check (files: Files, operation: Operation): Promise<CheckReport> {
    try {
      return report(await this.#tool.use(operation, running => complaintsOf(running, files)), files)
    } catch (error) {
      if (!(error instanceof ToolFailed)) throw error
      const missing = packagesOf(files).filter(name => !hasPackage(this.#host.packages, name))
      return { diagnostics: [], missing, unchecked: [{ source: 'types', reason: error.message }] }
    }
  }

  async close (): Promise<void> {
    await this.#tool.close()
  }
}

async function start ({ packages, guardian }: Host): Promise<Running> {
  const { API } = await loadClient()
  const files = new VirtualFiles(packages)
  const api = new API({ cwd: '/', fs: files.callbacks })
  const opened = await api.updateSnapshot({}) // the first request starts the process
  await opened.dispose()
  const child = processOf(api)
  const ended = new AbortController()
  child?.once('exit', (code, signal) => ended.abort(new Error(`it ended with ${signal ?? `code ${code}`}`)))
  const pid = child?.pid
  if (pid !== undefined) {
    guardian.watch(pid)
    child?.once('exit', () => guardian.forget(pid))
    child?.unref()
  }
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise(resolve => child.once('exit', resolve))
    child.ref()
    child.kill('SIGKILL')
    await exited
  }
  return { api, files, pid, ended: ended.signal, stop }
}

async function complaintsOf ({ api, files: virtual }: Running, files: Files): Promise<Complaint[]> {
  const job = virtual.add(files, declarationsFor(files))
  const snapshot = await api.updateSnapshot({ openProjects: [job.config], fileChanges: { created: job.paths } })
  try {
    const program = snapshot.getProject(job.config)?.program
    if (!program) throw new Error('it opened no project')
    const general = [...await program.getProgramDiagnostics(), ...await program.getGlobalDiagnostics()]
    const each = await Promise.all(job.sources.map(async path => {
      const syntax = await program.getSyntacticDiagnostics(path)
      const found = syntax.length > 0 ? syntax : await program.getSemanticDiagnostics(path)
      return found.map(diagnostic => ({ diagnostic, isSyntax: syntax.length > 0 }))
    }))
    const complaints: Complaint[] = []
    for (const { diagnostic, isSyntax } of [...general.map(diagnostic => ({ diagnostic, isSyntax: false })), ...each.flat()]) {
      const { fileName, pos, code, category, text: first, messageChain = [] } = diagnostic
      if (fileName === undefined || !fileName.startsWith(`${job.root}/`)) continue
      const text = [first, ...messageChain.map(chained => chained.text)].join(' ').replaceAll(`${job.root}/`, '')
      complaints.push({ file: fileName.slice(job.root.length + 1), pos, code, isError: Number(category) === ERROR, isSyntax, text })
    }
    return complaints
  } finally {
    await snapshot.dispose()
    job.remove()
    const closed = await api.updateSnapshot({ closeProjects: [job.config], fileChanges: { deleted: job.paths } })
    await closed.dispose()
  }
}

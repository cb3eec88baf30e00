import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Files } from '../../../agents/types.js'
import { denoFlags } from '../deno.js'
import { SandboxUnavailable } from '../errors.js'
import { Slots } from '../slots.js'
import type { Scope, Site } from '../toolchain.js'
import { type Excess, watchUse } from '../use.js'
import { isRecord } from '../values.js'
import { LanguageServer } from './language-server.js'
import { isPython } from './lint.js'
import type { Places } from './places.js'
import { LEVELS } from './severity.js'

// It holds 120 MB, and is back in 0.8 s.
const IDLE_MS = 30_000
const HEAP_MIB = 320
// A larger one is 10 MB more, and no quicker.
const YOUNG_MIB = 2
const DATA_MIB = 1536
const MEMORY_MIB = 1024
// It keeps a little of every check.
const MAX_CHECKS = 200
const MAX_TEXT = 512 * 1024

export interface Complaint { file: string, line: number, column: number, rule: string | undefined, isError: boolean, message: string }

/** It came to no end. */
export class PyrightFailed extends Error {}

interface Running { server: LanguageServer, folder: string, checks: number }

/**
 * Pyright's language server, kept running in a Deno that may read pyright, the stubs and the folder of the job: a relative
 * import leads nowhere else. Each job has a folder of its own, since what pyright knows of one it keeps.
 */
export class Pyright {
  readonly #places: Places
  readonly #site: Site
  readonly #turn = new Slots(1)
  #running: Promise<Running> | undefined
  #cooling: NodeJS.Timeout | undefined
  #isClosed = false

  constructor (places: Places, site: Site) {
    this.#places = places
    this.#site = site
  }

  async check (files: Files, scope: Scope): Promise<Complaint[]> {
    const sources = Object.entries(files).filter(([path]) => isPython(path))
    if (sources.length === 0) return []
    if (sources.some(([, text]) => text.length > MAX_TEXT)) throw new PyrightFailed(`a file of more than ${MAX_TEXT} characters is not looked at`)
    return await this.#turn.with(scope, async () => {
      const { signal, limits } = scope
      clearTimeout(this.#cooling)
      const ends: (() => void)[] = []
      try {
        const running = await this.#open()
        const { pid } = running.server.process
        const stopped = new Promise<never>((_resolve, reject) => {
          const onAbort = () => reject(signal.reason)
          signal.addEventListener('abort', onAbort, { once: true })
          const onExcess = (excess: Excess) => reject(new PyrightFailed(`pyright ran out of ${excess}`))
          ends.push(() => signal.removeEventListener('abort', onAbort))
          if (pid !== undefined) ends.push(watchUse(pid, { ...limits, memoryMiB: MEMORY_MIB }, onExcess))
        })
        const complaints = await Promise.race([ask(running, sources), stopped])
        if (++running.checks >= MAX_CHECKS) await this.#stop()
        return complaints
      } catch (error) {
        await this.#stop()
        signal.throwIfAborted()
        throw error instanceof PyrightFailed ? error : new PyrightFailed(`pyright failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
      } finally {
        for (const end of ends) end()
        this.#cooling = setTimeout(() => void this.#stop(), IDLE_MS).unref()
      }
    })
  }

  /** Its first check would read the builtins. */
  warm (): void {
    const scope = { signal: AbortSignal.timeout(10_000), limits: { wallMs: 10_000, cpuMs: 10_000, memoryMiB: MEMORY_MIB, outputBytes: 0 }, run: this }
    this.check({ 'warm.py': 'import dataclasses, typing, unittest, pytest\nprint(1)\n' }, scope).catch((error: unknown) => this.#site.log.debug({ err: error }, 'the type checker could not be warmed'))
  }

  async close (): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#cooling)
    await this.#stop()
  }

  // A check that waited for its turn while all was closed would start what nobody ends.
  async #open (): Promise<Running> {
    if (this.#isClosed) throw new SandboxUnavailable('the sandbox is closed')
    this.#running ??= this.#start()
    this.#running.catch(() => { this.#running = undefined })
    return await this.#running
  }

  async #start (): Promise<Running> {
    const { pyright, stubs, runner } = this.#places
    const { site: { deno, wall, folder: temporary } } = { site: this.#site }
    const folder = join(temporary, `types-${randomBytes(6).toString('hex')}`)
    await mkdir(folder)
    await writeFile(join(folder, 'pyrightconfig.json'), JSON.stringify({ pythonVersion: '3.14', pythonPlatform: 'Linux', typeCheckingMode: 'basic', stubPath: stubs, useLibraryCodeForTypes: false, ...LEVELS }))
    const root = join(runner, 'pyright.cjs')
    const readable = [folder, pyright, stubs, root]
    const flags = denoFlags(readable, [`--max-old-space-size=${HEAP_MIB}`, `--max-semi-space-size=${YOUNG_MIB}`, '--optimize-for-size']).map(flag => flag === '--deny-sys' ? '--allow-sys' : flag) // it asks for the number of processors
    const server = new LanguageServer(wall.around([deno, ...flags, '--no-npm', '--ignore-env', root, pyright, '--stdio'], { readable, dataMiB: DATA_MIB }), folder, this.#site)
    const uri = pathToFileURL(folder).href
    try {
      // Without a process to watch over: it may not look at others.
      await server.request('initialize', { processId: null, rootUri: uri, workspaceFolders: [{ uri, name: 'job' }], initializationOptions: {}, capabilities: { textDocument: { diagnostic: { dynamicRegistration: false } }, workspace: { workspaceFolders: true, configuration: true, didChangeWatchedFiles: { dynamicRegistration: true } } } })
      server.notify('initialized', {})
    } catch (error) {
      await server.kill()
      await rm(folder, { recursive: true, force: true })
      throw error
    }
    return { server, folder, checks: 0 }
  }

  async #stop (): Promise<void> {
    const running = await this.#running?.catch(() => undefined) // one that did not start has nothing to stop
    this.#running = undefined
    if (!running) return
    await running.server.kill()
    await rm(running.folder, { recursive: true, force: true })
  }
}

async function ask ({ server, folder }: Running, sources: [string, string][]): Promise<Complaint[]> {
  const job = join(folder, randomBytes(6).toString('hex'))
  const documents = sources.map(([file, text]) => ({ file, text, path: join(job, file), uri: pathToFileURL(join(job, file)).href }))
  try {
    for (const parent of new Set(documents.map(({ path }) => dirname(path)))) await mkdir(parent, { recursive: true })
    await Promise.all(documents.map(({ path, text }) => writeFile(path, text)))
    for (const { uri, text } of documents) server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'python', version: 1, text } })
    const complaints: Complaint[] = []
    for (const { file, uri } of documents) {
      const report = await server.request('textDocument/diagnostic', { textDocument: { uri } })
      for (const item of isRecord(report) && Array.isArray(report.items) ? report.items.filter(isRecord) : []) complaints.push(complaintOf(item, file, job))
    }
    for (const { uri } of documents) server.notify('textDocument/didClose', { textDocument: { uri } })
    return complaints
  } finally {
    await rm(job, { recursive: true, force: true })
  }
}

const ERROR = 1

function complaintOf ({ range, code, severity, message }: Record<string, unknown>, file: string, job: string): Complaint {
  const start = isRecord(range) && isRecord(range.start) ? range.start : {}
  return { file, line: Number(start.line ?? 0) + 1, column: Number(start.character ?? 0) + 1, rule: typeof code === 'string' ? code : undefined, isError: severity === ERROR, message: String(message).replaceAll(`${job}/`, '') }
}

import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Files } from '../../../agents/types.js'
import { denoFlags } from '../deno.js'
import { KeptTool, type RunningTool, ToolFailed } from '../kept-tool.js'
import { writeFiles } from '../process.js'
import type { Host, Operation } from '../toolchain.js'
import { isRecord } from '../values.js'
import { LanguageServer } from './language-server.js'
import { isPython } from './lint.js'
import type { Paths } from './paths.js'
import { LEVELS } from './severity.js'

// It holds 120 MB, and starts in 0.8 s.
const IDLE_MS = 30_000
const HEAP_MIB = 320
// A larger one takes 10 MB more and is not quicker.
const YOUNG_MIB = 2
const DATA_MIB = 1536
const MAX_USES = 200
const MAX_TEXT = 512 * 1024
const WARM_TEXT = 'import dataclasses, typing, unittest, pytest\nprint(1)\n'

/** What Pyright says about a line. */
export interface Complaint { file: string, line: number, column: number, rule: string | undefined, isError: boolean, message: string }

interface Running extends RunningTool { server: LanguageServer, folder: string }

/**
 * Pyright's language server in Deno. It may read Pyright, the stubs and the folder of the job, so that relative imports lead
 * nowhere else. Each job has a folder of its own, since Pyright keeps what it knows of a file.
 */
export class Pyright {
  readonly #tool: KeptTool<Running>

  constructor (paths: Paths, host: Host) {
    this.#tool = new KeptTool({ name: 'pyright', start: () => start(paths, host), idleMs: IDLE_MS, maxUses: MAX_USES, log: host.log })
  }

  async check (files: Files, operation: Operation): Promise<Complaint[]> {
    const sources = Object.fromEntries(Object.entries(files).filter(([path]) => isPython(path)))
    const texts = Object.values(sources)
    if (texts.length === 0) return []
    if (texts.some(text => text.length > MAX_TEXT)) throw new ToolFailed(`files of more than ${MAX_TEXT} characters are not checked`)
    return await this.#tool.use(operation, running => complaintsOf(running, sources))
  }

  /** The first check also reads the standard library's types. */
  warm (): void {
    this.#tool.warm(running => complaintsOf(running, { 'warm.py': WARM_TEXT }))
  }

  async close (): Promise<void> {
    await this.#tool.close()
  }
}

async function start ({ pyright, stubs, runner }: Paths, host: Host): Promise<Running> {
  const folder = join(host.folder, `types-${randomBytes(6).toString('hex')}`)
  await mkdir(folder)
  const settings = { pythonVersion: '3.14', pythonPlatform: 'Linux', typeCheckingMode: 'basic', useLibraryCodeForTypes: false }
  await writeFile(join(folder, 'pyrightconfig.json'), JSON.stringify({ ...settings, stubPath: stubs, ...LEVELS }))
  const root = join(runner, 'pyright.cjs')
  const readable = [folder, pyright, stubs, root]
  const denied = denoFlags(readable, [`--max-old-space-size=${HEAP_MIB}`, `--max-semi-space-size=${YOUNG_MIB}`, '--optimize-for-size'])
  const flags = denied.map(flag => flag === '--deny-sys' ? '--allow-sys' : flag) // it asks for the number of processors
  const command = [host.deno, ...flags, '--no-npm', '--ignore-env', root, pyright, '--stdio']
  const server = new LanguageServer(host.wall.around(command, { readable, dataMiB: DATA_MIB }), folder, host)
  const stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const uri = pathToFileURL(folder).href
  try {
    await server.request('initialize', {
      processId: null, // it may not look at other processes
      rootUri: uri,
      workspaceFolders: [{ uri, name: 'job' }],
      initializationOptions: {},
      capabilities: {
        textDocument: { diagnostic: { dynamicRegistration: false } },
        workspace: { workspaceFolders: true, configuration: true, didChangeWatchedFiles: { dynamicRegistration: true } }
      }
    })
    server.notify('initialized', {})
  } catch (error) {
    await stop()
    throw error
  }
  return { server, folder, pid: server.pid, ended: server.ended, stop }
}

async function complaintsOf ({ server, folder }: Running, files: Files): Promise<Complaint[]> {
  const job = join(folder, randomBytes(6).toString('hex'))
  const documents = Object.entries(files).map(([file, text]) => {
    return { file, document: { uri: pathToFileURL(join(job, file)).href, languageId: 'python', version: 1, text } }
  })
  try {
    await mkdir(job)
    await writeFiles(job, files)
    for (const { document } of documents) server.notify('textDocument/didOpen', { textDocument: document })
    const complaints: Complaint[] = []
    for (const { file, document: { uri } } of documents) {
      const answer = await server.request('textDocument/diagnostic', { textDocument: { uri } })
      const items = isRecord(answer) && Array.isArray(answer.items) ? answer.items.filter(isRecord) : []
      for (const item of items) complaints.push(complaintIn(item, file, job))
    }
    for (const { document: { uri } } of documents) server.notify('textDocument/didClose', { textDocument: { uri } })
    return complaints
  } finally {
    await rm(job, { recursive: true, force: true })
  }
}

const ERROR = 1 // DiagnosticSeverity.Error

function complaintIn ({ range, code, severity, message }: Record<string, unknown>, file: string, job: string): Complaint {
  const start = isRecord(range) && isRecord(range.start) ? range.start : {}
  return {
    file,
    line: Number(start.line ?? 0) + 1,
    column: Number(start.character ?? 0) + 1,
    rule: typeof code === 'string' ? code : undefined,
    isError: severity === ERROR,
    message: String(message).replaceAll(`${job}/`, '')
  }
}

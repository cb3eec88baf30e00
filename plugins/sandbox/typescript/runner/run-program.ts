import Module from 'node:module'
import process from 'node:process'
import util from 'node:util'
import { send } from './channel.js'
import { type Volume, openFiles, writtenIn } from './files/program-files.js'
import { watchNeeds } from './needs.js'
import { installConsole, printError } from './program-console.js'
import { replace, host, leave } from './platform.js'
import { urlOf } from './run-tests.js'
import { handleStray, thrownFields } from './thrown.js'

export interface ProgramJob {
  folder: string
  entry: string
  args: string[]
  hasStdin: boolean
  isCommonJs: boolean
  /** The program's files, if it reads or writes any. They are then kept in memory. */
  files?: string[]
  /** Words in its text that may name something which is not here, and the modules that it imports: see needs.ts. */
  names: string[]
  modules: string[]
}

const RUNNER = import.meta.url

/** Starts the program. The process ends by itself, when nothing is left to wait for or when the program exits. */
export function runProgram (job: ProgramJob): void {
  const { folder, entry, args, hasStdin, isCommonJs, files, names, modules } = job
  const path = `${folder}/${entry}`
  replace(process, 'argv', ['node', path, ...args])
  replace(host, 'args', args)
  replace(host, 'mainModule', `file://${path}`)
  installConsole()
  watchNeeds({ hasStdin, names, modules, report: need => { send('need', { need }) } })
  const volume = files && openFiles(folder, files)
  handleStray((event, reason) => {
    if (isHandled(event.type)) return
    event.preventDefault()
    crash(reason)
  })
  const events = globalThis as unknown as { addEventListener (type: string, listener: () => void, capture: boolean): void }
  events.addEventListener('unload', () => { reportEnd(volume) }, true)
  if (isCommonJs) {
    try {
      (Module as unknown as { _load (path: string, parent: null, isMain: boolean): unknown })._load(path, null, true)
    } catch (thrown) {
      failed(thrown)
    }
  } else {
    import(urlOf(folder, entry)).catch(failed)
  }
}

function failed (thrown: unknown): void {
  const { emit } = process as unknown as { emit: (name: string, ...args: unknown[]) => boolean }
  if (process.listenerCount('uncaughtException') === 0) crash(thrown)
  else Reflect.apply(emit, process, ['uncaughtException', thrown, 'uncaughtException'])
}

// As in Node, the program's own listeners handle these errors.
function isHandled (type: string): boolean {
  if (process.listenerCount('uncaughtException') > 0) return true
  return type === 'unhandledrejection' && process.listenerCount('unhandledRejection') > 0
}

function crash (thrown: unknown): never {
  send('thrown', thrownFields(thrown))
  printError(inspected(thrown))
  return leave(1)
}

function inspected (thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return `Uncaught:\n${util.inspect(thrown)}`
    // Deno's message says everything about a module that it cannot load.
    if (Reflect.get(thrown, 'code') === 'ERR_MODULE_NOT_FOUND') return thrown.message.replace(/\n\s{0,10}hint:[^\n]*/, '')
    const isOurs = (line: string) => /^\s+at /.test(line) && (line.includes('(ext:') || line.includes(RUNNER))
    return util.inspect(thrown).split('\n').filter(line => !isOurs(line)).join('\n')
  } catch {
    return 'Uncaught: something that cannot be printed'
  }
}

function reportEnd (volume: Volume | undefined): void {
  if (volume) {
    const { files, isCut } = writtenIn(volume)
    for (const [path, text] of files) send('file', { path, text })
    if (isCut) send('files cut')
  }
  send('over', { exitCode: typeof host.exitCode === 'number' ? host.exitCode : 0 })
}

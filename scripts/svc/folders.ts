import { mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { modelsFolder } from '../../plugins/backend/models/store.js'
import { type StartArgs, UsageError } from './flags.js'

// A system call for a network mount that is gone may never return.
const TIMEOUT = 10_000

/** A folder that does not answer. The thread that waits for it never returns, and would block an ordinary exit. */
export class FolderSilent extends UsageError {}

type Folders = Pick<StartArgs, 'workspace' | 'agents-dir' | 'models-dir'>

/** Checks that the folders in the flags can be used. */
export async function checkFolders ({ workspace, 'agents-dir': agents, 'models-dir': models }: Folders): Promise<void> {
  for (const folder of agents) await usable('--agents-dir', folder, canBeRead)
  await checkModels(models)
  if (workspace !== undefined) await usable('--workspace', workspace, canBeWritten)
}

/** Checks the folder for models. The default folder need not exist until it is needed, but it must answer. */
export async function checkModels (folder: string, { downloads = false } = {}): Promise<void> {
  const isNamed = folder !== modelsFolder()
  const look = downloads ? canBeWritten : isNamed ? canBeReadIfThere : canBeAsked
  await usable(isNamed ? '--models-dir' : 'The folder for models (another one is named with --models-dir)', folder, look)
}

/** Throws an error that begins with the flag, if a folder cannot be used. */
export async function usable (
  flag: string, folder: string, look: (folder: string) => Promise<void>, timeout = TIMEOUT
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const question = 'is it on a mount that is gone? Give another folder.'
    timer = setTimeout(() => reject(new FolderSilent(`${flag} ${folder} did not answer within ${timeout / 1000} s: ${question}`)), timeout)
  })
  try {
    await Promise.race([look(folder), late])
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${flag} ${folder} ${wordsFor(error)}`)
  } finally {
    clearTimeout(timer)
  }
}

async function canBeRead (folder: string): Promise<void> {
  await readdir(folder)
}

async function canBeReadIfThere (folder: string): Promise<void> {
  await readdir(folder).catch((error: unknown) => { if (codeOf(error) !== 'ENOENT') throw error })
}

async function canBeAsked (folder: string): Promise<void> {
  await stat(folder).catch(() => undefined)
}

/** Creates the folder if necessary, and tries to write to it, because permissions alone do not show whether that works. */
export async function canBeWritten (folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await rmdir(await mkdtemp(join(folder, '.svc-')))
}

/** Ends the process if one of its threads waits for a folder that does not answer: an ordinary exit would wait for that thread. */
export function leaveThread (error: unknown): void {
  if (error instanceof FolderSilent) process.kill(process.pid, 'SIGTERM')
}

function wordsFor (error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT': return 'is not there: there is no such folder. Create it, or correct the path.'
    case 'ENOTDIR':
    case 'EEXIST': return 'is a file, or leads through one: give a folder.'
    case 'EACCES':
    case 'EPERM': return 'may not be used by this user: give a folder that may, or change its permissions.'
    case 'EROFS': return 'cannot be written to, as its disk is read-only: give another folder.'
    default: return `cannot be used (${codeOf(error) ?? String(error)}): give another folder.`
  }
}

function codeOf (error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

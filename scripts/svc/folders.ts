import { mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { modelsFolder } from '../../plugins/backend/models/store.js'
import { type StartArgs, UsageError } from './flags.js'

// A network mount that is gone may keep whoever asks for it waiting for ever.
const PATIENCE = 10_000

/** A folder that does not answer. The thread that asked it never comes back, and would hold up an ordinary exit. */
export class FolderSilent extends UsageError {}

type Folders = Pick<StartArgs, 'workspace' | 'agents-dir' | 'models-dir'>

/** Sees to it that the folders that flags name can be used, before anything is built on them. */
export async function checkFolders ({ workspace, 'agents-dir': agents, 'models-dir': models }: Folders): Promise<void> {
  for (const folder of agents) await usable('--agents-dir', folder, canBeRead)
  await checkModels(models)
  if (workspace !== undefined) await usable('--workspace', workspace, canBeWritten)
}

/** The user's own cache folder is no fault where nobody needs it; only one that does not answer is. */
export async function checkModels (folder: string, { downloads = false } = {}): Promise<void> {
  const isNamed = folder !== modelsFolder()
  const look = downloads ? canBeWritten : isNamed ? canBeReadIfThere : canBeAsked
  await usable(isNamed ? '--models-dir' : 'The folder for models (another one is named with --models-dir)', folder, look)
}

/** Throws what is wrong with a folder, in words that begin with who named it. */
export async function usable (flag: string, folder: string, look: (folder: string) => Promise<void>, patience = PATIENCE): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new FolderSilent(`${flag} ${folder} did not answer within ${patience / 1000} s: is it on a mount that is gone? Give another folder.`)), patience)
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

/** Made if it is not there. Whether it can be written to is tried: the rights alone don't tell. */
export async function canBeWritten (folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await rmdir(await mkdtemp(join(folder, '.svc-')))
}

/** Ends the process, also where a thread of it hangs in a folder: an exit would wait for that thread. */
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

import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files } from '../types.js'
import { unfit } from './file-names.js'

/** `reason`: the end of a sentence, after "since". */
export interface Saved { written: string[], refused: { path: string, reason: string }[] }

const MOST_FILES = 200
const MOST_BYTES = 8 * 1024 * 1024
const RUN = /^[\w-]{1,100}$/
const UNFINISHED = /^\.svc-(\d+)-/

/**
 * Writes the files of a run to `root/<run>/`. They are first written to a temporary folder next to it, which is then renamed, so that
 * the folder appears only when it is complete.
 */
export async function writeWorkspace (root: string, run: string, files: Files): Promise<Saved> {
  if (!RUN.test(run)) throw new Error('the run has an id that is no folder name')
  const refused: Saved['refused'] = []
  const wanted = sorted(files, refused)
  if (wanted.length === 0) return { written: [], refused }
  const base = await rootFolder(root)
  await sweep(base)
  const fresh = join(base, `.svc-${process.pid}-${run}`)
  try {
    await mkdir(fresh, { mode: 0o700 })
    for (const [path, text] of wanted) await write(fresh, path, text)
    await rename(fresh, join(base, run))
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    throw new Error(
      `the files could not be written to the workspace (${codeOf(error)}); see that the folder given by --workspace can be written to`,
      { cause: error }
    )
  }
  return { written: wanted.map(([path]) => path), refused }
}

/** The files that may be written. Those that may not are added to `refused`, with the reason. */
function sorted (files: Files, refused: Saved['refused']): [string, string][] {
  const wanted: [string, string][] = []
  const taken = new Set<string>()
  let bytes = 0
  for (const [path, text] of Object.entries(files)) {
    const key = path.normalize('NFKC').toUpperCase().toLowerCase() // upper case first, because some systems treat ß as SS
    const size = Buffer.byteLength(text)
    const reason = unfit(path)
      ?? (clashes(key, taken)
        ? 'another file of the run has that name'
        : wanted.length >= MOST_FILES
          ? `a run writes ${MOST_FILES} files at most`
          : bytes + size > MOST_BYTES ? `a run writes ${MOST_BYTES / 1024 / 1024} MiB at most` : undefined)
    if (reason !== undefined) {
      refused.push({ path, reason })
      continue
    }
    taken.add(key)
    bytes += size
    wanted.push([path, text])
  }
  return wanted
}

/** Whether a path equals another one (ignoring case, as some systems do), or is a file where another path needs a folder. */
function clashes (key: string, taken: ReadonlySet<string>): boolean {
  if (taken.has(key)) return true
  for (const other of taken) if (other.startsWith(`${key}/`) || key.startsWith(`${other}/`)) return true
  return false
}

async function rootFolder (root: string): Promise<string> {
  try {
    await mkdir(root, { recursive: true })
    const base = await realpath(root)
    if (!(await lstat(base)).isDirectory()) throw new Error('it is no folder')
    return base
  } catch (error) {
    throw new Error(
      `the workspace cannot be used (${codeOf(error)}); give a folder that can be written to with --workspace`,
      { cause: error }
    )
  }
}

// The folder is new, so it should contain no links. O_EXCL and O_NOFOLLOW make sure of that, even if another process adds one.
async function write (folder: string, path: string, text: string): Promise<void> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  const file = await open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o644)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

/** Removes temporary folders of services that have ended before they could rename them. */
async function sweep (base: string): Promise<void> {
  for (const name of await readdir(base)) {
    const pid = Number(UNFINISHED.exec(name)?.[1])
    if (pid > 0 && pid !== process.pid && !isAlive(pid)) await rm(join(base, name), { recursive: true, force: true })
  }
}

function isAlive (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function codeOf (error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : error instanceof Error ? error.message : String(error)
}

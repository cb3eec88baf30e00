import { existsSync, readFileSync, statSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'

/** The size and checksum of a file that was downloaded and checked. It is written to a JSON file next to the model's file. */
export interface Receipt { size: number, sha256: string, url: string }

/** The folder for downloaded models. It is in the user's cache folder, which backups leave out. */
export function modelsFolder (): string {
  const home = isAbsolute(homedir()) ? homedir() : userInfo().homedir // HOME may be empty
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'svc', 'models')
  if (process.platform === 'win32') return join(process.env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'svc', 'models')
  return join(process.env.XDG_CACHE_HOME || join(home, '.cache'), 'svc', 'models')
}

export function placeOf (folder: string, repo: string, file: string): string {
  return join(folder, ...repo.split('/'), ...file.split('/'))
}

/** Whether a file was downloaded completely, and still has the size that it had then. */
export function isWhole (file: string): boolean {
  return existsSync(file) && statSync(file).size === readReceipt(file)?.size
}

export async function writeReceipt (file: string, receipt: Receipt): Promise<void> {
  await writeFile(`${file}.json`, `${JSON.stringify(receipt, null, 2)}\n`)
}

function readReceipt (file: string): Receipt | undefined {
  try {
    const receipt: unknown = JSON.parse(readFileSync(`${file}.json`, 'utf8'))
    return isReceipt(receipt) ? receipt : undefined
  } catch {
    return undefined // not downloaded by this service, or not completely: counts as missing
  }
}

function isReceipt (value: unknown): value is Receipt {
  if (typeof value !== 'object' || value === null) return false
  return 'size' in value && typeof value.size === 'number' && 'sha256' in value && typeof value.sha256 === 'string'
}

/** A model in the folder, downloaded completely or in part. */
export interface Kept { repo: string, file: string, path: string, size: number, isWhole: boolean }

export async function kept (folder: string): Promise<Kept[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [] as string[])
  const files = new Set(names.filter(name => /\.gguf(\.part)?$/i.test(name)).map(name => name.replace(/\.part$/, '')))
  return [...files].sort().map(name => {
    const path = join(folder, name)
    const [user = '', repo = '', ...file] = relative(folder, path).split(/[\\/]/)
    const whole = isWhole(path)
    const there = [path, `${path}.part`].find(candidate => existsSync(candidate)) ?? path
    const size = statSync(there, { throwIfNoEntry: false })?.size ?? 0
    return { repo: `${user}/${repo}`, file: file.join('/'), path, size, isWhole: whole }
  })
}

/** Removes all files of a model. */
export async function remove (path: string): Promise<void> {
  for (const file of [path, `${path}.part`, `${path}.json`, `${path}.lock`]) await rm(file, { force: true })
}

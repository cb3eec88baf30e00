// With --workspace the files of a run are also written to a folder, and the reply says where. If writing fails, the reply says so.
import type { Files } from '../../types.js'
import { visible } from '../file-names.js'
import { type Saved, writeWorkspace } from '../workspace.js'
import type { Words } from './words/words.js'

// Writing to a network folder that is gone may never end.
const WRITE_MS = 10_000
const MOST_NAMED = 20

export async function saved (folder: string | undefined, run: string, files: Files, words: Words): Promise<string[]> {
  if (folder === undefined || Object.keys(files).length === 0) return []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the workspace did not answer within ${WRITE_MS / 1000} s`)), WRITE_MS)
  })
  try {
    return linesOf(run, await Promise.race([writeWorkspace(folder, run, files), late]), words)
  } catch (error) {
    return [words.nothingSaved(error instanceof Error ? error.message : String(error))]
  } finally {
    clearTimeout(timer)
  }
}

function linesOf (run: string, { written, refused }: Saved, words: Words): string[] {
  return [
    ...(written.length > 0 ? [words.saved(run, written.map(path => `\`${path}\``).join(', '))] : []),
    ...byReason(refused).map(([reason, paths]) => words.notSaved(named(paths), reason))
  ]
}

function byReason (refused: Saved['refused']): [reason: string, paths: string[]][] {
  const reasons = new Map<string, string[]>()
  for (const { path, reason } of refused) reasons.set(reason, [...reasons.get(reason) ?? [], path])
  return [...reasons]
}

function named (paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMED).map(path => `\`${visible(path)}\``).join(', ')
  return paths.length > MOST_NAMED ? `${names} (+ ${paths.length - MOST_NAMED})` : names
}

import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'

export interface AgentFolder {
  name: string
  path: string
  /** The folder that holds this one: dotted class names start there. */
  parent: string
  /** The file that exports the plugin. */
  index: string
}

const SOURCES = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']

/** The agent folders in the given folders, sorted by name. Loose files are ignored. */
export async function agentFolders (dirs: string[], compiled: Record<string, string>, log: FastifyBaseLogger): Promise<AgentFolder[]> {
  const folders: AgentFolder[] = []
  const seen = new Set<string>()
  for (const dir of dirs) {
    const parent = await realpath(dir).catch(() => {
      throw new Error(`--agents-dir ${dir}: there is no such folder. Create it, or correct the path.`)
    })
    if (!(await stat(parent)).isDirectory()) {
      throw new Error(`--agents-dir ${dir} is a file; name the folder that holds the agents' folders.`)
    }
    if (seen.has(parent)) continue
    seen.add(parent)
    for (const name of (await readdir(parent)).sort()) {
      const path = join(parent, name)
      if (/^[._]|^node_modules$/.test(name) || !(await isDirectory(path))) continue
      const index = compiled[path] ?? await sourceFile(join(path, 'index'))
      if (index === undefined) log.warn({ folder: path }, `${basename(parent)}/${name} has no index file, so it is not loaded as an agent`)
      else folders.push({ name, path, parent, index })
    }
  }
  return folders
}

/** The file of a module whose name has no extension: `echo/agent` -> `echo/agent.ts`, or `echo/agent/index.ts`. */
export async function sourceFile (path: string): Promise<string | undefined> {
  for (const candidate of [path, join(path, 'index')]) {
    for (const ending of SOURCES) {
      const found = await stat(candidate + ending).catch(() => undefined)
      if (found?.isFile()) return candidate + ending
    }
  }
  return undefined
}

async function isDirectory (path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

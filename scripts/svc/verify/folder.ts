import { type Dirent } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files, Language } from '../../../agents/types.js'

export interface Project { language: Language, files: Files, tests: string[] }

const IGNORED = new Set(['node_modules', '__pycache__', 'dist', 'build', 'venv', 'env', 'coverage', 'target'])
const SOURCES: Record<Language, RegExp> = { python: /\.py$/, typescript: /\.(?:[mc]?tsx?|[mc]?jsx?)$/ }
const TESTS: Record<Language, RegExp> = {
  python: /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/,
  typescript: /\.(?:test|spec)\.[mc]?[jt]sx?$|(?:^|\/)(?:tests?|__tests__)\/[^/]*\.[mc]?[jt]sx?$/
}
const DATA = /\.(?:json|toml|txt|md|csv|ya?ml|cfg|ini)$/
const MOST_FILES = 2000
const MOST_BYTES = 8 * 1024 * 1024

/** The sources below a folder, by language: a folder may contain both languages. Symbolic links are not followed. */
export async function projectsIn (folder: string): Promise<Project[]> {
  const paths = await filesBelow(folder, '')
  if (paths.length >= MOST_FILES) throw new Error(`${folder} holds more than ${MOST_FILES} files; name the folder of one package.`)
  const languages = (['python', 'typescript'] as const).filter(language => paths.some(path => SOURCES[language].test(path)))
  const projects: Project[] = []
  for (const language of languages) {
    const wanted = paths.filter(path => SOURCES[language].test(path) || DATA.test(path))
    const files: Record<string, string> = {}
    let bytes = 0
    for (const path of wanted) {
      const { size } = await stat(join(folder, path))
      if (size > 1024 * 1024 && !SOURCES[language].test(path)) continue
      bytes += size
      if (bytes > MOST_BYTES) {
        throw new Error(`${folder} holds more than ${MOST_BYTES / 1024 / 1024} MiB of sources; name the folder of one package.`)
      }
      files[path] = await readFile(join(folder, path), 'utf8')
    }
    projects.push({ language, files, tests: wanted.filter(path => TESTS[language].test(path)) })
  }
  return projects
}

async function filesBelow (folder: string, prefix: string, found: string[] = []): Promise<string[]> {
  for (const entry of (await readdir(join(folder, prefix), { withFileTypes: true })).sort(byName)) {
    if (found.length >= MOST_FILES) break
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory() && !entry.name.startsWith('.') && !IGNORED.has(entry.name)) await filesBelow(folder, path, found)
    else if (entry.isFile() && !entry.name.startsWith('.')) found.push(path)
  }
  return found
}

function byName (left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1
}

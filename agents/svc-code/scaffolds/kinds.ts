import type { Files, Language } from '../../types.js'

export type ProjectKind = 'fastapi' | 'flask' | 'django' | 'typer' | 'python-cli' | 'python-library'
  | 'express' | 'fastify' | 'nestjs' | 'react' | 'nextjs' | 'vue' | 'node-cli' | 'typescript-library'

/** What a scaffold needs to know about the project. */
export interface Facts {
  /** The name that the user gave it: `word-tally`. */
  name: string
  summary: string
  /** The files that exist already: the scaffold does not write them again, and its own files go with them. */
  files: Files
}

export interface Scaffold {
  language: Language
  title: string
  /** A line for the plan: the usual layout of projects with this framework. */
  layout: string
  setup: string
  test: string
  /** All files except the README, and the command that runs the project. */
  make: (facts: Facts) => { files: Record<string, string>, run: string }
}

/** A name such as `Word Tally!` in the form for npm and PyPI. */
export function packageName (name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[-\d]+|-$/g, '') || 'project'
}

/** The same name in the form for Python's imports. */
export function moduleName (name: string): string {
  return packageName(name).replaceAll('-', '_')
}

/** The folder of the project's own Python code. */
export function packageFolder ({ name, files }: Facts): string {
  return packageFolders(files)[0] ?? moduleName(name)
}

export function packageFolders (files: Files): string[] {
  return [...new Set(Object
    .keys(files)
    .filter(path => path.endsWith('.py') && path.includes('/'))
    .map(path => path.slice(0, path.indexOf('/'))))].filter(folder => folder !== 'tests')
}

type Test = (path: string) => boolean
const isSource: Test = path => ['.py', '.ts', '.tsx'].some(ending => path.endsWith(ending))

export interface FoundStatement { path: string, name: string }

/** The first file in which a pattern is found, and the match. */
export function find (files: Files, pattern: RegExp, isMeant: Test = isSource): FoundStatement | undefined {
  return first(files, isMeant, source => pattern.exec(source))
}

/** The first top-level statement that a pattern matches from its beginning. */
export function findStatement (files: Files, pattern: RegExp, isMeant: Test = isSource): FoundStatement | undefined {
  return first(files, isMeant, source => {
    for (const head of headsOf(source)) {
      const match = pattern.exec(head)
      if (match) return match
    }
    return null
  })
}

function first (files: Files, isMeant: Test, search: (source: string) => RegExpExecArray | null): FoundStatement | undefined {
  for (const [path, source] of Object.entries(files)) {
    const isOfTests = path.split('/').slice(0, -1).some(folder => folder === 'test' || folder === 'tests')
    const match = isMeant(path) && !isOfTests ? search(source) : null
    if (match) return { path, name: match.slice(1).find(group => group !== undefined) ?? '' }
  }
  return undefined
}

// Patterns see only this many characters of a statement, which is enough to recognise it.
const HEAD = 4000

/** The beginning of each top-level statement, including its decorators. */
function * headsOf (source: string): Generator<string, void> {
  let start = 0
  let isDecorator = false
  for (let at = 0; at < source.length; at = endOfLine(source, at)) {
    if (' \t\n)]}'.includes(source[at] ?? '')) continue
    if (!isDecorator) {
      if (at > start) yield source.slice(start, Math.min(at, start + HEAD))
      start = at
    }
    isDecorator = source[at] === '@'
  }
  yield source.slice(start, start + HEAD)
}

function endOfLine (source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end === -1 ? source.length : end + 1
}

import type { Files, Language } from '../../types.js'

export type ProjectKind = 'fastapi' | 'flask' | 'django' | 'typer' | 'python-cli' | 'python-library'
  | 'express' | 'fastify' | 'nestjs' | 'react' | 'nextjs' | 'vue' | 'node-cli' | 'typescript-library'

/** What a scaffold is told of the project. */
export interface Facts {
  /** As the user calls it: `word-tally`. */
  name: string
  summary: string
  /** What there is already: none of it is written again, and all else is made to go with it. */
  files: Files
}

export interface Scaffold {
  language: Language
  title: string
  /** A line for the plan: where this framework's users expect what. */
  layout: string
  setup: string
  test: string
  /** Everything but the README, and the command that runs it. */
  make: (facts: Facts) => { files: Record<string, string>, run: string }
}

/** `Word Tally!` as npm and PyPI take it. */
export function packageName (name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[-\d]+|-$/g, '') || 'project'
}

/** ... and as Python imports it. */
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

export interface Found { path: string, name: string }

/** The first file that a pattern is found in, and what it found there. */
export function find (files: Files, pattern: RegExp, isMeant: Test = isSource): Found | undefined {
  return first(files, isMeant, source => pattern.exec(source))
}

/** The first statement at the margin of a file that a pattern matches from its start. What is behind it is never looked at. */
export function findStatement (files: Files, pattern: RegExp, isMeant: Test = isSource): Found | undefined {
  return first(files, isMeant, source => {
    for (const head of headsOf(source)) {
      const match = pattern.exec(head)
      if (match) return match
    }
    return null
  })
}

function first (files: Files, isMeant: Test, search: (source: string) => RegExpExecArray | null): Found | undefined {
  for (const [path, source] of Object.entries(files)) {
    const isOfTests = path.split('/').slice(0, -1).some(folder => folder === 'test' || folder === 'tests')
    const match = isMeant(path) && !isOfTests ? search(source) : null
    if (match) return { path, name: match.slice(1).find(group => group !== undefined) ?? '' }
  }
  return undefined
}

// A pattern may look this far into a statement: what it is and what it begins with is seen well before.
const HEAD = 4000

/** How each statement at the margin begins, with its decorators. */
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

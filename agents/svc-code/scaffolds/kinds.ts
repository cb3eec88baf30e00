import type { Language } from '../../types.js'

export type ProjectKind = 'fastapi' | 'flask' | 'django' | 'typer' | 'python-cli' | 'python-library'
  | 'express' | 'fastify' | 'nestjs' | 'react' | 'nextjs' | 'vue' | 'node-cli' | 'typescript-library'

/** What a scaffold is told of the project. */
export interface Facts {
  /** As the user calls it: `word-tally`. */
  name: string
  summary: string
  /** What there is already: none of it is written again. */
  files: readonly string[]
}

export interface Scaffold {
  language: Language
  title: string
  /** A line for the plan: where this framework's users expect what. */
  layout: string
  setup: string
  run: string
  test: string
  /** Everything but the README. */
  files: (facts: Facts) => Record<string, string>
  /** A small program that works by itself, for where no file matches. */
  entry: { matches: RegExp, files: (facts: Facts) => Record<string, string> }
}

/** `Word Tally!` as npm and PyPI take it. */
export function packageName (name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[-\d]+|-+$/g, '') || 'project'
}

/** ... and as Python imports it. */
export function moduleName (name: string): string {
  return packageName(name).replaceAll('-', '_')
}

/** The folder of the project's own Python code. */
export function packageFolder ({ name, files }: Facts): string {
  const folders = files.filter(path => path.endsWith('.py') && path.includes('/') && !path.startsWith('tests/')).map(path => path.split('/')[0] ?? '')
  return folders[0] ?? moduleName(name)
}

import type { Language } from '../../types.js'
import { kindsNamed } from '../frameworks.js'
import { type Facts, type ProjectKind, type Scaffold, packageFolder } from './kinds.js'
import { NODE_SCAFFOLDS } from './node.js'
import { PYTHON_SCAFFOLDS } from './python.js'
import { PYTHON_WEB_SCAFFOLDS } from './python-web.js'
import { WEB_SCAFFOLDS } from './web.js'

export type { Facts, ProjectKind }

export const SCAFFOLDS: Record<ProjectKind, Scaffold> = { ...PYTHON_SCAFFOLDS, ...PYTHON_WEB_SCAFFOLDS, ...NODE_SCAFFOLDS, ...WEB_SCAFFOLDS }

/** Everything that a project of this kind holds around the code that is there, none of which is touched. */
export function scaffoldOf (kind: ProjectKind, facts: Facts): { files: Record<string, string>, title: string, testCommand: string } {
  const scaffold = SCAFFOLDS[kind]
  const { files: made, run } = scaffold.make(facts)
  const files = Object.fromEntries(Object.entries(made).filter(([path]) => !Object.hasOwn(facts.files, path)))
  const readme = readmeOf(facts, { ...scaffold, run }, [...Object.keys(facts.files), ...Object.keys(files)].sort())
  return { title: scaffold.title, testCommand: scaffold.test, files: { ...(facts.files['README.md'] === undefined && { 'README.md': readme }), ...files } }
}

/** For the plan: what goes where in such a project. */
export function layoutOf (kind: ProjectKind, facts: Facts): string {
  const { title, layout } = SCAFFOLDS[kind]
  return `${title} project (${layout.replaceAll('PACKAGE', packageFolder(facts))})`
}

function readmeOf ({ name, summary }: Facts, { setup, test, run }: Scaffold & { run: string }, files: readonly string[]): string {
  const fence = '```'
  const section = (title: string, command: string) => `## ${title}\n\n${fence}sh\n${command}\n${fence}\n\n`
  return `# ${name}\n\n${summary === '' ? '' : `${summary}\n\n`}${section('Set up', setup)}${section('Run', run)}${section('Test', test)}## Files\n\n${files.filter(path => path !== 'README.md').map(path => `- \`${path}\``).join('\n')}\n`
}

/** The kind that the user's words name: a framework, a command line, a side of two, else a library. */
export function projectKind (task: string, language: Language, isOneOfTwo = false): ProjectKind {
  // What was asked for last is meant.
  for (const turn of task.split('\n\nThen the user asked:\n').reverse()) {
    const named = kindsNamed(turn).find(kind => isKind(kind) && SCAFFOLDS[kind].language === language)
    if (named !== undefined && isKind(named)) return named
  }
  const isCommand = /\b(?:cli|command[- ]line|terminal (?:tool|app)|kommandozeile\w*|línea de comandos|ligne de commande|argparse|commander)\b/i.test(task)
  if (language === 'python') return isOneOfTwo ? 'fastapi' : isCommand ? 'python-cli' : 'python-library'
  if (isOneOfTwo || /\b(?:front-?end|web ?(?:page|site|app)|browser|dashboard|landing page)\b/i.test(task)) return 'react'
  return isCommand ? 'node-cli' : 'typescript-library'
}

function isKind (name: string): name is ProjectKind {
  return Object.hasOwn(SCAFFOLDS, name)
}

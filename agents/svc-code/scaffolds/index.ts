import type { Files, Language } from '../../types.js'
import { KINDS } from '../words.js'
import { type Facts, type ProjectKind, type Scaffold, packageFolder } from './kinds.js'
import { NODE_SCAFFOLDS } from './node.js'
import { PYTHON_SCAFFOLDS } from './python.js'
import { WEB_SCAFFOLDS } from './web.js'

export type { Facts, ProjectKind }

export const SCAFFOLDS: Record<ProjectKind, Scaffold> = { ...PYTHON_SCAFFOLDS, ...NODE_SCAFFOLDS, ...WEB_SCAFFOLDS }

/** Everything that a project of this kind holds around the code that is there, none of which is touched. */
export function scaffoldOf (kind: ProjectKind, facts: Facts): { title: string, files: Files, testCommand: string, layout: string } {
  const scaffold = SCAFFOLDS[kind]
  const folder = packageFolder(facts)
  const made = { ...scaffold.files(facts), ...(!facts.files.some(path => scaffold.entry.matches.test(path)) && scaffold.entry.files(facts)) }
  const files = Object.fromEntries(Object.entries(made).filter(([path]) => !facts.files.includes(path)))
  const all = [...facts.files, ...Object.keys(files)].sort()
  const readme = readmeOf(facts, { ...scaffold, run: scaffold.run.replaceAll('PACKAGE', folder) }, all)
  return { title: scaffold.title, files: { ...(!facts.files.includes('README.md') && { 'README.md': readme }), ...files }, testCommand: scaffold.test, layout: `${scaffold.title} project (${scaffold.layout.replaceAll('PACKAGE', folder)})` }
}

function readmeOf ({ name, summary }: Facts, { setup, run, test }: Scaffold, files: readonly string[]): string {
  const fence = '```'
  return `# ${name}\n\n${summary === '' ? '' : `${summary}\n\n`}## Set up\n\n${fence}sh\n${setup}\n${fence}\n\n## Run\n\n${fence}sh\n${run}\n${fence}\n\n## Test\n\n${fence}sh\n${test}\n${fence}\n\n## Files\n\n${files.filter(path => path !== 'README.md').map(path => `- \`${path}\``).join('\n')}\n`
}

/** The kind that the user's words name: a framework, a command line, else a library. */
export function projectKind (task: string, language: Language): ProjectKind {
  for (const [kind, words] of KINDS) {
    if (isKind(kind) && SCAFFOLDS[kind].language === language && words.some(word => new RegExp(`(?<![\\w-])${word.replaceAll('.', '\\.')}(?![\\w-])`, 'i').test(task))) return kind
  }
  const isCommand = /\b(?:cli|command[- ]line|terminal (?:tool|app)|kommandozeile\w*|línea de comandos|ligne de commande|argparse|commander)\b/i.test(task)
  if (language === 'python') return isCommand ? 'python-cli' : 'python-library'
  if (/\b(?:front-?end|web ?(?:page|site|app)|browser|dashboard|landing page)\b/i.test(task)) return 'react'
  return isCommand ? 'node-cli' : 'typescript-library'
}

function isKind (name: string): name is ProjectKind {
  return Object.hasOwn(SCAFFOLDS, name)
}

import type { Profile } from '../languages/profile.js'
import { hasWord, isMeantIn } from '../languages/requested-language.js'
import { type Facts, type ProjectKind, type Scaffold, packageFolder } from './kinds.js'
import { NODE_SCAFFOLDS } from './node.js'
import { NODE_SERVICE_SCAFFOLDS } from './node-services.js'
import { PYTHON_SCAFFOLDS } from './python.js'
import { PYTHON_WEB_SCAFFOLDS } from './python-web.js'
import { WEB_SCAFFOLDS } from './web.js'

export type { Facts, ProjectKind }

export const SCAFFOLDS: Record<ProjectKind, Scaffold> = {
  ...PYTHON_SCAFFOLDS,
  ...PYTHON_WEB_SCAFFOLDS,
  ...NODE_SERVICE_SCAFFOLDS,
  ...NODE_SCAFFOLDS,
  ...WEB_SCAFFOLDS
}

/** The files that a project of this kind needs in addition to its code: manifests, entry points, README. No existing file changes. */
export function scaffoldOf (kind: ProjectKind, facts: Facts): { files: Record<string, string>, title: string, testCommand: string } {
  const scaffold = SCAFFOLDS[kind]
  const { files: made, run } = scaffold.make(facts)
  const files = Object.fromEntries(Object.entries(made).filter(([path]) => !Object.hasOwn(facts.files, path)))
  const readme = readmeOf(facts, { ...scaffold, run }, [...Object.keys(facts.files), ...Object.keys(files)].sort())
  const ours = facts.files['README.md'] === undefined ? { 'README.md': readme } : {}
  return { title: scaffold.title, testCommand: scaffold.test, files: { ...ours, ...files } }
}

/** The usual layout of such a project, for the plan. */
export function layoutOf (kind: ProjectKind, facts: Facts): string {
  const { title, layout } = SCAFFOLDS[kind]
  return `${title} project (${layout.replaceAll('PACKAGE', packageFolder(facts))})`
}

function readmeOf ({ name, summary }: Facts, { setup, test, run }: Scaffold & { run: string }, files: readonly string[]): string {
  const fence = '```'
  const section = (title: string, command: string) => `## ${title}\n\n${fence}sh\n${command}\n${fence}\n\n`
  const about = summary === '' ? '' : `${summary}\n\n`
  const list = files.filter(path => path !== 'README.md').map(path => `- \`${path}\`\n`).join('')
  return `# ${name}\n\n${about}${section('Set up', setup)}${section('Run', run)}${section('Test', test)}## Files\n\n${list}`
}

/** Words that name a kind of project; the first one that is found counts. */
const KINDS: readonly (readonly [ProjectKind, readonly string[]])[] = [
  ['fastapi', ['fastapi']], ['django', ['django']], ['flask', ['flask']], ['typer', ['typer', 'click']],
  ['nestjs', ['nestjs', 'nest.js']], ['fastify', ['fastify']], ['express', ['express', 'express.js', 'expressjs']],
  ['nextjs', ['next.js', 'nextjs']],
  ['vue', ['vue', 'vue.js', 'vuejs', 'nuxt']], ['react', ['react', 'react.js', 'reactjs', 'vite']]
]
/** The kinds of projects without a framework. */
const USUAL: Readonly<Partial<Record<ProjectKind, 'command' | 'page' | 'library'>>> = {
  'python-cli': 'command', 'python-library': 'library', 'node-cli': 'command', 'typescript-library': 'library', react: 'page'
}
const COMMANDS = [
  'cli', 'command line', 'command-line', 'terminal', 'kommandozeile', 'línea de comandos', 'ligne de commande', 'argparse', 'commander'
]
const PAGES = ['frontend', 'front-end', 'website', 'web app', 'webapp', 'web page', 'browser', 'dashboard', 'landing page']

/** The kind of project that the user asks for: a framework, a command line, otherwise a library. */
export function projectKind (task: string, { id }: Pick<Profile, 'id'>): ProjectKind {
  const text = task.slice(0, 3000).toLowerCase()
  const named = KINDS.find(([kind, words]) => SCAFFOLDS[kind].language === id && words.some(word => isMeantIn(text, word)))
  if (named) return named[0]
  const kinds = Object.keys(SCAFFOLDS).filter(isKind).filter(kind => SCAFFOLDS[kind].language === id)
  const usual = (of: 'command' | 'page' | 'library') => kinds.find(kind => USUAL[kind] === of)
  const wanted = (PAGES.some(word => hasWord(text, word)) ? usual('page') : undefined)
    ?? (COMMANDS.some(word => hasWord(text, word)) ? usual('command') : undefined)
    ?? usual('library')
  return wanted ?? 'python-library'
}

function isKind (name: string): name is ProjectKind {
  return Object.hasOwn(SCAFFOLDS, name)
}

// Reads the plan of a project: lines of the form `path - purpose - exported signatures`, with or without Markdown decoration.
import type { Profile } from '../languages/profile.js'
import { isPlain } from '../paths.js'

/** A file in the plan. */
export interface Planned { path: string, purpose: string, exports: string }

export interface Plan {
  files: Planned[]
  /** Paths in the plan that are not written: those that lead outside the project, and those beyond the limit. */
  left: string[]
}

const MOST = 16
const LONGEST_LINE = 500
const MOST_LINES = 200
/** The endings of files that a project may have and the sandbox cannot run. */
const BESIDE = ['.html', '.css', '.scss', '.sql', '.jinja', '.jinja2', '.vue', '.svelte']
const SEPARATOR = /^[\s`*]*([-–—:|]*)\s*/
const DECORATION = /^[\s>*+`-]*(?:\d{1,3}[.)]\s*)?[`*]*/

export function readPlan (text: string, profiles: readonly Profile[]): Plan {
  const lines = text.split('\n').slice(0, MOST_LINES).flatMap(line => lineOf(line.slice(0, LONGEST_LINE)) ?? [])
  const root = rootOf(lines.map(({ path }) => path), profiles)
  const plan: Plan = { files: [], left: [] }
  const taken = new Set<string>()
  for (const { path: named, rest } of lines) {
    const path = named.startsWith(root) ? named.slice(root.length) : named
    if (taken.has(path) || !isOwn(path, profiles)) continue
    const isTwin = [...taken].some(other => other.toLowerCase() === path.toLowerCase()) // one file where case is not told apart
    taken.add(path)
    if (isTwin || !isPlain(path) || plan.files.length >= MOST) {
      plan.left.push(path.slice(0, 200))
      continue
    }
    const [purpose = '', ...exports] = rest.split(/ [-–—|] /)
    plan.files.push({ path, purpose: plain(purpose), exports: plain(exports.join(' - ')) })
  }
  return plan
}

/** The path at the beginning of a line, and the text after a dash or colon. */
function lineOf (line: string): { path: string, rest: string } | undefined {
  const text = line.replace(DECORATION, '')
  const end = text.search(/[\s`*:|]/)
  const path = fromRoot(end < 0 ? text : text.slice(0, end))
  const dot = path.lastIndexOf('.')
  if (dot < 1 || !/^\.\w{1,6}$/.test(path.slice(dot)) || path.includes('(')) return undefined
  const after = end < 0 ? '' : text.slice(end)
  const [lead = '', sign = ''] = SEPARATOR.exec(after) ?? []
  const rest = after.slice(lead.length)
  // A sentence that begins with the name of a file is no line of a plan.
  return rest !== '' && sign === '' ? undefined : { path, rest }
}

function fromRoot (path: string): string {
  let start = 0
  while (path.startsWith('./', start)) start += 2
  return path.slice(start)
}

// Test files, manifests and configuration in the plan are ignored: svc-code writes the tests, and the scaffold has the others.
function isOwn (path: string, profiles: readonly Profile[]): boolean {
  const isSource = profiles.some(profile => profile.endings.some(ending => path.endsWith(ending)) && !profile.isTestFile(path, ''))
  return (isSource || BESIDE.some(ending => path.endsWith(ending)))
    && !path.endsWith('setup.py')
    && !path.includes('.config.') && !path.endsWith('.d.ts')
}

const AT_ROOT = ['README.md', 'package.json', 'pyproject.toml', 'requirements.txt', 'manage.py', 'setup.py']

/** The folder of the whole project, if the plan puts it before each path. It is recognised by manifests, `src` and the like in it. */
function rootOf (paths: readonly string[], profiles: readonly Profile[]): string {
  const [first = ''] = paths
  const folder = first.slice(0, first.indexOf('/') + 1)
  const below = paths.map(path => path.slice(folder.length))
  const isRoot = folder !== ''
    && folder !== 'src/'
    && paths.every(path => path.startsWith(folder))
    && below.some(path => AT_ROOT.includes(path) || path.startsWith('src/') || path.startsWith('tests/') || path.startsWith('test/'))
  const root = isRoot ? folder : ''
  const sources = paths.filter(path => profiles.some(({ endings, hidesSrc }) => hidesSrc && endings.some(ending => path.endsWith(ending))))
  return sources.length > 0
    && sources.every(path => path.startsWith(`${root}src/`))
    && sources.length === paths.filter(path => path.includes('/')).length
    ? `${root}src/`
    : root
}

function plain (text: string): string {
  return text.replaceAll('`', '').trim()
}

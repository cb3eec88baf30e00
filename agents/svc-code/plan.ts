import type { Language } from '../types.js'
import { isPlain, isSource, isTest } from './paths.js'

/** A file that a project is to have. */
export interface Planned { path: string, purpose: string, exports: string }

export interface Plan {
  files: Planned[]
  /** What the plan names and nobody writes: paths that lead elsewhere, and files beyond the bound. */
  left: string[]
}

const MOST = 16
const LONGEST_LINE = 500
// What a program of the side comes with, and no tool here can run.
const BESIDE: Record<Language, RegExp> = { python: /\.(?:html|css|sql|jinja2?)$/, typescript: /\.(?:vue|css|scss|html)$/ }
const LINE = /^[\s>*+-]*(?:\d+[.)]\s*)?[`*]*((?:[/\\~]|[A-Za-z]:)?[\w@.[\]()\\/-]*\.\w{1,6})[`*]*\s*(?:[-–—:|]+\s*(.*))?$/

/** Reads `path - purpose - exported signatures` lines, however they are dressed up. */
export function readPlan (text: string, language: Language): Plan {
  const lines = text.split('\n').map(line => LINE.exec(line.slice(0, LONGEST_LINE).trimEnd())).filter(match => match !== null)
  const root = rootOf(lines.map(([, path = '']) => path), language)
  const plan: Plan = { files: [], left: [] }
  const taken = new Set<string>()
  for (const [, named = '', rest = ''] of lines) {
    const plainly = named.replace(/^(?:\.\/)+/, '')
    const path = plainly.startsWith(root) ? plainly.slice(root.length) : plainly
    if (taken.has(path) || !isOwn(path, language)) continue
    const isTwin = [...taken].some(other => other.toLowerCase() === path.toLowerCase()) // one file where case is not told apart
    taken.add(path)
    if (isTwin || !isPlain(path) || plan.files.length >= MOST) {
      plan.left.push(path.slice(0, 200))
      continue
    }
    const [purpose = '', ...exports] = rest.split(/\s+[-–—|]+\s+/)
    plan.files.push({ path, purpose: plain(purpose), exports: plain(exports.join(' - ')) })
  }
  return plan
}

// Tests are written for each file once it stands; manifests and configuration come from the scaffold.
function isOwn (path: string, language: Language): boolean {
  return (isSource(path, language) || BESIDE[language].test(path)) && !isTest(path) && !/(?:^|\/)(?:setup|conftest)\.py$|\.config\.\w+$/.test(path)
}

/** The folder of the whole project, where the plan names it before each path: what lies in it are manifests, `src` and the like. */
function rootOf (paths: readonly string[], language: Language): string {
  const [first = ''] = paths
  const folder = first.slice(0, first.indexOf('/') + 1)
  const below = paths.map(path => path.slice(folder.length))
  const isRoot = folder !== '' && folder !== 'src/' && paths.every(path => path.startsWith(folder)) && below.some(path => /^(?:README\.md|package\.json|pyproject\.toml|requirements\.txt|manage\.py|setup\.py|(?:src|tests?)\/)/.test(path))
  const root = isRoot ? folder : ''
  // Python finds its packages below `src` only where they are installed.
  const sources = paths.filter(path => language === 'python' && isSource(path, language) && !isTest(path))
  return sources.length > 0 && sources.every(path => path.startsWith(`${root}src/`)) ? `${root}src/` : root
}

function plain (text: string): string {
  return text.replaceAll('`', '').trim()
}

import type { Language } from '../types.js'

/** A file that a project is to have. */
export interface Planned { path: string, purpose: string, exports: string }

const MOST = 16
const SOURCE: Record<Language, RegExp> = { python: /\.py$/, typescript: /\.(?:[mc]?tsx?|vue)$/ }
const LINE = /^[\s>*+-]*(?:\d+[.)]\s*)?[`*_]*((?:[\w@.[\]()-]+\/)*[\w@.[\]()-]+\.\w{1,5})[`*_]*\s*(?:[-–—:|]+\s*(.*))?$/

/** Reads `path - purpose - exported signatures` lines, however they are dressed up. */
export function readPlan (text: string, language: Language): Planned[] {
  const files = new Map<string, Planned>()
  for (const line of text.split('\n')) {
    const [, path = '', rest = ''] = LINE.exec(line.trimEnd()) ?? []
    if (!isOwn(path, language) || files.has(path) || files.size >= MOST) continue
    const [purpose = '', ...exports] = rest.split(/\s+[-–—|]+\s+/)
    files.set(path, { path, purpose: plain(purpose), exports: plain(exports.join(' - ')) })
  }
  return [...files.values()]
}

// Tests are written for each file once it stands; manifests and configuration come from the scaffold.
function isOwn (path: string, language: Language): boolean {
  return SOURCE[language].test(path) && !/(?:^|\/)(?:tests?|__tests__)\/|(?:^|\/)test_[^/]*\.py$|(?:_test|\.test|\.spec)\.\w+$|(?:^|\/)(?:setup|conftest)\.py$|\.config\.\w+$|\.d\.ts$/.test(path) && !path.split('/').some(part => part === '..' || part === '.')
}

function plain (text: string): string {
  return text.replaceAll('`', '').trim()
}

// The verification of a project, file by file. Only what was run is claimed to work.
import type { Files } from '../../types.js'
import { pathsIn } from '../delivery/names.js'
import { type Words, endedBy } from '../delivery/words/words.js'
import { type Built, type Part, type Written, passed } from './part.js'
import type { TestsResult } from './tests.js'

export interface Verification { claim: 'tested' | 'unverified', lines: string[] }

export function projectVerification (
  { parts, left, cut }: Built, tried: TestsResult, asked: string, files: Files, words: Words
): Verification {
  const written = parts.filter(part => 'source' in part)
  const isRun = written.filter(part => part.profile !== undefined && !isBeyond(part))
  const broken = [...isRun.filter(isBroken), ...parts.filter(part => !('source' in part))]
  const isWhole = broken.length === 0 && left.length === 0 && cut === null && tried.failing.length === 0 && tried.passed > 0
  const notRun = written.filter(part => part.profile === undefined || isBeyond(part)).map(({ planned }) => planned.path)
  return {
    claim: isWhole ? 'tested' : 'unverified',
    lines: [
      isWhole ? `tested: ${words.projectTested(tried.passed)}` : `unverified: ${words.projectUnsure(tried.passed)}`,
      ...(notRun.length > 0 ? [words.notRunFiles(paths(notRun))] : []),
      ...broken.map(part => `- \`${part.planned.path}\`: ${stateOf(part)}`),
      ...tried.notRun.map(({ path, why }) => words.fileNotRun(path, why)),
      ...tried.failing.map(({ path, why }) => words.failing(`\`${path}\`: ${why}`)),
      ...left.map(path => `- \`${path.replaceAll('`', '')}\`: not built.`),
      ...(cut === null ? [] : [endedBy(cut, words)]),
      ...notThere(asked, files).map(thing => words.notThere(thing))
    ]
  }
}

function paths (list: readonly string[]): string {
  return list.map(path => `\`${path}\``).join(', ')
}

/** Whether a file needs a package that is not available here. */
function isBeyond ({ trial }: Written): boolean {
  return trial?.fault?.kind === 'missing'
}

function isBroken (part: Written): boolean {
  if (part.errors.length > 0) return true
  return part.trial === null || part.trial.fault !== null || passed(part).length < part.tests.length
}

function stateOf (part: Part): string {
  if (!('source' in part)) return `missing: ${part.lost}.`
  const { trial, tests, errors } = part
  const [error] = errors
  if (trial?.fault) return firstLine(trial.fault.message)
  const failing = tests.find(test => !passed(part).includes(test))
  if (failing) return `${passed(part).length} of ${tests.length} tests pass; one wants \`${failing.call.expression}\` to ${failing.shown}.`
  return error ? firstLine(error.message) : 'not run.'
}

function firstLine (text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}

const ENDPOINT = /(?<![\w/.])\/[a-z][\w-]{1,40}(?:\/[\w:{}<>-]{1,40}){0,4}/g
const MOST = 12

/** Endpoints and files that the user asked for by name and that the project does not contain. */
export function notThere (asked: string, files: Files): string[] {
  const text = asked.slice(0, 8000)
  // Files that describe the project are left out, because they repeat what was asked for.
  const all = Object.entries(files).filter(([path]) => !/\.(?:md|toml|json)$/.test(path)).map(([, source]) => source).join('\n')
  const isThere = (path: string) => Object.keys(files).some(own => own === path || own.endsWith(`/${path}`))
  const missingFiles = pathsIn(text).filter(path => !isThere(path) && /\.(?:py|[jt]sx?|vue|html|css)$/.test(path))
  const endpoints = [...new Set(text.match(ENDPOINT))]
    .filter(path => !path.split('/').slice(1).every(part => isVariable(part) || all.includes(part)))
  return [...missingFiles, ...endpoints].slice(0, MOST)
}

function isVariable (part: string): boolean {
  return /^[:{<]/.test(part)
}

// What is known of a project, file by file. Nothing is said that did not run.
import { type Built, type Part, type Written, passed } from './project.js'
import type { Tried } from './suites.js'
import { lackOf } from './trial.js'
import { count } from './verdict.js'

export interface Account {
  /** Why the whole cannot be claimed; empty where all that can be run here was run and passes. */
  reasons: string[]
  /** Files that nothing here can run: they need a package, or are no programs. */
  notRun: string[]
}

export function account ({ parts, left, cutShort }: Built, tried: Tried, folder: string): Account {
  const written = parts.filter(part => 'source' in part)
  const beyond = (part: Written) => !isCode(part) || part.trial?.fault?.kind === 'missing'
  const reason = (found: boolean, text: string) => found ? [text] : []
  return {
    reasons: [
      ...reason(written.length < parts.length || left.length > 0, 'files are missing'),
      ...reason(written.some(isBroken), 'some files fail'),
      ...reason(written.some(part => !beyond(part) && part.trial === null), 'some files were not run'),
      ...reason(tried.failing.length > 0 || tried.dropped.length > 0, 'some tests fail'),
      ...reason(tried.passed === 0, 'no test could be run'),
      ...reason(cutShort !== null, 'the work ended early')
    ],
    notRun: [...written.filter(beyond).map(({ planned }) => planned.path), ...tried.notRun.map(({ path }) => path)].map(path => folder + path)
  }
}

/** The lines of the verification: what was run, and how each file stands. */
export function states ({ parts, left, cutShort }: Built, tried: Tried, folder: string, made: readonly string[]): string[] {
  const kept = parts.filter((part): part is Written => 'source' in part && part.kept)
  const keptWell = kept.filter(part => part.trial?.fault === null && part.errors.length === 0)
  return [
    ...(tried.passed > 0 ? [`- ${folder === '' ? 'Test files' : `Test files of \`${folder}\``} that were run in the sandbox: ${count(tried.passed, 'test')} passed.`] : []),
    ...parts.filter(part => !keptWell.some(other => other === part)).map(part => `- \`${folder}${part.planned.path}\`: ${stateOf(part)}`),
    ...(keptWell.length > 0 ? [`- Unchanged, and load: ${keptWell.map(({ planned }) => `\`${folder}${planned.path}\``).join(', ')}.`] : []),
    ...(made.length > 0 ? [`- Made from a template, not run here by themselves: ${made.map(path => `\`${folder}${path}\``).join(', ')}.`] : []),
    ...tried.notRun.map(({ path, why }) => `- \`${folder}${path}\`: not run: ${why}.`),
    ...tried.failing.map(({ path, why }) => `- \`${folder}${path}\`: fails: ${why}`),
    ...tried.dropped.map(path => `- \`${folder}${path}\`: left out, as it does not pass as a whole.`),
    ...left.map(path => `- \`${path.replaceAll('`', '')}\`: planned, and not built: there are too many files, or the path cannot be used.`),
    ...(cutShort === null ? [] : [`- The work ended early: ${cutShort}.`])
  ]
}

function isCode ({ planned }: Written): boolean {
  return /\.(?:py|[mc]?tsx?)$/.test(planned.path)
}

function isBroken (part: Written): boolean {
  if (part.errors.length > 0) return true
  return part.trial?.fault ? part.trial.fault.kind !== 'missing' : passed(part).length < part.tests.length
}

function stateOf (part: Part): string {
  if (!('source' in part)) return `missing: ${part.lost}.`
  const { trial, tests } = part
  const errors = part.errors.length > 0 ? ` The checker reports ${count(part.errors.length, 'error')}: ${part.errors[0]?.message.split('\n', 1)[0] ?? ''}` : ''
  const mended = part.repaired ? ', after one repair' : ''
  if (!isCode(part)) return 'written; there is nothing here that could run it.'
  if (trial === null) return `not run.${errors}`
  if (trial.fault?.kind === 'missing') return `not run: ${lackOf(trial.fault)}. Checked only.${errors}`
  if (trial.fault) return `cannot be run: ${trial.fault.message.split('\n', 1)[0] ?? ''}${errors}`
  if (tests.length === 0) return `loads${mended}; no test calls it by itself.${errors}`
  const failing = tests.find(test => !passed(part).includes(test))
  return `${passed(part).length} of ${count(tests.length, 'test')} pass${mended}.${failing ? ` One wants \`${failing.call.expression}\` to ${failing.shown}.` : ''}${errors}`
}

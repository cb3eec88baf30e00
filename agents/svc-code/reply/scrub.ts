// Removes line numbers, diff signs, interpreter prompts, HTML entities and unusual spaces from the code of a fence.
import type { Profile } from '../languages/profile.js'
import { fromEntities } from './entities.js'

export function scrub (source: string, tag: string, profile: Profile): string {
  const plain = plainSpaces(fromEntities(fromPrompts(fromNumbered(fromDiff(source, tag)))))
  return (profile.looksLike(plain) ? plain : source).replace(/^\n+/, '').trimEnd()
}

function fromDiff (source: string, tag: string): string {
  const lines = source.split('\n')
  const isDiff = tag === 'diff' || tag === 'patch'
  if (!isDiff && !lines.some(line => line.startsWith('@@ ') || line.startsWith('+++ '))) return source
  if (!isDiff
    && !lines.every(line => line === '' || '+- @\\'.includes(line[0] ?? '') || line.startsWith('diff ') || line.startsWith('index '))) {
    return source
  }
  const heads = ['+++ ', '--- ', '@@', 'diff ', 'index ', '\\ ', '-']
  return lines
    .filter(line => !heads.some(head => line.startsWith(head)))
    .map(line => line.startsWith('+') || line.startsWith(' ') ? line.slice(1) : line)
    .join('\n')
}

const NUMBERED = /^ {0,6}(\d{1,5})(?: {0,2}[|│:]| {2}|\t|\.(?= |$))/

/** Removes line numbers, if all lines have one, in order. */
function fromNumbered (source: string): string {
  const lines = source.split('\n')
  let last = -1
  for (const line of lines) {
    if (line.trim() === '') continue
    const number = Number(NUMBERED.exec(line)?.[1] ?? Number.NaN)
    if (!(number > last)) return source
    last = number
  }
  if (lines.filter(line => line.trim() !== '').length < 2) return source
  return lines.map(line => line.replace(NUMBERED, '')).map(line => line.startsWith(' ') ? line.slice(1) : line).join('\n')
}

/** Extracts the typed code from an interpreter session, if it defines something. */
function fromPrompts (source: string): string {
  const lines = source.split('\n')
  const isSession = lines[0]?.startsWith('>>> ') === true && lines.some(line => /^>>> (?:def|class|import|from|@|async)\b/.test(line))
  return isSession ? lines.filter(line => line.startsWith('>>>') || line.startsWith('...')).map(line => line.slice(4)).join('\n') : source
}

/** Replaces unusual space characters in indentation by plain ones. */
function plainSpaces (source: string): string {
  return source.split('\n').map(line => {
    let end = 0
    while (end < line.length && ' \t\u00a0\u2002\u2003\u3000'.includes(line[end] ?? '')) end++
    return end === 0 ? line : line.slice(0, end).replace(/[\u00a0\u2002\u2003\u3000]/g, ' ') + line.slice(end)
  }).join('\n')
}

import type { Files, Frame } from '../../../agents/types.js'

const MAX_MESSAGE = 4000
// Only so much of a text is searched for paths. A path is longer than what replaces it.
const MAX_SEARCHED = 16_000

export interface Thrown {
  /**
   * `exit`: the code tried to end the process. `denied`: Deno refused something that is not permitted here. `absent`: the code used
   * something that the runner does not have.
   */
  kind: 'exit' | 'denied' | 'absent' | 'other'
  name: string
  message: string
  stack: string
}

/** Where the worker had the files, and which they were. */
export interface Job { files: Files, folder: string }

/** What the runner sent about something that was thrown. */
export function thrownIn (body: Record<string, unknown>): Thrown {
  const text = (name: string) => typeof body[name] === 'string' ? body[name] : ''
  const kind = body.kind === 'exit' || body.kind === 'denied' || body.kind === 'absent' ? body.kind : 'other'
  return { kind, name: text('name') || 'Error', message: text('message'), stack: text('stack') }
}

/** Shortens paths of this machine to those of the job. */
export function withoutFolder (text: string, folder: string): string {
  const replaced = text.slice(0, MAX_SEARCHED)
    .replaceAll(urlOf(folder), '')
    .replaceAll(`${folder}/`, '')
    .replaceAll(folder, '.')
    .replace(/file:\/\/\/[^\s'")]*\/(?=[^/\s'")]+)/g, '')
  return replaced.length > MAX_MESSAGE || text.length > MAX_SEARCHED ? `${replaced.slice(0, MAX_MESSAGE)}...` : replaced
}

/** The first place in the job's own files that the stack names. */
export function frameOf ({ stack, message }: Thrown, { files, folder }: Job): Frame | null {
  const root = urlOf(folder)
  // The message names a module that does not parse.
  for (const text of [stack, message]) {
    for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + 1)) {
      const [, path = '', line] = /^([^\n]{1,400}?):(\d+):\d+/.exec(text.slice(at + root.length)) ?? []
      const file = decoded(path)
      // Lines behind the end were added by us.
      const isOwn = line !== undefined && Object.hasOwn(files, file) && Number(line) <= (files[file] ?? '').split('\n').length
      if (isOwn) return { file, line: Number(line) }
    }
  }
  return null
}

const urlOf = (folder: string) => `file://${folder.split('/').map(encodeURIComponent).join('/')}/`

function decoded (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** As JavaScript prints it: the name, and the message if there is one. */
export function sentence ({ name, message }: Thrown): string {
  return message === '' ? name : `${name}: ${message}`
}

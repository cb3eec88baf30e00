import type { Files, Frame } from '../../../agents/types.js'

const MAX_MESSAGE = 4000
// No more than that is looked through for paths, each of which is longer than what stands for it.
const MAX_LOOKED = 16_000

export interface Thrown {
  /** `exit`: the process was to be ended. `denied`: by the runtime, since what was asked for is not allowed here. */
  kind: 'exit' | 'denied' | 'other'
  name: string
  message: string
  stack: string
}

/** What the runner said of something thrown; never more than text. */
export function thrownOf (body: Record<string, unknown>): Thrown {
  const part = (name: string) => typeof body[name] === 'string' ? body[name] : ''
  const kind = body.kind === 'exit' || body.kind === 'denied' ? body.kind : 'other'
  return { kind, name: part('name') || 'Error', message: part('message'), stack: part('stack') }
}

/** Paths of this machine are cut down to those of the job. */
export function localised (text: string, folder: string): string {
  const shown = text.slice(0, MAX_LOOKED)
    .replaceAll(`file://${folder.split('/').map(encodeURIComponent).join('/')}/`, '')
    .replaceAll(`${folder}/`, '')
    .replaceAll(folder, '.')
    .replace(/file:\/\/\/[^\s'")]*\/(?=[^/\s'")]+)/g, '')
  return shown.length > MAX_MESSAGE || text.length > MAX_LOOKED ? `${shown.slice(0, MAX_MESSAGE)}...` : shown
}

/** The first place of the job's own files that a stack names. */
export function frameOf ({ stack, message }: Thrown, files: Files, folder: string): Frame | null {
  const root = `file://${folder.split('/').map(encodeURIComponent).join('/')}/`
  // A module that does not parse is named in the message.
  for (const text of [stack, message]) {
    for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + 1)) {
      const [, path = '', line] = /^([^\n]{1,400}?):(\d+):\d+/.exec(text.slice(at + root.length)) ?? []
      const file = decoded(path)
      // What the service appended to a file is not the author's.
      if (line !== undefined && Object.hasOwn(files, file) && Number(line) <= (files[file] ?? '').split('\n').length) return { file, line: Number(line) }
    }
  }
  return null
}

function decoded (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** As the engine prints it: the name, and the message where there is one. */
export function sentence ({ name, message }: Thrown): string {
  return message === '' ? name : `${name}: ${message}`
}

import type { Frame, RunReport } from '../../agents/types.js'
import { faultIn } from './job.js'
import { LIMIT_REACHED, type Limit } from './limits.js'
import { isRecord } from './values.js'
import type { WorkerRun } from './worker.js'

const MAX_FILES = 20
const MAX_BYTES = 1024 * 1024

/** What a program may ask for that is not here. The runner says so when it asks, since many programs catch the error and go on. */
const NEEDS: Record<string, string> = {
  network: 'it opens a network connection, which is not possible here',
  processes: 'it starts another program, which is not possible here',
  input: 'it waits for input, and none was given'
}

// A program that imports one of these opens a window.
const WINDOWS = new Set(
  ['tkinter', 'turtle', 'pygame', 'pyglet', 'arcade', 'kivy', 'wx', 'PyQt5', 'PyQt6', 'PySide2', 'PySide6', 'electron']
)

/** What the runner of either language said about a program, beside the program's output. */
export interface RunMessages {
  needs: string[]
  files: Record<string, string>
  filesCut: boolean
  /** An uncaught error. Each language has fields of its own. */
  thrown: Record<string, unknown> | undefined
  /** The last message, where the runner lived to send it. */
  over: Record<string, unknown> | undefined
}

/** How the program ended, as its language sees it. */
export interface Ending {
  exitCode: number | null
  limit: Limit | null
  /** A module that is not here. */
  missing: string | null
  /** Why it could not run here as it would elsewhere, in a sentence. */
  unavailable: string | null
  /** A remark on how it ended by itself. */
  remark?: string
  frame: Frame | null
  stdout: string
  stderr: string
}

export function readMessages ({ messages }: WorkerRun): RunMessages {
  const found: RunMessages = { needs: [], files: {}, filesCut: false, thrown: undefined, over: undefined }
  let room = MAX_BYTES
  for (const { body } of messages) {
    if (!isRecord(body)) continue
    const { type, need, path, text, event } = body
    if (type === 'need' && typeof need === 'string') found.needs.push(need)
    if (type === 'files cut') found.filesCut = true
    if (type === 'thrown') found.thrown = body
    if (type === 'over') found.over = isRecord(event) ? event : {}
    if (type !== 'file' || typeof path !== 'string' || typeof text !== 'string') continue
    const bytes = Buffer.byteLength(text)
    if (faultIn(path) === undefined && bytes <= room && Object.keys(found.files).length < MAX_FILES) {
      found.files[path] = text
      room -= bytes
    } else {
      found.filesCut = true
    }
  }
  return found
}

export function printed ({ messages, rest }: WorkerRun): string {
  return messages.map(({ output }) => output).join('') + rest
}

/** What the program asked for in vain matters more than how it ended: elsewhere it would have ended otherwise. */
export function runReport (run: WorkerRun, { needs, files, filesCut, over }: RunMessages, ending: Ending): RunReport {
  const { cause, exit, durationMs } = run
  const { exitCode, missing, frame, stdout, stderr, remark = null } = ending
  const endedByItself = over !== undefined && exit !== null // even if it printed what an engine without memory prints
  const limit = cause !== null && cause !== 'exited' && !endedByItself ? cause : ending.limit
  const unavailable = ending.unavailable ?? needs.map(sentenceFor).find(sentence => sentence !== undefined)
  const report = { exitCode: null, stdout, stderr, files, filesCut, missing: [], frame, durationMs }
  if (missing !== null) {
    const opensWindow = WINDOWS.has(missing)
    const message = opensWindow ? `it opens a window (${missing}), which is not possible here` : `it needs ${missing}, which is not here`
    return { ...report, outcome: 'not available', exitCode, missing: [missing], message }
  }
  if (limit !== null && (limit !== 'time' || unavailable === undefined)) return { ...report, outcome: limit, message: LIMIT_REACHED[limit] }
  if (unavailable !== undefined) return { ...report, outcome: 'not run', exitCode, message: unavailable }
  return { ...report, outcome: 'exited', exitCode, message: remark }
}

export function sentenceFor (need: string): string | undefined {
  return Object.hasOwn(NEEDS, need) ? NEEDS[need] : undefined
}

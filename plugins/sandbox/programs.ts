import type { Frame, RunReport } from '../../agents/types.js'
import type { CellRun } from './cell.js'
import { faultOf } from './job.js'
import { isRecord } from './values.js'

const MAX_FILES = 20
const MAX_BYTES = 1024 * 1024

/** What a program asked for that is not here, noted when it asked: many programs catch the error and go on. */
const NEEDS: Record<string, string> = {
  network: 'it opens a network connection, which is not possible here',
  processes: 'it starts another program, which is not possible here',
  input: 'it waits for input, and none was given'
}

const LIMITS: Record<'time' | 'cpu' | 'memory' | 'output', string> = {
  time: 'it ran out of time',
  cpu: 'it ran out of CPU time',
  memory: 'it ran out of memory',
  output: 'it printed more than it may'
}

// Importing one of these is for opening a window.
const WINDOWS = new Set(
  ['tkinter', 'turtle', 'pygame', 'pyglet', 'arcade', 'kivy', 'wx', 'PyQt5', 'PyQt6', 'PySide2', 'PySide6', 'electron']
)

export type Limit = keyof typeof LIMITS

/** What a harness told of a program beside its output, whichever language it is in. */
export interface Told {
  needs: string[]
  files: Record<string, string>
  filesCut: boolean
  /** Of an uncaught error and of the last word, each language has its own. */
  thrown: Record<string, unknown> | undefined
  over: Record<string, unknown> | undefined
}

/** What one language makes of that. */
export interface Ending {
  exitCode: number | null
  limit: Limit | null
  /** A module that is not here. */
  missing: string | null
  /** Why it could not run here as it would elsewhere, in a sentence. */
  lack: string | null
  /** What else there is to say of how it came to its own end. */
  remark?: string
  frame: Frame | null
  stdout: string
  stderr: string
}

export function readTold ({ reports }: CellRun): Told {
  const told: Told = { needs: [], files: {}, filesCut: false, thrown: undefined, over: undefined }
  let room = MAX_BYTES
  for (const { body } of reports) {
    if (!isRecord(body)) continue
    const { type, need, path, text, event } = body
    if (type === 'need' && typeof need === 'string') told.needs.push(need)
    if (type === 'files cut') told.filesCut = true
    if (type === 'thrown') told.thrown = body
    if (type === 'over') told.over = isRecord(event) ? event : {}
    if (type !== 'file' || typeof path !== 'string' || typeof text !== 'string') continue
    const bytes = Buffer.byteLength(text)
    if (faultOf(path) === undefined && bytes <= room && Object.keys(told.files).length < MAX_FILES) {
      told.files[path] = text
      room -= bytes
    } else {
      told.filesCut = true
    }
  }
  return told
}

export function printed ({ reports, rest }: CellRun): string {
  return reports.map(({ output }) => output).join('') + rest
}

/** What it asked for in vain counts before how it ended: elsewhere it would have ended otherwise. */
export function runReport ({ cause, exit, durationMs }: CellRun, { needs, files, filesCut, over }: Told, ending: Ending): RunReport {
  const { exitCode, missing, frame, stdout, stderr, remark = null } = ending
  const isOwnEnd = over !== undefined && exit !== null // whatever it printed that an engine prints which has no memory left
  const limit = cause !== null && cause !== 'exited' && !isOwnEnd ? cause : ending.limit
  const lack = ending.lack ?? needs.map(sentenceOf).find(sentence => sentence !== undefined)
  const report = { exitCode: null, stdout, stderr, files, filesCut, missing: [], frame, durationMs }
  if (missing !== null) {
    const opens = WINDOWS.has(missing)
    const message = opens ? `it opens a window (${missing}), which is not possible here` : `it needs ${missing}, which is not here`
    return { ...report, outcome: 'not available', exitCode, missing: [missing], message }
  }
  if (limit !== null && (limit !== 'time' || lack === undefined)) return { ...report, outcome: limit, message: LIMITS[limit] }
  if (lack !== undefined) return { ...report, outcome: 'not run', exitCode, message: lack }
  return { ...report, outcome: 'exited', exitCode, message: remark }
}

/** What a need is in words; undefined where it is none. */
export function sentenceOf (need: string): string | undefined {
  return Object.hasOwn(NEEDS, need) ? NEEDS[need] : undefined
}

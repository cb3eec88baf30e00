import type { Files, Frame, RunReport } from '../../../agents/types.js'
import { printed, readMessages, runReport, sentenceFor } from '../run-report.js'
import type { WorkerRun } from '../worker.js'
import { frameOf, thrownIn, withoutFolder } from './thrown.js'
import { unavailableIn } from './unavailable.js'

const NEVER_SETTLED = /^error: Top-level await promise never resolved/m
// What a failing engine prints at last is not the program's.
const LAST_WORDS = /\n?(?:<--- Last few GCs --->|#\n# Fatal |={60}\nDeno has panicked)/
// Node's exit code for a process that waits for something that never comes.
const UNSETTLED_CODE = 13

/** The report on a program that ran in `folder`. */
export function programReport (run: WorkerRun, files: Files, folder: string): RunReport {
  const messages = readMessages(run)
  const thrown = messages.thrown && thrownIn(messages.thrown)
  const unavailable = thrown && unavailableIn(files)(thrown)
  const { code = null, signal = null } = run.exit ?? {}
  const isDead = run.cause === 'exited' && !messages.over
  const isUnsettled = isDead && NEVER_SETTLED.test(run.stderr)
  const death = isDead && !isUnsettled ? `its process was ended by ${signal ?? `an error of its own (${code ?? 'no code'})`}` : null
  const cut = thrown ? endOfCutFile(withoutFolder(thrown.message, folder), files) : null
  const end = messages.over ? -1 : run.stderr.search(LAST_WORDS)
  const stderr = cut ? `SyntaxError: ${cut.file} ends in the middle of something\n` : end < 0 ? run.stderr : run.stderr.slice(0, end)
  return runReport(run, messages, {
    exitCode: isUnsettled ? UNSETTLED_CODE : isDead ? null : code,
    limit: null,
    missing: unavailable?.module ?? null,
    unavailable: unavailable ? needIn(unavailable.message) : death,
    ...(isUnsettled && { remark: 'it waits for something that never comes' }),
    frame: cut ?? (thrown ? frameOf(thrown, { files, folder }) : null),
    stdout: masked(printed(run), folder),
    stderr: masked(stderr, folder)
  })
}

/** The last line of a file whose end is missing. The error is reported behind the end, at the line that commonjs.ts adds. */
function endOfCutFile (message: string, files: Files): Frame | null {
  if (!message.startsWith('SyntaxError')) return null
  const [, file = '', line = '0'] = /\n {1,10}at ([^\n]{1,400}):(\d+):\d+$/.exec(message) ?? []
  const lines = Object.hasOwn(files, file) ? (files[file] ?? '').trimEnd().split('\n').length : Infinity
  return Number(line) > lines ? { file, line: lines } : null
}

function needIn (message: string): string {
  if (message.includes('network')) return sentenceFor('network') ?? message
  return message.includes('other programs') ? sentenceFor('processes') ?? message : message
}

/** Replaces the worker's folder with the job's. */
function masked (text: string, folder: string): string {
  return text.replaceAll(`file://${folder}/`, '').replaceAll(`${folder}/`, '').replaceAll(folder, '/job')
}

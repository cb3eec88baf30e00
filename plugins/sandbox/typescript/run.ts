import type { Files, Frame, RunReport } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { printed, readTold, runReport, sentenceOf } from '../programs.js'
import { lacksOf } from './lacks.js'
import type { PreparedProgram } from './prepare-program.js'
import { frameOf, localised, thrownOf } from './traces.js'

const NEVER_SETTLED = /^error: Top-level await promise never resolved/m
// What an engine that gives up says last is nothing of the program's.
const LAST_WORDS = /\n?(?:<--- Last few GCs --->|#\n# Fatal |={60}\nDeno has panicked)/
// Of a process that does not settle what it waits for, as Node has it.
const UNSETTLED_CODE = 13

/** What became of a program that was run in that folder. */
export function programReport (run: CellRun, { given }: PreparedProgram, folder: string): RunReport {
  const told = readTold(run)
  const thrown = told.thrown && thrownOf(told.thrown)
  const lack = thrown && lacksOf(given)(thrown)
  const { code = null, signal = null } = run.exit ?? {}
  const isDead = run.cause === 'exited' && !told.over
  const isUnsettled = isDead && NEVER_SETTLED.test(run.stderr)
  const death = isDead && !isUnsettled ? `its process was ended by ${signal ?? `an error of its own (${code ?? 'no code'})`}` : null
  const cut = thrown ? cutOff(localised(thrown.message, folder), given) : null
  const end = told.over ? -1 : run.stderr.search(LAST_WORDS)
  const stderr = cut ? `SyntaxError: ${cut.file} ends in the middle of something\n` : end < 0 ? run.stderr : run.stderr.slice(0, end)
  return runReport(run, told, {
    exitCode: isUnsettled ? UNSETTLED_CODE : isDead ? null : code,
    limit: null,
    missing: lack?.module ?? null,
    lack: lack ? sentenceFor(lack.message) : death,
    ...(isUnsettled && { remark: 'it waits for something that never comes' }),
    frame: cut ?? (thrown ? frameOf(thrown, given, folder) : null),
    stdout: shown(printed(run), folder),
    stderr: shown(stderr, folder)
  })
}

/** Where a file does not parse, behind its end: at the mark that commonjs.ts puts there. */
function cutOff (message: string, files: Files): Frame | null {
  if (!message.startsWith('SyntaxError')) return null
  const [, file = '', line = '0'] = /\n {1,10}at ([^\n]{1,400}):(\d+):\d+$/.exec(message) ?? []
  const lines = Object.hasOwn(files, file) ? (files[file] ?? '').trimEnd().split('\n').length : Infinity
  return Number(line) > lines ? { file, line: lines } : null
}

function sentenceFor (message: string): string {
  if (message.includes('network')) return sentenceOf('network') ?? message
  return message.includes('other programs') ? sentenceOf('processes') ?? message : message
}

/** Paths of this machine as those of the job. */
function shown (text: string, folder: string): string {
  return text.replaceAll(`file://${folder}/`, '').replaceAll(`${folder}/`, '').replaceAll(folder, '/job')
}

import type { Call, Outcome } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { Turns } from '../turns.js'
import { decodeValue } from '../values.js'
import { causeOf, frameOf, lackOf, readReports, sayLack, textOf } from './reports.js'

const WORDS: Record<NonNullable<CellRun['cause']>, string> = {
  exited: 'the process ended before the call had',
  time: 'it ran out of time',
  cpu: 'it ran out of CPU time',
  memory: 'it ran out of memory',
  output: 'it printed more than it may'
}

/** One outcome for each call, in the order of the calls. The first that is told of a call stands. */
export async function outcomes (run: CellRun, calls: Call[]): Promise<Outcome[]> {
  const found = new Map<number, Outcome>()
  const turns = new Turns()
  for (const event of readReports(run.reports).told) {
    if (turns.isOver) await turns.next()
    if (event.type === 'outcome' && !found.has(event.index)) found.set(event.index, outcomeOf(event.outcome))
  }
  const cause = run.cause ?? 'exited'
  const first = calls.findIndex((_, index) => !found.has(index))
  return calls.map((_, index) => found.get(index) ?? { type: 'not run', cause, message: index === first ? WORDS[cause] : `an earlier call ended it: ${WORDS[cause]}`, missing: [] })
}

function outcomeOf (told: Record<string, unknown>): Outcome {
  const output = textOf(told.output)
  const message = textOf(told.message)
  const lack = lackOf(told.lacks)
  if (lack) return { type: 'not run', cause: 'not available', message: sayLack(lack), missing: 'module' in lack ? [lack.module] : [] }
  if (told.type === 'returned') return { type: 'returned', value: decodeValue(told.value), output }
  if (told.type === 'raised' && told.loaded === false) return { type: 'not run', cause: 'load error', message: `${textOf(told.name)}: ${message}`, missing: [] }
  if (told.type === 'raised') return { type: 'raised', name: textOf(told.name), message, frame: frameOf(told.frame), output }
  return { type: 'not run', cause: causeOf(told.cause), message, missing: [] }
}

import type { Call, Outcome } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { Turns } from '../turns.js'
import { decodeValue } from '../values.js'
import { causeOf, frameOf, lackOf, readReports, sayEnd, sayLack, textOf } from './reports.js'

/** One outcome for each call, in the order of the calls. The first that is told of a call stands. */
export async function outcomes (run: CellRun, calls: Call[]): Promise<Outcome[]> {
  const found = new Map<number, Outcome>()
  const turns = new Turns()
  for (const event of readReports(run.reports).told) {
    if (turns.isOver) await turns.next()
    if (event.type === 'outcome' && !found.has(event.index)) found.set(event.index, outcomeOf(event.outcome))
  }
  const cause = run.cause ?? 'exited'
  const why = sayEnd('the call', run)
  const first = calls.findIndex((_, index) => !found.has(index))
  return calls.map((_, index) => found.get(index) ?? { type: 'not run', cause, message: index === first ? why : `an earlier call ended it: ${why}`, missing: [] })
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

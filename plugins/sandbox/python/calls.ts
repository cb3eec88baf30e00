import type { Call, Outcome } from '../../../agents/types.js'
import { TimeSlice } from '../time-slice.js'
import { decodeValue } from '../values.js'
import type { WorkerRun } from '../worker.js'
import { causeIn, endOf, frameIn, readEvents, textIn, unavailableIn, unavailableMessage } from './messages.js'

/** One outcome for each call, in the order of the calls. If a call was reported twice, the first report counts. */
export async function outcomes (run: WorkerRun, calls: Call[]): Promise<Outcome[]> {
  const found = new Map<number, Outcome>()
  const slice = new TimeSlice()
  for (const event of readEvents(run.messages).events) {
    if (slice.isOver) await slice.next()
    if (event.type === 'outcome' && !found.has(event.index)) found.set(event.index, outcomeIn(event.outcome))
  }
  const cause = run.cause ?? 'exited'
  const why = endOf('the call', run)
  const first = calls.findIndex((_, index) => !found.has(index))
  return calls.map((_, index) => {
    return found.get(index) ?? { type: 'not run', cause, message: index === first ? why : `an earlier call ended it: ${why}`, missing: [] }
  })
}

function outcomeIn (sent: Record<string, unknown>): Outcome {
  const { type, value } = sent
  const [name, message, output] = [textIn(sent.name), textIn(sent.message), textIn(sent.output)]
  const unavailable = unavailableIn(sent.unavailable)
  if (unavailable) {
    const missing = 'module' in unavailable ? [unavailable.module] : []
    return { type: 'not run', cause: 'not available', message: unavailableMessage(unavailable), missing }
  }
  if (type === 'returned') return { type, value: decodeValue(value), output }
  if (type !== 'raised') return { type: 'not run', cause: causeIn(sent.cause), message, missing: [] }
  if (sent.loaded === false) return { type: 'not run', cause: 'load error', message: `${name}: ${message}`, missing: [] }
  return { type, name, message, frame: frameIn(sent.frame), output }
}

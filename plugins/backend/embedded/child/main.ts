import type { Order, Outcome, Report } from '../messages.js'
import { Engine, Unusable } from './engine.js'
import { Outbox } from './outbox.js'

// The engine's process. It does what it is told over the channel to the service, and ends with that channel: also
// where the service was killed and could not say so.

process.on('disconnect', () => process.exit(0))
// Ctrl-C goes to the whole group of a terminal. The service lets replies finish first; this process goes when it goes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const calls = new Map<number, AbortController>()
const outbox = new Outbox(report => {
  // The service may go while something is on its way to it; then 'disconnect' comes next.
  if (process.connected) process.send?.(report, undefined, undefined, () => {})
})
const send = (report: Report) => outbox.put(report)
let engine: Promise<Engine> | undefined

process.on('message', (order: Order) => {
  switch (order.type) {
    case 'load':
      engine = Engine.load(order.load, send)
      engine.then(({ loaded }) => send({ type: 'loaded', loaded }), (error: unknown) => {
        send(error instanceof Unusable
          ? { type: 'unusable', problem: error.problem, remedy: error.remedy }
          : { type: 'unusable', problem: `the engine cannot load ${order.load.path}: ${textOf(error)}`, remedy: 'give another file with --model, or --model demo to see the whole road without a real model' })
      })
      break
    case 'chat': void answer(order.id, (engine, signal) => engine.chat(order.id, order.chat, signal)); break
    case 'count': void answer(order.id, async engine => engine.count(order.messages)); break
    case 'leave': calls.get(order.id)?.abort(); break
  }
})

async function answer (id: number, work: (engine: Engine, signal: AbortSignal) => Promise<Outcome>): Promise<void> {
  const call = new AbortController()
  calls.set(id, call)
  try {
    if (!engine) throw new Error('no model is loaded')
    send({ type: 'outcome', id, outcome: await work(await engine, call.signal) })
  } catch (error) {
    send({ type: 'outcome', id, outcome: { type: 'failed', message: textOf(error) } })
  } finally {
    calls.delete(id)
  }
}

function textOf (error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

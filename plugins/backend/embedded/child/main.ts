import type { Order, Outcome, Report } from '../messages.js'
import { Engine, Unusable } from './engine.js'
import { Outbox } from './outbox.js'

// The engine's process. It carries out the service's orders, which come over an IPC channel, and ends when the channel closes,
// even if the service was killed.

process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches all processes of a terminal. The service first lets replies finish, so this process ignores it and ends with the service.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const OTHER_MODEL = 'give another file with --model, or --model demo to see how the service works without a real model'

const calls = new Map<number, AbortController>()
const outbox = new Outbox(report => {
  // An error means that the service has gone; then 'disconnect' comes next.
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
          : { type: 'unusable', problem: `the engine cannot load ${order.load.path}: ${textOf(error)}`, remedy: OTHER_MODEL })
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

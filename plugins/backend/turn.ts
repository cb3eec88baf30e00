import { setImmediate as afterOthers } from 'node:timers/promises'

// Long computations stop after this many milliseconds, all requests together, so that the event loop can do other work.
const TURN = 5
let ends = 0

export function turnIsOver (): boolean {
  return performance.now() > ends
}

export async function nextTurn (): Promise<void> {
  await afterOthers()
  ends = performance.now() + TURN
}

import { setImmediate as afterOthers } from 'node:timers/promises'

// After so many milliseconds of work, over all requests together, others get their turn.
const TURN = 5
let ends = 0

export function turnIsOver (): boolean {
  return performance.now() > ends
}

export async function nextTurn (): Promise<void> {
  await afterOthers()
  ends = performance.now() + TURN
}

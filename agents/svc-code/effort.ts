// How many calls of the model a request may use, by the caller's reasoning_effort.
import type { Effort } from '../types.js'
import type { Budget } from './model/calls.js'

const LOW = { calls: 1, project: 1 }
const MEDIUM = { calls: 8, project: 24 }
const HIGH = { calls: 16, project: 40 }

const LEVELS: Record<Effort, { calls: number, project: number }> = {
  none: LOW, minimal: LOW, low: LOW, medium: MEDIUM, high: HIGH, xhigh: HIGH
}

/** The budget for an effort; `--max-model-calls` is the upper limit. */
export function budgetOf (effort: Effort | undefined, { calls, ...rest }: Budget): Budget {
  return { ...rest, calls: Math.min(LEVELS[effort ?? 'medium'].calls, calls) }
}

/** A project may use 8 calls and 2 more for each planned file. */
export function projectCalls (effort: Effort | undefined, files: number, cap: number): number {
  const { calls, project } = LEVELS[effort ?? 'medium']
  return Math.min(calls === 1 ? 1 : Math.min(8 + 2 * files, project), cap)
}

import type { Budget } from './model/calls.js'

export interface Settings {
  budget: Budget
  /** The folder in which the files of each run are written; without it, no files are written. */
  workspace: string | undefined
}

// The upper limits; below them the caller's reasoning_effort decides.
const BUDGET: Budget = { calls: 40, tokens: 200_000, seconds: 45 * 60 }

const NAMES = ['max_model_calls', 'max_model_tokens', 'max_model_seconds', 'workspace']

/** The options of the service that are for this agent. */
export function paramsIn (options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => NAMES.includes(name)))
}

/** Reads the settings from the `init_params` of the registry entry. */
export function settingsOf (params: Record<string, unknown>): Settings {
  return {
    budget: {
      calls: whole(params, 'max_model_calls') ?? BUDGET.calls,
      tokens: whole(params, 'max_model_tokens') ?? BUDGET.tokens,
      seconds: whole(params, 'max_model_seconds') ?? BUDGET.seconds
    },
    workspace: textOf(params, 'workspace')
  }
}

function whole (params: Record<string, unknown>, name: string): number | undefined {
  const value = params[name]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) throw new TypeError(`${name} must be a whole number above 0`)
  return value
}

function textOf (params: Record<string, unknown>, name: string): string | undefined {
  const value = params[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a path`)
  return value
}

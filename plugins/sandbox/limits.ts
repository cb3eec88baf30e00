import type { Language, Limits, SandboxOptions } from '../../agents/types.js'
import { InvalidJob } from './errors.js'

const MIB = 1024 * 1024

const DEFAULTS: Record<Language, Limits> = {
  typescript: { wallMs: 10_000, cpuMs: 10_000, memoryMiB: 512, outputBytes: MIB },
  python: { wallMs: 10_000, cpuMs: 10_000, memoryMiB: 768, outputBytes: MIB }
}

const BOUNDS: Record<keyof Limits, [number, number]> = {
  wallMs: [1, 600_000],
  cpuMs: [1, 600_000],
  memoryMiB: [16, 4096],
  outputBytes: [0, 16 * MIB],
  testMs: [1, 600_000]
}

export type Limit = 'time' | 'cpu' | 'memory' | 'output'

/** What a report says of a job that reached a limit. */
export const LIMIT_REACHED: Record<Limit, string> = {
  time: 'it ran out of time',
  cpu: 'it ran out of CPU time',
  memory: 'it ran out of memory',
  output: 'it printed more than it may'
}

/** The limits of an operation: those that the caller gave, and the defaults for the rest. */
export function limitsFor (language: Language, { limits = {} }: SandboxOptions): Limits {
  const all = { ...DEFAULTS[language] }
  for (const name of Object.keys(BOUNDS) as (keyof Limits)[]) {
    const [min, max] = BOUNDS[name]
    const given = limits[name]
    if (given === undefined) continue
    const isValid = typeof given === 'number' && given >= min && given <= max
    if (!isValid) throw new InvalidJob(`limits.${name} must be a number from ${min} to ${max}`)
    all[name] = given
  }
  return all
}

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

/** The limits of an operation: those that were asked for, and what is usual for the rest. */
export function limitsFor (language: Language, { limits = {} }: SandboxOptions): Limits {
  const all = { ...DEFAULTS[language] }
  for (const name of Object.keys(BOUNDS) as (keyof Limits)[]) {
    const [min, max] = BOUNDS[name]
    const asked = limits[name]
    if (asked === undefined) continue
    if (typeof asked !== 'number' || !(asked >= min && asked <= max)) throw new InvalidJob(`limits.${name} must be a number from ${min} to ${max}`)
    all[name] = asked
  }
  return all
}

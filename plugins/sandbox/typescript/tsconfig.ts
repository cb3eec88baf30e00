import { posix } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { isRecord } from '../values.js'

const MAX_ALIASES = 100
const MAX_TARGETS = 5

/** The settings of a job's tsconfig.json that change how its files run. `extends` is not followed. */
export interface Config {
  /** Its `paths`, relative to the job's folder. */
  aliases: Record<string, string[]>
  hasOldDecorators: boolean
}

export function configOf (files: Files): Config {
  const config = parsed(files['tsconfig.json'] ?? '')
  const { baseUrl, paths, experimentalDecorators } = isRecord(config) && isRecord(config.compilerOptions) ? config.compilerOptions : {}
  const base = typeof baseUrl === 'string' ? baseUrl : '.'
  const aliases: Config['aliases'] = {}
  for (const [alias, targets] of isRecord(paths) ? Object.entries(paths).slice(0, MAX_ALIASES) : []) {
    if (!Array.isArray(targets) || alias.split('*').length > 2) continue
    const joined = targets.slice(0, MAX_TARGETS).filter(target => typeof target === 'string').map(target => posix.join(base, target))
    const inside = joined.filter(target => !/^(?:\.\.(?:\/|$)|\/)/.test(target))
    if (inside.length > 0) aliases[alias] = inside.map(target => `./${target}`)
  }
  return { aliases, hasOldDecorators: experimentalDecorators === true }
}

// It may have comments, and commas before a bracket.
function parsed (text: string): unknown {
  const plain = text.replace(/("(?:\\.|[^"\\])*"?)|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/g, (_all, string?: string) => string ?? '')
  try {
    return JSON.parse(plain.replace(/("(?:\\.|[^"\\])*"?)|,(?=\s{0,1000}[}\]])/g, (_all, string?: string) => string ?? ''))
  } catch {
    return undefined // it is not valid
  }
}

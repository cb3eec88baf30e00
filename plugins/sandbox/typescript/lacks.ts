import type { Files } from '../../../agents/types.js'
import { missingAmong } from './imports.js'
import type { Thrown } from './traces.js'

/** What is not here, and why something could therefore not be run. */
export interface Lack { module: string | undefined, message: string }

// What Deno calls the permission that was asked for: see plugins/sandbox/deno.ts.
const DENIED: Record<string, string> = {
  net: 'it needs network connections, which are not here',
  write: 'it needs to write files, which is not possible here',
  read: 'it needs files other than its own, which are not here',
  run: 'it needs other programs, which are not here',
  sys: 'it needs to know about the machine, which is not told here'
}

/** Tells of something thrown whether the reason is what is not here. */
export function lacksOf (files: Files): (thrown: Thrown) => Lack | undefined {
  const missing = missingAmong(files)
  return ({ kind, message }) => {
    const [, permission = ''] = /^Requires (\w{1,20}) access/.exec(message) ?? []
    if (kind === 'denied' && Object.hasOwn(DENIED, permission)) return { module: undefined, message: DENIED[permission] ?? permission }
    const module = missing(message)
    return module === undefined ? undefined : { module, message: sayMissing([module]) }
  }
}

export function sayMissing (modules: Iterable<string>): string {
  return `not available here: ${[...modules].join(', ')}`
}

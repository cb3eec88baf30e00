import type { Files } from '../../../agents/types.js'
import { notAvailable } from '../test-report.js'
import { missingAmong } from './imports.js'
import type { Thrown } from './thrown.js'

/** Something that is not here, which is why code could not be run. */
export interface Unavailable { module: string | undefined, message: string }

// By Deno's name of the permission that was asked for: see plugins/sandbox/deno.ts.
const DENIED: Record<string, string> = {
  net: 'it needs network connections, which are not here',
  write: 'it needs to write files, which is not possible here',
  read: 'it needs files other than its own, which are not here',
  run: 'it needs other programs, which are not here',
  sys: 'it needs to know about the machine, which is not told here'
}

/** Finds out whether something was thrown because of what is not here. */
export function unavailableIn (files: Files): (thrown: Thrown) => Unavailable | undefined {
  const missing = missingAmong(files)
  return ({ kind, message }) => {
    const [, permission = ''] = /^Requires (\w{1,20}) access/.exec(message) ?? []
    if (kind === 'denied' && Object.hasOwn(DENIED, permission)) return { module: undefined, message: DENIED[permission] ?? permission }
    if (kind === 'absent') return { module: undefined, message }
    const module = missing(message)
    return module === undefined ? undefined : { module, message: notAvailable([module]) }
  }
}

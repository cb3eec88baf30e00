import type { EarlyEnd } from '../model/calls.js'
import type { CheckReport } from '../../types.js'
import { keyOf } from '../draft/comparable.js'
import type { Trial } from '../draft/trial.js'
import type { BlindTest } from '../examples/expectations.js'
import type { Profile } from '../languages/profile.js'
import type { Planned } from './plan.js'

export interface Written {
  planned: Planned
  /** Undefined for files that cannot be run here, such as pages and style sheets. */
  profile: Profile | undefined
  source: string
  tests: BlindTest[]
  /** Null if nothing of it was run. */
  trial: Trial | null
  errors: CheckReport['diagnostics']
  missing: string[]
  repaired: boolean
}

export type Part = Written | { planned: Planned, lost: string }

export interface Built {
  parts: Part[]
  /** Files of the plan that were not built. */
  left: string[]
  cut: EarlyEnd | null
}

export function passed ({ tests, trial }: Written): BlindTest[] {
  return tests.filter(({ call, print }) => trial?.results.get(keyOf(call))?.print === print)
}

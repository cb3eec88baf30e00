import type { Cut } from '../model/calls.js'
import type { CheckReport } from '../../types.js'
import { keyOf } from '../draft/prints.js'
import type { Trial } from '../draft/trial.js'
import type { BlindTest } from '../examples/expectations.js'
import type { Profile } from '../languages/profile.js'
import type { Planned } from './plan.js'

export interface Written {
  planned: Planned
  /** Undefined for what nothing here can run: a page, a style sheet. */
  profile: Profile | undefined
  source: string
  tests: BlindTest[]
  /** Null where nothing of it was run. */
  trial: Trial | null
  errors: CheckReport['diagnostics']
  missing: string[]
  repaired: boolean
}

export type Part = Written | { planned: Planned, lost: string }

export interface Built {
  parts: Part[]
  /** What the plan names and was not built. */
  left: string[]
  cut: Cut | null
}

export function passed ({ tests, trial }: Written): BlindTest[] {
  return tests.filter(({ call, print }) => trial?.results.get(keyOf(call))?.print === print)
}

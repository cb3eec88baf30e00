import type { Profile } from './profile.js'
import { PYTHON } from './python/index.js'
import { TYPESCRIPT } from './typescript/index.js'

/** The languages that svc-code runs. The first is the default for tasks that imply no language. */
export const PROFILES: readonly Profile[] = [PYTHON, TYPESCRIPT]

import type { Profile } from './profile.js'
import { PYTHON } from './python/index.js'
import { TYPESCRIPT } from './typescript/index.js'

/** The languages that are run here; the first is the one of a task that implies none. */
export const PROFILES: readonly Profile[] = [PYTHON, TYPESCRIPT]

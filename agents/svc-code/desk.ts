import type { AgentRequest, AgentRun, AgentServices } from '../types.js'
import type { Profile } from './languages/profile.js'
import type { SaidLanguage } from './languages/said.js'
import type { Calls } from './model/calls.js'
import type { Prompts } from './model/prompts.js'
import type { Settings } from './settings.js'
import type { Talk } from './talk.js'

/** Everything that a run works with. */
export interface Desk extends AgentServices {
  request: AgentRequest
  talk: Talk
  profiles: readonly Profile[]
  /** The language that the user said outright. */
  language: SaidLanguage | undefined
  settings: Settings
  calls: Calls
  prompts: Prompts
  signal: AbortSignal
  run: AgentRun
  /** Of the reply. */
  maxTokens: number
}

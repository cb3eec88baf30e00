import type { AgentRequest, AgentRun, AgentServices, Language } from '../types.js'
import type { Calls } from './calls.js'
import type { Intent } from './intent.js'
import type { Settings } from './settings.js'

/** Everything that a run works with. */
export interface Desk extends AgentServices {
  request: AgentRequest
  intent: Intent
  /** Two where both sides are asked for. */
  languages: readonly [Language, ...Language[]]
  settings: Settings
  calls: Calls
  signal: AbortSignal
  run: AgentRun
  /** Of the reply. */
  maxTokens: number
}

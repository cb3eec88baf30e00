import type { AgentRequest, AgentRun, AgentServices } from '../types.js'
import type { Profile } from './languages/profile.js'
import type { RequestedLanguage } from './languages/requested-language.js'
import type { Calls } from './model/calls.js'
import type { Prompts } from './model/prompts.js'
import type { Settings } from './settings.js'
import type { Conversation } from './conversation.js'

/** Everything that belongs to one run: the request, the conversation, the services and the budget of calls. */
export interface RunScope extends AgentServices {
  request: AgentRequest
  conversation: Conversation
  profiles: readonly Profile[]
  /** The language that the user named or clearly meant. */
  language: RequestedLanguage | undefined
  settings: Settings
  calls: Calls
  prompts: Prompts
  signal: AbortSignal
  run: AgentRun
  /** The most tokens that the reply may have. */
  maxTokens: number
}

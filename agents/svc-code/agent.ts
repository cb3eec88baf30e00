import type { Agent, AgentEvent, AgentLimits, AgentRequest, AgentRun, AgentServices, Message } from '../types.js'
import type { RunScope } from './run-scope.js'
import { budgetOf } from './effort.js'
import { PROFILES } from './languages/index.js'
import type { Profile } from './languages/profile.js'
import { requestedLanguage } from './languages/requested-language.js'
import { isBackground, modeOf } from './mode.js'
import { Calls } from './model/calls.js'
import { Prompts } from './model/prompts.js'
import { type Settings, settingsOf } from './settings.js'
import { readConversation } from './conversation.js'
import { answer, improved } from './ways/answer.js'
import { formatted } from './ways/format.js'
import { project } from './ways/project.js'
import { relay } from './ways/relay.js'

// Shown in every reply, because the person who asks need not be the one who started the service.
const DEMO_NOTE = 'The demo model behind this service does not think: it recites a handful of prepared tasks (ask it "Hello" to see '
  + 'which). For tasks of your own, start the service with a real model.\n\n'

const LIMITS: AgentLimits = { max_input_tokens: 32768, max_output_tokens: 8192 }

/** The coding agent: it answers, runs the programs in the answer, and says what was verified. */
export class SvcCode implements Agent {
  readonly accepts = ['tools', 'response_format', 'reasoning_effort', 'stop', 'seed'] as const
  readonly #services: AgentServices
  readonly #settings: Settings

  constructor (params: Record<string, unknown>, services: AgentServices, private readonly profiles: readonly Profile[] = PROFILES) {
    this.#services = services
    this.#settings = settingsOf(params)
  }

  modelInfo (): AgentLimits {
    return LIMITS
  }

  isBackground (request: AgentRequest): boolean {
    return isBackground(request)
  }

  async * reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncGenerator<AgentEvent, void> {
    const { backend } = this.#services
    const { context, kind } = yield * backend.ready(signal)
    const conversation = readConversation(kind === 'demo' ? lastTurn(request.messages) : request.messages, this.profiles)
    const mode = modeOf(request, conversation)
    const maxTokens = Math.min(request.max_tokens ?? Infinity, LIMITS.max_output_tokens)
    run.log.debug({ run: run.id, mode }, 'the mode of the request')
    if (mode === 'background' || mode === 'relay') return yield * relay(request, { backend, context, maxTokens, run: run.id }, signal)
    const scope: RunScope = {
      ...this.#services, request, conversation, signal, run, maxTokens, settings: this.#settings, profiles: this.profiles,
      language: requestedLanguage(conversation, this.profiles),
      calls: new Calls(backend, run, request, budgetOf(request.reasoning_effort, this.#settings.budget)),
      prompts: new Prompts(conversation, this.profiles, { backend, context, maxTokens })
    }
    if (kind === 'demo') yield DEMO_NOTE
    let shown = ''
    for await (const event of this.#work(mode, scope)) {
      if (typeof event === 'string') shown += event
      yield event
    }
    yield * this.#hide(shown, scope)
  }

  #work (mode: 'format' | 'project' | 'answer', scope: RunScope): AsyncGenerator<AgentEvent, void> {
    switch (mode) {
      case 'project': return planned(scope)
      case 'format': return formatted(scope)
      case 'answer': return answer(scope)
    }
  }

  // Reports the tokens of drafts and tests as reasoning tokens: the caller pays for them and does not see them.
  async * #hide (text: string, { backend, calls, maxTokens }: RunScope): AsyncGenerator<AgentEvent, void> {
    if (calls.written === 0) return
    const shown = Math.min(maxTokens, await backend.countTokens([{ role: 'assistant', content: text }]))
    const hidden = Math.max(0, calls.written - shown)
    if (hidden > 0) yield { type: 'usage', prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: hidden }
  }
}

/** The demo model searches the whole prompt for tasks that it knows: with earlier turns in it, it would recite their answers again. */
function lastTurn (messages: readonly Message[]): Message[] {
  const last = messages.findLast(({ role }) => role === 'user')
  return last === undefined ? [...messages] : [last]
}

/** A project. If the model gives no plan, it is answered like any other request; if it writes the files at once, they are a draft. */
async function * planned (scope: RunScope): AsyncGenerator<AgentEvent, void> {
  const rest = yield * project(scope)
  if (rest === 'answer') yield * answer(scope)
  else if (rest !== 'nothing') yield * improved(scope, rest.draft, rest.delivery)
}

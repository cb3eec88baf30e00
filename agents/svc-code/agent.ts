import type { Agent, AgentEvent, AgentLimits, AgentRequest, AgentRun, AgentServices, Message } from '../types.js'
import type { Desk } from './desk.js'
import { budgetOf } from './effort.js'
import { PROFILES } from './languages/index.js'
import type { Profile } from './languages/profile.js'
import { saidLanguage } from './languages/said.js'
import { isBackground, modeOf } from './mode.js'
import { Calls } from './model/calls.js'
import { Prompts } from './model/prompts.js'
import { type Settings, settingsOf } from './settings.js'
import { readTalk } from './talk.js'
import { answer, improved } from './ways/answer.js'
import { formatted } from './ways/format.js'
import { project } from './ways/project.js'
import { relay } from './ways/relay.js'

// To be read in every reply: whoever asks need not be who started the service.
const DEMO_NOTE = 'The demo model behind this service does not think: it recites a handful of prepared tasks (ask it "Hello" to see '
  + 'which). For tasks of your own, start the service with a real model.\n\n'

const LIMITS: AgentLimits = { max_input_tokens: 32768, max_output_tokens: 8192 }

/** Answers first, then runs what it wrote, and says what is known of it. */
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
    const talk = readTalk(kind === 'demo' ? lastTurn(request.messages) : request.messages, this.profiles)
    const mode = modeOf(request, talk)
    const maxTokens = Math.min(request.max_tokens ?? Infinity, LIMITS.max_output_tokens)
    run.log.debug({ run: run.id, mode }, 'what is asked')
    if (mode === 'background' || mode === 'relay') return yield * relay(request, { backend, context, maxTokens, run: run.id }, signal)
    const desk: Desk = {
      ...this.#services, request, talk, signal, run, maxTokens, settings: this.#settings, profiles: this.profiles,
      language: saidLanguage(talk, this.profiles),
      calls: new Calls(backend, run, request, budgetOf(request.reasoning_effort, this.#settings.budget)),
      prompts: new Prompts(talk, this.profiles, { backend, context, maxTokens })
    }
    if (kind === 'demo') yield DEMO_NOTE
    let shown = ''
    for await (const event of this.#work(mode, desk)) {
      if (typeof event === 'string') shown += event
      yield event
    }
    yield * this.#hide(shown, desk)
  }

  #work (mode: 'format' | 'project' | 'answer', desk: Desk): AsyncGenerator<AgentEvent, void> {
    switch (mode) {
      case 'project': return planned(desk)
      case 'format': return formatted(desk)
      case 'answer': return answer(desk)
    }
  }

  // Drafts and tests are tokens that the caller pays for and does not see.
  async * #hide (text: string, { backend, calls, maxTokens }: Desk): AsyncGenerator<AgentEvent, void> {
    if (calls.written === 0) return
    const shown = Math.min(maxTokens, await backend.countTokens([{ role: 'assistant', content: text }]))
    const hidden = Math.max(0, calls.written - shown)
    if (hidden > 0) yield { type: 'usage', prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: hidden }
  }
}

/** The demo model looks for what it knows anywhere in a prompt: it would recite what was asked for earlier. */
function lastTurn (messages: readonly Message[]): Message[] {
  const last = messages.findLast(({ role }) => role === 'user')
  return last === undefined ? [...messages] : [last]
}

/** A project that the model does not plan is answered like anything else; one that it wrote at once is a draft. */
async function * planned (desk: Desk): AsyncGenerator<AgentEvent, void> {
  const rest = yield * project(desk)
  if (rest === 'answer') yield * answer(desk)
  else if (rest !== 'nothing') yield * improved(desk, rest.draft, rest.delivery)
}

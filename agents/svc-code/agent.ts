import type { Agent, AgentEvent, AgentLimits, AgentRequest, AgentRun, AgentServices } from '../types.js'
import { Calls } from './calls.js'
import type { Desk } from './desk.js'
import { chat, plan } from './chat.js'
import { say } from './finish.js'
import { code } from './flows/code.js'
import { formatted } from './flows/format.js'
import { project } from './flows/project.js'
import { testsFor } from './flows/tests.js'
import { intentOf, isFrontEndTask, sideOf } from './intent.js'
import { languageOf } from './language.js'
import { type Settings, settingsOf } from './settings.js'

// To be read in every reply: whoever asks need not be who started the service.
const DEMO_NOTE = 'The demo model behind this service does not think: it recites a handful of prepared tasks (ask it "Hello" to see which). For tasks of your own, start the service with a real model.\n\n'

const LIMITS: AgentLimits = { max_input_tokens: 32768, max_output_tokens: 8192 }

/** Writes programs, runs them in the sandbox, and says what is known of them. */
export class SvcCode implements Agent {
  readonly #services: AgentServices
  readonly #settings: Settings

  constructor (params: Record<string, unknown>, services: AgentServices) {
    this.#services = services
    this.#settings = settingsOf(params)
  }

  modelInfo (): AgentLimits {
    return LIMITS
  }

  isBackground (request: AgentRequest): boolean {
    return isFrontEndTask(request)
  }

  async * reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncGenerator<AgentEvent, void> {
    const { backend } = this.#services
    const info = yield * backend.ready(signal)
    const intent = intentOf(request)
    const found = languageOf(request.messages)
    const maxTokens = Math.min(request.max_tokens ?? Infinity, LIMITS.max_output_tokens)
    run.log.debug({ run: run.id, kind: intent.kind, language: found.type === 'known' ? found.languages : found.name }, 'what is asked')
    if (intent.kind === 'background' || intent.kind === 'chat') return yield * chat(request, { backend, context: info.context, maxTokens, run: run.id }, signal)
    if (found.type === 'other') return yield * say(`I write, run and test Python and TypeScript; ${found.name} is not among what I can check, so I won't guess. Ask for the same in Python or TypeScript, and I will build and test it.\n`, backend, maxTokens)
    if (intent.kind === 'plan') return yield * plan(request, { backend, context: info.context, maxTokens, run: run.id }, signal)
    const side = intent.kind === 'code' || intent.kind === 'project' ? undefined : intent.given.map(sideOf).find(side => side !== undefined)
    const desk: Desk = {
      ...this.#services, request, intent, signal, run, maxTokens, settings: this.#settings,
      languages: side === undefined ? found.languages : [side],
      calls: new Calls(backend, run, request, this.#settings.budget)
    }
    const text = `${info.kind === 'demo' ? DEMO_NOTE : ''}${yield * this.#work(desk)}`
    yield * say(text, backend, maxTokens)
    yield * this.#hide(text, desk)
  }

  #work (desk: Desk): AsyncGenerator<AgentEvent, string> {
    switch (desk.intent.kind) {
      case 'project': return project(desk)
      case 'tests': return testsFor(desk)
      case 'format': return formatted(desk)
      default: return desk.languages.length > 1 ? project(desk) : code(desk)
    }
  }

  // Drafts and tests are tokens that the caller pays for and does not see.
  async * #hide (text: string, { backend, calls, maxTokens }: Desk): AsyncGenerator<AgentEvent, void> {
    if (calls.written === 0) return
    const shown = Math.min(maxTokens, await backend.countTokens([{ role: 'assistant', content: text }]))
    yield { type: 'usage', prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: Math.max(0, calls.written - shown) }
  }
}

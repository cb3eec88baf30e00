import type { ToolCallEvent } from '../../../agents/types.js'
import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import type { ChatCompletion, ToolCall, Usage } from '../../../schemas/chat.js'
import type { ServiceError } from '../../../schemas/errors.js'
import type { BodyWriter } from '../reply/collect.js'

/** Makes a chat.completion of a reply. */
export class CompletionWriter implements BodyWriter<ChatCompletion> {
  readonly #run: RunView
  readonly #model: string
  readonly #calls: ToolCall[] = []
  #content = ''

  constructor ({ run, model }: { run: RunView, model: string }) {
    this.#run = run
    this.#model = model
  }

  add (event: RunEvent): void {
    if (typeof event === 'string') this.#content += event
    else if (event.type === 'tool_call') this.#addCall(event)
  }

  finish (): ChatCompletion | Promise<ChatCompletion> {
    const usage = this.#run.usage(this.#calls.reduce((text, { function: { name, arguments: args } }) => text + name + args, this.#content))
    return usage instanceof Promise ? usage.then(usage => this.#completion(usage)) : this.#completion(usage)
  }

  fail (error: ServiceError): unknown {
    return error.body
  }

  #completion (usage: Usage): ChatCompletion {
    const { id, created, finish } = this.#run
    const message = { role: 'assistant' as const, content: this.#content, ...(this.#calls.length > 0 && { tool_calls: this.#calls }) }
    return { id, object: 'chat.completion', created, model: this.#model, choices: [{ index: 0, message, finish_reason: finish }], usage }
  }

  #addCall ({ index, id = '', name = '', arguments: args }: ToolCallEvent): void {
    (this.#calls[index] ??= { id, type: 'function', function: { name, arguments: '' } }).function.arguments += args
  }
}

import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import { ChunkWriter, DONE, KEEP_ALIVE, errorEvent } from '../../../schemas/chunks.js'
import { AgentFailed, type ServiceError } from '../../../schemas/errors.js'
import type { EventWriter } from '../reply/stream.js'

/** Makes chat.completion.chunk events of a reply. */
export class CompletionEvents implements EventWriter {
  readonly #run: RunView
  readonly #chunks: ChunkWriter
  readonly #includeUsage: boolean
  #text = '' // all text of the reply: its tokens are counted if the agent reports no usage

  constructor ({ run, model, includeUsage }: { run: RunView, model: string, includeUsage: boolean }) {
    this.#run = run
    this.#chunks = new ChunkWriter({ id: run.id, created: run.created, model })
    this.#includeUsage = includeUsage
  }

  begin (): string {
    return this.#chunks.role()
  }

  event (event: RunEvent): string {
    if (typeof event === 'string') {
      if (this.#includeUsage) this.#text += event
      return this.#chunks.text(event)
    }
    if (event.type === 'progress') return this.#chunks.progress(event.text)
    if (this.#includeUsage) this.#text += `${event.name ?? ''}${event.arguments}`
    return this.#chunks.toolCall(event)
  }

  finish (): Iterable<string> | Promise<Iterable<string>> {
    const finish = this.#chunks.finish(this.#run.finish)
    return this.#includeUsage ? this.#withUsage(finish) : [finish, DONE]
  }

  fail (error: ServiceError): string {
    return errorEvent((error.code === 'agent_error' ? error : new AgentFailed(error)).body)
  }

  keepAlive (): string {
    return KEEP_ALIVE
  }

  async #withUsage (finish: string): Promise<Iterable<string>> {
    return [finish, this.#chunks.usage(await this.#run.usage(this.#text)), DONE]
  }
}

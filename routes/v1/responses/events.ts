import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import { AgentFailed, type ServiceError } from '../../../schemas/errors.js'
import type { Names } from '../../../schemas/responses/names.js'
import type { EventWriter } from '../reply/stream.js'
import { type Item, Output, type Watcher, partOf, summaryOf, told } from './output.js'
import { type Echo, keyOf, responseOf } from './response.js'

/** A reply as the named events of this interface. */
export class ResponseEvents implements EventWriter, Watcher {
  readonly #run: RunView
  readonly #echo: Echo
  readonly #output: Output
  #sequence = 0
  #pending: string[] = []

  constructor ({ run, echo, names }: { run: RunView, echo: Echo, names: Names }) {
    this.#run = run
    this.#echo = echo
    this.#output = new Output({ key: keyOf(run), names }, this)
  }

  begin (): string {
    const response = responseOf({ run: this.#run, echo: this.#echo })
    this.#tell('response.created', { response })
    this.#tell('response.in_progress', { response })
    return this.#taken().join('')
  }

  event (event: RunEvent): string {
    this.#output.take(event)
    return this.#taken().join('')
  }

  // Each event for itself: together, those of a long reply would be longer than a string can be.
  async end (): Promise<Iterable<string>> {
    const { finish } = this.#run
    this.#output.end(finish)
    const response = responseOf(this.#parts, { usage: await this.#run.usage(this.#output.text) })
    this.#tell(finish === 'length' ? 'response.incomplete' : 'response.completed', { response })
    return this.#taken()
  }

  fail (error: ServiceError): string {
    this.#output.leave()
    const told = ['agent_error', 'context_length_exceeded'].includes(error.code) ? error : new AgentFailed(error)
    this.#tell('response.failed', { response: responseOf(this.#parts, { error: told }) })
    return this.#taken().join('')
  }

  // Codex counts a comment as silence, and gives up after five minutes of it. The interface's own `keepalive` breaks older SDKs.
  alive (): string {
    const { current } = this.#output
    if (current) this.grown(current, '')
    else this.#tell('response.in_progress', { response: responseOf(this.#parts) })
    return this.#taken().join('')
  }

  added (item: Item): void {
    this.#tell('response.output_item.added', { output_index: item.index, item: told(item, true) })
    if (item.type === 'reasoning') this.#tell('response.reasoning_summary_part.added', { ...placeOf(item), part: summaryOf('') })
    else if (item.type === 'message') this.#tell('response.content_part.added', { ...placeOf(item), part: partOf('') })
  }

  grown (item: Item, delta: string): void {
    switch (item.type) {
      case 'reasoning': return this.#tell('response.reasoning_summary_text.delta', { ...placeOf(item), delta })
      case 'message': return this.#tell('response.output_text.delta', { ...placeOf(item), delta, logprobs: [] })
      case 'function_call': return this.#tell('response.function_call_arguments.delta', { ...placeOf(item), delta })
    }
  }

  done (item: Item): void {
    const { text } = item
    if (item.type === 'reasoning') {
      this.#tell('response.reasoning_summary_text.done', { ...placeOf(item), text })
      this.#tell('response.reasoning_summary_part.done', { ...placeOf(item), part: summaryOf(text) })
    } else if (item.type === 'message') {
      this.#tell('response.output_text.done', { ...placeOf(item), text, logprobs: [] })
      this.#tell('response.content_part.done', { ...placeOf(item), part: partOf(text) })
    } else this.#tell('response.function_call_arguments.done', { ...placeOf(item), name: item.name, arguments: text })
    this.#tell('response.output_item.done', { output_index: item.index, item: told(item) })
  }

  #tell (type: string, fields: object): void {
    this.#pending.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...fields })}\n\n`)
  }

  #taken (): string[] {
    const taken = this.#pending
    this.#pending = []
    return taken
  }

  get #parts () {
    return { run: this.#run, echo: this.#echo, items: this.#output.items }
  }
}

function placeOf ({ type, id, index }: Item): object {
  const place = { item_id: id, output_index: index }
  if (type === 'function_call') return place
  return type === 'reasoning' ? { ...place, summary_index: 0 } : { ...place, content_index: 0 }
}

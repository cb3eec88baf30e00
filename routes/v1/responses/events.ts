import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import { AgentFailed, type ServiceError } from '../../../schemas/errors.js'
import type { Names } from '../../../schemas/responses/names.js'
import type { EventWriter } from '../reply/stream.js'
import { type Item, type ItemListener, Output, partOf, summaryOf, toOutputItem } from './output.js'
import { type Echo, keyOf, responseOf } from './response.js'

/** Makes the named events of the Responses API of a reply. */
export class ResponseEvents implements EventWriter, ItemListener {
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
    this.#write('response.created', { response })
    this.#write('response.in_progress', { response })
    return this.#takePending().join('')
  }

  event (event: RunEvent): string {
    this.#output.add(event)
    return this.#takePending().join('')
  }

  async finish (): Promise<Iterable<string>> {
    const { finish } = this.#run
    this.#output.finish(finish)
    const response = responseOf(this.#parts, { usage: await this.#run.usage(this.#output.text) })
    this.#write(finish === 'length' ? 'response.incomplete' : 'response.completed', { response })
    return this.#takePending()
  }

  fail (error: ServiceError): string {
    this.#output.breakOff()
    const shown = ['agent_error', 'context_length_exceeded'].includes(error.code) ? error : new AgentFailed(error)
    this.#write('response.failed', { response: responseOf(this.#parts, { error: shown }) })
    return this.#takePending().join('')
  }

  // An event that changes nothing. Codex ignores comments, and gives up after five minutes without an event. The Responses API has an
  // event `keepalive`, but older SDKs fail on it.
  keepAlive (): string {
    const { current } = this.#output
    if (current) this.onText(current, '')
    else this.#write('response.in_progress', { response: responseOf(this.#parts) })
    return this.#takePending().join('')
  }

  onAdded (item: Item): void {
    this.#write('response.output_item.added', { output_index: item.index, item: toOutputItem(item, true) })
    if (item.type === 'reasoning') this.#write('response.reasoning_summary_part.added', { ...placeOf(item), part: summaryOf('') })
    else if (item.type === 'message') this.#write('response.content_part.added', { ...placeOf(item), part: partOf('') })
  }

  onText (item: Item, delta: string): void {
    switch (item.type) {
      case 'reasoning': return this.#write('response.reasoning_summary_text.delta', { ...placeOf(item), delta })
      case 'message': return this.#write('response.output_text.delta', { ...placeOf(item), delta, logprobs: [] })
      case 'function_call': return this.#write('response.function_call_arguments.delta', { ...placeOf(item), delta })
    }
  }

  onDone (item: Item): void {
    const { text } = item
    if (item.type === 'reasoning') {
      this.#write('response.reasoning_summary_text.done', { ...placeOf(item), text })
      this.#write('response.reasoning_summary_part.done', { ...placeOf(item), part: summaryOf(text) })
    } else if (item.type === 'message') {
      this.#write('response.output_text.done', { ...placeOf(item), text, logprobs: [] })
      this.#write('response.content_part.done', { ...placeOf(item), part: partOf(text) })
    } else this.#write('response.function_call_arguments.done', { ...placeOf(item), name: item.name, arguments: text })
    this.#write('response.output_item.done', { output_index: item.index, item: toOutputItem(item) })
  }

  #write (type: string, fields: object): void {
    this.#pending.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...fields })}\n\n`)
  }

  #takePending (): string[] {
    const pending = this.#pending
    this.#pending = []
    return pending
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

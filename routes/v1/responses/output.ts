import type { FinishReason, ToolCallEvent } from '../../../agents/types.js'
import type { RunEvent } from '../../../plugins/runs/run.js'
import type { Names } from '../../../schemas/responses/names.js'
import type { OutputItem, OutputText, SummaryText } from '../../../schemas/responses/reply.js'

// Progress is no part of what bounds a reply, and all of it is kept here.
const MOST_PROGRESS = 1024 * 1024

type Status = OutputItem['status']
type Kind = { type: 'reasoning' } | { type: 'message' } | { type: 'function_call', call_id: string, name: string, namespace?: string }

/** An item as it grows: its text is a summary, a message, or a call's arguments. */
export type Item = Kind & { readonly id: string, readonly index: number, status: Status, text: string }

/** Is told of what becomes of the items. */
export interface Watcher {
  added (item: Item): void
  grown (item: Item, text: string): void
  done (item: Item): void
}

const PREFIX = { reasoning: 'rs', message: 'msg', function_call: 'fc' } as const

/**
 * The items that the events of a run make. Text without a call between is one message, whatever comes between its fragments:
 * clients take the last message for the whole answer. So progress in the midst of it goes into an item beside it.
 */
export class Output {
  readonly items: Item[] = []
  readonly #key: string
  readonly #names: Names
  readonly #watcher: Watcher | undefined
  readonly #calls = new Map<number, Item>()
  #reasoning: Item | undefined
  #message: Item | undefined
  #progress = 0

  /** The key makes ids that are the same for all who read the run. */
  constructor ({ key, names }: { key: string, names: Names }, watcher?: Watcher) {
    this.#key = key
    this.#names = names
    this.#watcher = watcher
  }

  take (event: RunEvent): void {
    if (typeof event === 'string') this.#takeText(event)
    else if (event.type === 'progress') this.#takeProgress(event.text)
    else this.#takeCall(event)
  }

  /** No more comes. A reply always has something that is for its reader: clients wait for a message. */
  end (finish: FinishReason): void {
    if (this.items.every(item => item.type === 'reasoning')) this.#takeText('')
    for (const item of this.items) if (item.type === 'reasoning' || finish !== 'length') this.#close(item)
    for (const item of this.items) this.#close(item, 'incomplete') // cut: what was open
  }

  /** The run failed: what was open stays as it is, and nobody is told. */
  leave (): void {
    for (const item of this.items) if (item.status === 'in_progress') item.status = 'incomplete'
  }

  /** The item that is growing; there is one from the first event on. */
  get current (): Item | undefined {
    return this.items.findLast(item => item.status === 'in_progress')
  }

  /** All that the model wrote, for its tokens to be counted. */
  get text (): string {
    const written = this.items.filter(item => item.type !== 'reasoning')
    return written.reduce((text, item) => text + (item.type === 'function_call' ? item.name : '') + item.text, '')
  }

  #takeText (fragment: string): void {
    if (!this.#message) this.#reasoning = this.#close(this.#reasoning)
    this.#message ??= this.#add({ type: 'message' })
    this.#grow(this.#message, fragment)
  }

  #takeProgress (text: string): void {
    const rest = MOST_PROGRESS - this.#progress
    if (rest < text.length) return
    this.#progress += text.length
    this.#reasoning ??= this.#add({ type: 'reasoning' })
    this.#grow(this.#reasoning, text)
  }

  #takeCall ({ index, id = '', name = '', arguments: args }: ToolCallEvent): void {
    let call = this.#calls.get(index)
    if (!call) {
      this.#reasoning = this.#close(this.#reasoning)
      this.#message = this.#close(this.#message)
      call = this.#add({ type: 'function_call', call_id: id, name, ...this.#names.get(name) })
      this.#calls.set(index, call) // it stays open: an agent may write several at a time
    }
    this.#grow(call, args)
  }

  #add (kind: Kind): Item {
    const index = this.items.length
    const id = `${PREFIX[kind.type]}_${this.#key}${index.toString(16).padStart(4, '0')}`
    const item: Item = { ...kind, id, index, status: 'in_progress', text: '' }
    this.items.push(item)
    this.#watcher?.added(item)
    return item
  }

  #grow (item: Item, text: string): void {
    if (text === '') return
    item.text += text
    this.#watcher?.grown(item, text)
  }

  #close (item: Item | undefined, status: Status = 'completed'): undefined {
    if (item?.status !== 'in_progress') return undefined
    item.status = status
    this.#watcher?.done(item)
    return undefined
  }
}

export const partOf = (text: string): OutputText => ({ type: 'output_text', text, annotations: [], logprobs: [] })
export const summaryOf = (text: string): SummaryText => ({ type: 'summary_text', text })

/** An item as it is told: without its text where it has only begun. */
export function told (item: Item, begun = false): OutputItem {
  const { id, status, text } = item
  switch (item.type) {
    case 'reasoning': return { id, type: item.type, status, summary: begun ? [] : [summaryOf(text)] }
    case 'message': return { id, type: item.type, status, role: 'assistant', content: begun ? [] : [partOf(text)] }
    case 'function_call': {
      const { type, call_id: call, name, namespace } = item
      return { id, type, status, call_id: call, name, ...(namespace !== undefined && { namespace }), arguments: begun ? '' : text }
    }
  }
}

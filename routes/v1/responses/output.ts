import type { FinishReason, ToolCallEvent } from '../../../agents/types.js'
import type { RunEvent } from '../../../plugins/runs/run.js'
import type { Names } from '../../../schemas/responses/names.js'
import type { OutputItem, OutputText, SummaryText } from '../../../schemas/responses/reply.js'

// The limit of a reply's length does not count progress, and a response holds all of it.
const MOST_PROGRESS = 1024 * 1024

type Status = OutputItem['status']
type Kind = { type: 'reasoning' } | { type: 'message' } | { type: 'function_call', call_id: string, name: string, namespace?: string }

/** An item that may still grow. Its text is that of a summary or a message, or the arguments of a call. */
export type Item = Kind & { readonly id: string, readonly index: number, status: Status, text: string }

export interface ItemListener {
  onAdded (item: Item): void
  onText (item: Item, text: string): void
  onDone (item: Item): void
}

const PREFIX = { reasoning: 'rs', message: 'msg', function_call: 'fc' } as const

/**
 * Makes items of the events of a run. All text up to the next tool call is one message, because clients take the last message for
 * the whole answer. So progress that comes between two fragments goes into an item of its own, while the message stays open.
 */
export class Output {
  readonly items: Item[] = []
  readonly #key: string
  readonly #names: Names
  readonly #listener: ItemListener | undefined
  readonly #calls = new Map<number, Item>()
  #reasoning: Item | undefined
  #message: Item | undefined
  #progress = 0

  /** The ids of the items are made from the key, so that all readers of a run get the same ids. */
  constructor ({ key, names }: { key: string, names: Names }, listener?: ItemListener) {
    this.#key = key
    this.#names = names
    this.#listener = listener
  }

  add (event: RunEvent): void {
    if (typeof event === 'string') this.#addText(event)
    else if (event.type === 'progress') this.#addProgress(event.text)
    else this.#addCall(event)
  }

  /** Closes all items. If the reply is empty, it gets an empty message, because clients wait for one. */
  finish (reason: FinishReason): void {
    if (this.items.every(item => item.type === 'reasoning')) this.#addText('')
    for (const item of this.items) if (item.type === 'reasoning' || reason !== 'length') this.#close(item)
    for (const item of this.items) this.#close(item, 'incomplete') // the reply was cut within this item
  }

  /** Marks the open items as incomplete after a failure, without an event. */
  breakOff (): void {
    for (const item of this.items) if (item.status === 'in_progress') item.status = 'incomplete'
  }

  /** The last item that is still open; undefined only before the first event. */
  get current (): Item | undefined {
    return this.items.findLast(item => item.status === 'in_progress')
  }

  /** All text of the reply, from which its tokens are counted. */
  get text (): string {
    const written = this.items.filter(item => item.type !== 'reasoning')
    return written.reduce((text, item) => text + (item.type === 'function_call' ? item.name : '') + item.text, '')
  }

  #addText (fragment: string): void {
    if (!this.#message) this.#reasoning = this.#close(this.#reasoning)
    this.#message ??= this.#open({ type: 'message' })
    this.#grow(this.#message, fragment)
  }

  #addProgress (text: string): void {
    const rest = MOST_PROGRESS - this.#progress
    if (rest < text.length) return
    this.#progress += text.length
    this.#reasoning ??= this.#open({ type: 'reasoning' })
    this.#grow(this.#reasoning, text)
  }

  #addCall ({ index, id = '', name = '', arguments: args }: ToolCallEvent): void {
    let call = this.#calls.get(index)
    if (!call) {
      this.#reasoning = this.#close(this.#reasoning)
      this.#message = this.#close(this.#message)
      call = this.#open({ type: 'function_call', call_id: id, name, ...this.#names.get(name) })
      this.#calls.set(index, call) // it stays open, because an agent may write several calls at a time
    }
    this.#grow(call, args)
  }

  #open (kind: Kind): Item {
    const index = this.items.length
    const id = `${PREFIX[kind.type]}_${this.#key}${index.toString(16).padStart(4, '0')}`
    const item: Item = { ...kind, id, index, status: 'in_progress', text: '' }
    this.items.push(item)
    this.#listener?.onAdded(item)
    return item
  }

  #grow (item: Item, text: string): void {
    if (text === '') return
    item.text += text
    this.#listener?.onText(item, text)
  }

  #close (item: Item | undefined, status: Status = 'completed'): undefined {
    if (item?.status !== 'in_progress') return undefined
    item.status = status
    this.#listener?.onDone(item)
    return undefined
  }
}

export const partOf = (text: string): OutputText => ({ type: 'output_text', text, annotations: [], logprobs: [] })
export const summaryOf = (text: string): SummaryText => ({ type: 'summary_text', text })

/** The item as clients get it; if it has just begun, without its text. */
export function toOutputItem (item: Item, begun = false): OutputItem {
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

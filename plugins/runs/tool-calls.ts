import { randomUUID } from 'node:crypto'
import type { Tool, ToolCallEvent } from '../../agents/types.js'

/** A call that an agent has begun: its place in the reply, and half a character whose other half is in its next piece. */
interface Begun { index: number, half: string }

/**
 * The calls of the caller's tools in one reply. Whatever an agent numbers them by, clients get them numbered from 0, each
 * with an id and a name in its first piece.
 */
export class ToolCalls {
  readonly #offered: Set<string>
  readonly #calls = new Map<number, Begun>()
  readonly #ids = new Set<string>()

  constructor (tools: readonly Tool[] = []) {
    this.#offered = new Set(tools.map(tool => tool.function.name))
  }

  /** Whether there are any. */
  get begun (): boolean { return this.#calls.size > 0 }

  /** The piece as a client is given it; undefined where there is nothing in it. Throws where no client could use it. */
  take ({ index, id, name, arguments: args }: ToolCallEvent): ToolCallEvent | undefined {
    if (!Number.isInteger(index)) throw new TypeError('the agent yielded a tool_call whose index is not a whole number')
    if (typeof args !== 'string') throw new TypeError('the agent yielded a tool_call whose arguments are not text: yield them as JSON')
    const call = this.#calls.get(index)
    if (call) {
      const whole = wholeOf(call, args)
      return whole === '' ? undefined : { type: 'tool_call', index: call.index, arguments: whole }
    }
    const known = this.#checked(name)
    const begun: Begun = { index: this.#calls.size, half: '' }
    this.#calls.set(index, begun)
    return { type: 'tool_call', index: begun.index, id: this.#idOf(id), name: known, arguments: wholeOf(begun, args) }
  }

  #checked (name: unknown): string {
    if (typeof name !== 'string' || name === '') {
      throw new TypeError('the agent yielded a tool_call without a name: the first piece of each call needs one')
    }
    if (this.#offered.has(name)) return name
    const offered = [...this.#offered].map(name => `"${name}"`)
    const shown = `${offered.slice(0, 10).join(', ')}${offered.length > 10 ? ' ...' : ''}`
    throw new TypeError(`the tool "${name.slice(0, 100)}" was called, and the caller offered ${shown === '' ? 'no tools' : `only ${shown}`}. `
      + 'Ask again where the model made it up; an agent that runs tools of its own does not yield their calls')
  }

  // Clients find the call of a result by its id, so none is given twice.
  #idOf (id: unknown): string {
    const taken = typeof id === 'string' && id !== '' && !this.#ids.has(id) ? id.toWellFormed() : `call_${randomUUID().replaceAll('-', '')}`
    this.#ids.add(taken)
    return taken
  }
}

/** What can be written of a text and what was left before it: all but half a character at its end. */
function wholeOf (call: Begun, args: string): string {
  const text = call.half + args
  const isHalf = (text.charCodeAt(text.length - 1) & 0xFC00) === 0xD800
  call.half = isHalf ? text.slice(-1) : ''
  return (isHalf ? text.slice(0, -1) : text).toWellFormed()
}

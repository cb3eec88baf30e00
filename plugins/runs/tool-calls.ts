import { randomUUID } from 'node:crypto'
import type { Tool, ToolCallEvent } from '../../agents/types.js'

/** A call that an agent has begun: its number in the reply, and half a surrogate pair whose other half is in the next piece. */
interface Begun { index: number, half: string }

/**
 * The calls of the caller's tools in one reply. Agents may number them in any way: clients get them numbered from 0, each with
 * an id and a name in its first piece.
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

  /** The piece as it is sent to the client; undefined if it is empty. Throws if no client could use it. */
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
    const known = shown === '' ? 'no tools' : `only ${shown}`
    throw new TypeError(`the tool "${name.slice(0, 100)}" was called, and the caller offered ${known}. `
      + 'Ask again if the model made it up; an agent that runs tools of its own must not yield their calls')
  }

  // Clients match results and calls by id, so every id is unique.
  #idOf (id: unknown): string {
    const taken = typeof id === 'string' && id !== '' && !this.#ids.has(id) ? id.toWellFormed() : `call_${randomUUID().replaceAll('-', '')}`
    this.#ids.add(taken)
    return taken
  }
}

/** The arguments that can be sent now: what was left over before, plus `args`, without half a surrogate pair at the end. */
function wholeOf (call: Begun, args: string): string {
  const text = call.half + args
  const isHalf = (text.charCodeAt(text.length - 1) & 0xFC00) === 0xD800
  call.half = isHalf ? text.slice(-1) : ''
  return (isHalf ? text.slice(0, -1) : text).toWellFormed()
}

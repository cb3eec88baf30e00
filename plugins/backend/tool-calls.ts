import type { ToolCallEvent } from '../../agents/types.js'
import { BackendGarbled } from './errors.js'

/** A piece of a tool call as a server sent it; null for each field that it did not send. */
export interface CallPiece { index: number | null, id: string | null, name: string | null, arguments: string }

interface Call { index: number, id: string | null, name: string | null, arguments: string }

/**
 * Brings the pieces of tool calls into one form. Servers differ: Ollama gives several calls the index 0, or sends no index;
 * others repeat the name in each piece, send no id, or a new id with each piece.
 */
export class CallReader {
  readonly #where: string
  readonly #calls: Call[] = []
  readonly #byIndex = new Map<number, Call>()
  /** The text of all calls, to count its tokens. */
  text = ''

  constructor (where: string) {
    this.#where = where
  }

  * take (piece: CallPiece): Generator<ToolCallEvent> {
    const call = this.#callOf(piece)
    const isFirst = call.name === null
    call.id ??= piece.id
    call.name ??= piece.name
    if (call.name === null) {
      call.arguments += piece.arguments // held until the name of the tool is known
      return
    }
    const args = call.arguments + piece.arguments
    call.arguments = ''
    if (isFirst) {
      this.text += call.name + args
      yield { type: 'tool_call', index: call.index, ...(call.id !== null && { id: call.id }), name: call.name, arguments: args }
    } else if (args !== '') {
      this.text += args
      yield { type: 'tool_call', index: call.index, arguments: args }
    }
  }

  /** Call it when the reply is over. */
  end (): void {
    if (this.#calls.every(({ name }) => name !== null)) return
    throw new BackendGarbled(`${this.#where} called a tool and did not say which`, 'see its log, and try again')
  }

  #callOf ({ index, id, name }: CallPiece): Call {
    const known = index === null ? this.#calls.at(-1) : this.#byIndex.get(index)
    // A piece without a name continues the call that it belongs to.
    if (known && (known.name === null || name === null)) return known
    const isSame = index === null ? id !== null && id === known?.id : id === null || id === known?.id
    if (known && isSame) return known
    const call: Call = { index: this.#calls.length, id: null, name: null, arguments: '' }
    this.#calls.push(call)
    if (index !== null) this.#byIndex.set(index, call)
    return call
  }
}

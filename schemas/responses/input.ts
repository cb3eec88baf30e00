import type { Message } from '../../agents/types.js'
import { InvalidRequest, quote } from '../errors.js'
import { Texts } from '../parts.js'
import { isObject } from '../settings.js'
import { nameOf } from './names.js'
import type { GivenItem, ResponsesRequest } from './request.js'

type Role = 'system' | 'user' | 'assistant'
interface Reply { message: { role: 'assistant', content: string, tool_calls?: unknown[] }, calls: Call[] }
interface Call { id: string, type: 'function', function: { name: string, arguments: string } }

const ROLES = new Map<unknown, Role>([['user', 'user'], ['assistant', 'assistant'], ['system', 'system'], ['developer', 'system']])
// The field that holds the text, for each type of part.
const TEXTS = new Map([['input_text', 'text'], ['output_text', 'text'], ['text', 'text'], ['refusal', 'refusal']])
const TYPES = 'only items of type message, function_call, function_call_output and reasoning are taken'

/** Makes an agent's messages of the input. Throws an error that names the first field that is not valid. */
export function messagesOf ({ input, instructions }: ResponsesRequest): Message[] {
  const turns = new Turns()
  if (typeof instructions === 'string') turns.add({ role: 'system', content: turns.textOf(instructions, 'instructions') })
  if (typeof input === 'string') turns.add({ role: 'user', content: input })
  else if (input.every(isReasoning)) throw new InvalidRequest('input must hold more than reasoning')
  else input.forEach((item, index) => read(turns, item, `input[${index}]`))
  turns.texts.check('input')
  return turns.messages
}

// Agents do not get reasoning, because in a response it is only progress. A reference to it is recognised by our prefix of its ids.
function isReasoning ({ type, id }: GivenItem): boolean {
  return type === 'reasoning' || (type === 'item_reference' && typeof id === 'string' && id.startsWith('rs_'))
}

function read (turns: Turns, item: GivenItem, field: string): void {
  if (isReasoning(item)) return
  const { type = 'message' } = item
  switch (type) {
    case 'message': return readMessage(turns, item, field)
    case 'function_call': {
      const name = String(nameOf({ name: textIn(item, 'name', field), namespace: item.namespace }))
      const called = { name, arguments: textIn(item, 'arguments', field) }
      return turns.addCall({ id: textIn(item, 'call_id', field), type: 'function', function: called })
    }
    case 'function_call_output': {
      const call = textIn(item, 'call_id', field)
      if (item.output === undefined) throw new InvalidRequest(`${field}.output is required`)
      return turns.add({ role: 'tool', content: turns.textOf(item.output, `${field}.output`), tool_call_id: call })
    }
    case 'item_reference': throw new InvalidRequest(`${field} refers to an item of an earlier response, and none is kept here: `
      + 'send the item itself. Clients do so where store is false; in the AI SDK that is providerOptions: { openai: { store: false } }.')
  }
  if (typeof type !== 'string') throw new InvalidRequest(`${field}.type must be a string`)
  throw new InvalidRequest(`${field} has the type "${quote(type, 50)}"; ${TYPES}`)
}

function readMessage (turns: Turns, { role: given, content }: GivenItem, field: string): void {
  if (given === undefined) throw new InvalidRequest(`${field}.role is required`)
  const role = ROLES.get(given)
  if (role === undefined) throw new InvalidRequest(`${field}.role must be one of user, assistant, system, developer`)
  if (content === undefined) throw new InvalidRequest(`${field}.content is required`)
  const text = turns.textOf(content, `${field}.content`)
  if (role === 'assistant') turns.addReply(text)
  else turns.add({ role, content: text })
}

function textIn (item: GivenItem, name: string, field: string): string {
  const value = item[name]
  if (value === undefined) throw new InvalidRequest(`${field}.${name} is required`)
  if (typeof value !== 'string') throw new InvalidRequest(`${field}.${name} must be a string`)
  return value
}

/** Makes messages of items. The text and the calls of one reply are separate items, but one message for a model. */
class Turns {
  readonly messages: Message[] = []
  readonly texts = new Texts()
  #reply: Reply | undefined

  add (message: Message): void {
    this.#reply = undefined
    this.messages.push(message)
  }

  addReply (content: string): void {
    // Text between a call and its result does not begin a new message, because results must follow the message with their calls.
    if (this.#reply && this.#reply.calls.length > 0) this.#reply.message.content += content
    else this.#beginReply(content)
  }

  addCall (call: Call): void {
    const { message, calls } = this.#reply ?? this.#beginReply('')
    calls.push(call)
    message.tool_calls = calls
  }

  #beginReply (content: string) {
    this.#reply = { message: { role: 'assistant', content }, calls: [] }
    this.messages.push(this.#reply.message)
    return this.#reply
  }

  /** The text of a string or of an array of parts, which are joined without a separator. */
  textOf (content: unknown, field: string): string {
    if (typeof content === 'string') return this.texts.add(content)
    if (!Array.isArray(content)) throw new InvalidRequest(`${field} must be a string or an array`)
    return content.map((part, index) => this.#textOfPart(part, `${field}[${index}]`)).join('')
  }

  #textOfPart (part: unknown, field: string): string {
    if (!isObject(part)) throw new InvalidRequest(`${field} must be an object`)
    const { type } = part
    if (type === undefined) throw new InvalidRequest(`${field}.type is required`)
    if (typeof type !== 'string') throw new InvalidRequest(`${field}.type must be a string`)
    const name = TEXTS.get(type)
    if (name !== undefined) return this.texts.add(textIn(part, name, field))
    const standIn = this.texts.standIn(type)
    if (standIn !== undefined) return standIn
    throw new InvalidRequest(`${field} has the type "${quote(type, 50)}"; only parts of type input_text and output_text are read`)
  }
}

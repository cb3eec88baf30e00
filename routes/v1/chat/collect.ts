import type { FastifyReply } from 'fastify'
import type { ToolCallEvent } from '../../../agents/types.js'
import { RunAborted } from '../../../plugins/runs/ending.js'
import type { ChatCompletion, ToolCall } from '../../../schemas/chat.js'
import { AgentFailed, ServiceError } from '../../../schemas/errors.js'
import type { Answer } from './answer.js'

const INTERVAL = 10_000

/** The reply as one JSON body: it collects the same events that a stream would send. */
export async function collect (
  reply: FastifyReply, { run, model, keepAlives }: Answer & { keepAlives: KeepAlives }
): Promise<ChatCompletion | FastifyReply> {
  const keepAlive = keepAlives.add(reply)
  let content = ''
  const calls: ToolCall[] = []
  try {
    await run.read(event => {
      if (typeof event === 'string') content += event
      else if (event.type === 'tool_call') add(calls, event)
      return undefined
    })
    const usage = run.usage(calls.reduce((text, { function: { name, arguments: args } }) => text + name + args, content))
    const message = { role: 'assistant' as const, content, ...(calls.length > 0 && { tool_calls: calls }) }
    const completion: ChatCompletion = {
      id: run.id,
      object: 'chat.completion',
      created: run.created,
      model,
      choices: [{ index: 0, message, finish_reason: run.finish }],
      usage: usage instanceof Promise ? await usage : usage
    }
    return keepAlive.begun ? keepAlive.end(completion) : completion
  } catch (error) {
    if (error instanceof RunAborted) return reply.hijack() // the client has gone: nothing is sent
    if (!keepAlive.begun) throw error
    return keepAlive.end((error instanceof ServiceError ? error : new AgentFailed(error)).body) // the status 200 has been sent already
  } finally {
    keepAlives.delete(keepAlive)
  }
}

function add (calls: ToolCall[], { index, id = '', name = '', arguments: args }: ToolCallEvent): void {
  (calls[index] ??= { id, type: 'function', function: { name, arguments: '' } }).function.arguments += args
}

/** Keeps one reply alive: Node's clients give up after 300 s without a byte, and JSON may have white space before it. */
class KeepAlive {
  begun = false
  readonly #reply: FastifyReply
  #due: number

  constructor (reply: FastifyReply, after: number) {
    this.#reply = reply
    this.#due = performance.now() + after
  }

  /** Sends a space if one is due. The first one is sent after the response head. */
  send (now: number): void {
    if (now < this.#due) return
    this.#due = now + INTERVAL
    const { raw } = this.#reply
    if (!this.begun) {
      this.#reply.hijack()
      this.begun = true
      const headers = this.#reply.getHeaders() as NodeJS.Dict<string | string[]>
      raw.writeHead(200, { ...headers, 'content-type': 'application/json; charset=utf-8' })
    }
    raw.write(' ')
  }

  end (body: unknown): FastifyReply {
    this.#reply.raw.end(JSON.stringify(body))
    return this.#reply
  }
}

/** One timer for all unfinished JSON replies: most of them are finished long before their first keep-alive. */
export class KeepAlives {
  readonly #after: number
  readonly #waiting = new Set<KeepAlive>()
  #timer: NodeJS.Timeout | undefined

  constructor (after: number) {
    this.#after = after
  }

  add (reply: FastifyReply): KeepAlive {
    const keepAlive = new KeepAlive(reply, this.#after)
    this.#waiting.add(keepAlive)
    this.#timer ??= setInterval(() => this.#sendDue(), Math.min(Math.max(this.#after / 10, 10), 1000)).unref()
    return keepAlive
  }

  delete (keepAlive: KeepAlive): void {
    this.#waiting.delete(keepAlive)
  }

  #sendDue (): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    const now = performance.now()
    for (const keepAlive of this.#waiting) keepAlive.send(now)
  }
}

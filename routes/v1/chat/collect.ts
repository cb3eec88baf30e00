import type { FastifyReply } from 'fastify'
import type { ToolCallEvent } from '../../../agents/types.js'
import { RunAborted } from '../../../plugins/runs/ending.js'
import type { ChatCompletion, ToolCall } from '../../../schemas/chat.js'
import { AgentFailed, ServiceError } from '../../../schemas/errors.js'
import type { Answer } from './answer.js'

const BEAT = 10_000

/** The reply as one JSON body: the same events as a stream's, collected. */
export async function collect (reply: FastifyReply, { run, model, beats }: Answer & { beats: Beats }): Promise<ChatCompletion | FastifyReply> {
  const beat = beats.add(reply)
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
    return beat.begun ? beat.end(completion) : completion
  } catch (error) {
    if (error instanceof RunAborted) return reply.hijack() // nobody is there to be told
    if (!beat.begun) throw error
    return beat.end((error instanceof ServiceError ? error : new AgentFailed(error)).body) // the status has gone out as 200
  } finally {
    beats.delete(beat)
  }
}

function add (calls: ToolCall[], { index, id = '', name = '', arguments: args }: ToolCallEvent): void {
  (calls[index] ??= { id, type: 'function', function: { name, arguments: '' } }).function.arguments += args
}

/** Node's clients give up after 300 s without a byte. White space before the JSON is no part of it. */
class Beat {
  begun = false
  readonly #reply: FastifyReply
  #due: number

  constructor (reply: FastifyReply, after: number) {
    this.#reply = reply
    this.#due = performance.now() + after
  }

  beat (now: number): void {
    if (now < this.#due) return
    this.#due = now + BEAT
    const { raw } = this.#reply
    if (!this.begun) {
      this.#reply.hijack()
      this.begun = true
      raw.writeHead(200, { ...this.#reply.getHeaders() as NodeJS.Dict<string | string[]>, 'content-type': 'application/json; charset=utf-8' })
    }
    raw.write(' ')
  }

  end (body: unknown): FastifyReply {
    this.#reply.raw.end(JSON.stringify(body))
    return this.#reply
  }
}

/** One timer for all replies in the making: most are there long before their first beat. */
export class Beats {
  readonly #after: number
  readonly #waiting = new Set<Beat>()
  #timer: NodeJS.Timeout | undefined

  constructor (after: number) {
    this.#after = after
  }

  add (reply: FastifyReply): Beat {
    const beat = new Beat(reply, this.#after)
    this.#waiting.add(beat)
    this.#timer ??= setInterval(() => this.#look(), Math.min(Math.max(this.#after / 10, 10), 1000)).unref()
    return beat
  }

  delete (beat: Beat): void {
    this.#waiting.delete(beat)
  }

  #look (): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    const now = performance.now()
    for (const beat of this.#waiting) beat.beat(now)
  }
}

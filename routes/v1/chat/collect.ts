import type { FastifyReply } from 'fastify'
import { RunAborted } from '../../../plugins/runs/run.js'
import type { ChatCompletion } from '../../../schemas/chat.js'
import { AgentFailed, ServiceError } from '../../../schemas/errors.js'
import type { Answer } from './completions.js'

const BEAT = 10_000

/** The reply as one JSON body: the same events as a stream's, collected. */
export async function collect (reply: FastifyReply, answer: Answer & { keepAliveAfter: number }): Promise<ChatCompletion | FastifyReply> {
  const beat = new Beat(reply, answer.keepAliveAfter)
  try {
    const completion = await complete(answer)
    return beat.begun ? beat.end(completion) : completion
  } catch (error) {
    if (error instanceof RunAborted) return reply.hijack() // nobody is there to be told
    if (!beat.begun) throw error
    return beat.end((error instanceof ServiceError ? error : new AgentFailed(error)).body) // the status has gone out as 200
  } finally {
    beat.stop()
  }
}

async function complete ({ run, model }: Answer): Promise<ChatCompletion> {
  let content = ''
  await run.read((event) => {
    if (typeof event === 'string') content += event
    return undefined
  })
  return {
    id: run.id,
    object: 'chat.completion',
    created: run.created,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: run.finish }],
    usage: await run.usage(content)
  }
}

/** Node's clients give up after 300 s without a byte. White space before the JSON is no part of it. */
class Beat {
  begun = false
  readonly #reply: FastifyReply
  readonly #arming: NodeJS.Immediate
  #timer: NodeJS.Timeout | undefined

  constructor (reply: FastifyReply, after: number) {
    this.#reply = reply
    // A reply that is there at once needs no timer.
    this.#arming = setImmediate(() => { this.#timer = setTimeout(() => this.#begin(), after) })
  }

  #begin (): void {
    const { raw } = this.#reply.hijack()
    this.begun = true
    raw.writeHead(200, { ...this.#reply.getHeaders() as NodeJS.Dict<string | string[]>, 'content-type': 'application/json; charset=utf-8' })
    raw.write(' ')
    this.#timer = setInterval(() => raw.write(' '), BEAT)
  }

  end (body: unknown): FastifyReply {
    this.#reply.raw.end(JSON.stringify(body))
    return this.#reply
  }

  stop (): void {
    clearImmediate(this.#arming)
    clearTimeout(this.#timer) // clears an interval, too
  }
}

import type { FastifyReply } from 'fastify'

const BEAT = 10_000

export interface ReplyOptions {
  /** Milliseconds after which a JSON reply in the making says that it lives. */
  jsonKeepalive?: number
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

/** One timer for all replies in the making: most are there long before their first beat. */
export class Beats {
  readonly #after: number
  readonly #waiting = new Set<Beat>()
  #timer: NodeJS.Timeout | undefined

  constructor (after = 240_000) {
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

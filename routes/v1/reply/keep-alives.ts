import type { FastifyReply } from 'fastify'

const INTERVAL = 10_000

export interface ReplyOptions {
  /** Milliseconds after which an unfinished JSON reply begins to send white space, so that its client keeps waiting. */
  jsonKeepalive?: number
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

  constructor (after = 240_000) {
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

import type { FinishReason, ToolCallEvent } from '../agents/types.js'
import type { Usage } from './chat.js'

/** Writes the events of one stream (see ChatChunk). The part they share is written once, so a fragment costs one string escape. */
export class ChunkWriter {
  readonly #head: string

  constructor ({ id, created, model }: { id: string, created: number, model: string }) {
    const shared = `"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}`
    this.#head = `data: {${shared},"choices":[`
  }

  role (): string {
    return `${this.#head}{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n`
  }

  text (fragment: string): string {
    return `${this.#head}{"index":0,"delta":{"content":${JSON.stringify(fragment)}},"finish_reason":null}]}\n\n`
  }

  progress (text: string): string {
    return `${this.#head}{"index":0,"delta":{"content":"","reasoning_content":${JSON.stringify(text)}},"finish_reason":null}]}\n\n`
  }

  toolCall ({ index, id, name, arguments: args }: ToolCallEvent): string {
    const begin = name === undefined ? '' : `"id":${JSON.stringify(id)},"type":"function",`
    const named = name === undefined ? '' : `"name":${JSON.stringify(name)},`
    const piece = `{"index":${index},${begin}"function":{${named}"arguments":${JSON.stringify(args)}}}`
    return `${this.#head}{"index":0,"delta":{"tool_calls":[${piece}]},"finish_reason":null}]}\n\n`
  }

  finish (reason: FinishReason): string {
    return `${this.#head}{"index":0,"delta":{},"finish_reason":"${reason}"}]}\n\n`
  }

  usage (usage: Usage): string {
    return `${this.#head}],"usage":${JSON.stringify(usage)}}\n\n`
  }
}

// A comment line, which every client skips. It must not be ": ping": Continue ends the stream on that.
export const KEEP_ALIVE = ': keep-alive\n\n'
export const DONE = 'data: [DONE]\n\n'

export function errorEvent (body: unknown): string {
  return `data: ${JSON.stringify(body)}\n\n`
}

import type { FastifyReply } from 'fastify'
import type { EventStream } from '../../../plugins/sse.js'
import { RunAborted } from '../../../plugins/runs/ending.js'
import type { RunEvent } from '../../../plugins/runs/run.js'
import { ChunkWriter, DONE, errorEvent } from '../../../schemas/chunks.js'
import { AgentFailed, ServiceError } from '../../../schemas/errors.js'
import type { Answer } from './answer.js'

// An agent that fails within this time is answered with an HTTP status instead of a stream (milliseconds).
const START_AFTER = 250

/** The reply as server-sent events. */
export async function stream (
  reply: FastifyReply, { run, model, includeUsage }: Answer & { includeUsage: boolean }
): Promise<FastifyReply> {
  const chunks = new ChunkWriter({ id: run.id, created: run.created, model })
  let out: EventStream | undefined
  let text = ''
  const open = (): EventStream => {
    clearTimeout(late)
    if (!out) {
      out = reply.eventStream()
      void out.write(chunks.role())
    }
    return out
  }
  const late = setTimeout(open, START_AFTER)
  const send = (event: RunEvent): Promise<void> | undefined => {
    if (typeof event === 'string') {
      if (includeUsage) text += event
      return open().write(chunks.text(event))
    }
    if (event.type === 'progress') return open().write(chunks.progress(event.text))
    if (includeUsage) text += `${event.name ?? ''}${event.arguments}`
    return open().write(chunks.toolCall(event))
  }

  try {
    await run.read(send)
    const end = open()
    void end.write(chunks.finish(run.finish))
    if (includeUsage) void end.write(chunks.usage(await run.usage(text)))
    void end.write(DONE)
    end.end()
  } catch (error) {
    if (error instanceof RunAborted) return reply.hijack() // the client has gone: nothing is sent
    if (!out) throw error
    const failure = error instanceof ServiceError && error.code === 'agent_error' ? error : new AgentFailed(error)
    void out.write(errorEvent(failure.body))
    out.end()
  } finally {
    clearTimeout(late)
  }
  return reply
}

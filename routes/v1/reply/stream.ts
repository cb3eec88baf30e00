import type { FastifyReply } from 'fastify'
import type { EventStream } from '../../../plugins/sse.js'
import { RunAborted } from '../../../plugins/runs/ending.js'
import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import { AgentFailed, ServiceError } from '../../../schemas/errors.js'

// An agent that fails within this time is answered with an HTTP status instead of a stream (milliseconds).
const START_AFTER = 250

/** Makes the text of server-sent events from the events of a run. */
export interface EventWriter {
  begin (): string
  event (event: RunEvent): string
  /** The last events, in pieces: the events of a long reply together could be longer than a string can be. */
  finish (): Iterable<string> | Promise<Iterable<string>>
  fail (error: ServiceError): string
  /** What is sent when nothing else was sent for a while. */
  keepAlive (): string
}

/** The reply as server-sent events. */
export async function stream (reply: FastifyReply, { run, writer }: { run: RunView, writer: EventWriter }): Promise<FastifyReply> {
  let out: EventStream | undefined
  const open = (): EventStream => {
    clearTimeout(late)
    if (!out) {
      out = reply.eventStream(() => writer.keepAlive())
      void out.write(writer.begin())
    }
    return out
  }
  const late = setTimeout(open, START_AFTER)

  try {
    await run.read(event => open().write(writer.event(event)))
    const opened = open()
    const last = writer.finish()
    for (const events of last instanceof Promise ? await last : last) {
      const behind = opened.write(events)
      if (behind) await behind
    }
    opened.end()
  } catch (error) {
    if (error instanceof RunAborted) return reply.hijack() // the client has gone: nothing is sent
    if (!out) throw error
    void out.write(writer.fail(error instanceof ServiceError ? error : new AgentFailed(error)))
    out.end()
  } finally {
    clearTimeout(late)
  }
  return reply
}

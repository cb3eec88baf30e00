import type { FastifyReply } from 'fastify'
import type { EventStream } from '../../../plugins/sse.js'
import { RunAborted } from '../../../plugins/runs/ending.js'
import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import { AgentFailed, ServiceError } from '../../../schemas/errors.js'

// Until then an agent that fails is answered with its status.
const START_AFTER = 250

/** Makes the text of server-sent events out of the events of a run. */
export interface EventWriter {
  begin (): string
  event (event: RunEvent): string
  end (): Iterable<string> | Promise<Iterable<string>>
  fail (error: ServiceError): string
  /** What breaks a silence. */
  alive (): string
}

/** The reply as server-sent events. */
export async function stream (reply: FastifyReply, { run, writer }: { run: RunView, writer: EventWriter }): Promise<FastifyReply> {
  let out: EventStream | undefined
  const open = (): EventStream => {
    clearTimeout(late)
    if (!out) {
      out = reply.eventStream(() => writer.alive())
      void out.write(writer.begin())
    }
    return out
  }
  const late = setTimeout(open, START_AFTER)

  try {
    await run.read(event => open().write(writer.event(event)))
    const end = open()
    const last = writer.end()
    for (const events of last instanceof Promise ? await last : last) {
      const behind = end.write(events)
      if (behind) await behind
    }
    end.end()
  } catch (error) {
    if (error instanceof RunAborted) return reply.hijack() // nobody is there to be told
    if (!out) throw error
    void out.write(writer.fail(error instanceof ServiceError ? error : new AgentFailed(error)))
    out.end()
  } finally {
    clearTimeout(late)
  }
  return reply
}

import type { FastifyReply } from 'fastify'
import { RunAborted } from '../../../plugins/runs/ending.js'
import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import { AgentFailed, ServiceError } from '../../../schemas/errors.js'
import type { Beats } from './beats.js'

/** Makes the body of a reply out of the events of a run. */
export interface BodyWriter<Body> {
  take (event: RunEvent): void
  end (): Body | Promise<Body>
  /** The body of a failure for which it is too late to have a status of its own. */
  fail (error: ServiceError): unknown
}

interface Collected<Body> { run: RunView, beats: Beats, writer: BodyWriter<Body> }

/** The reply as one JSON body: the same events as a stream's, collected. */
export async function collect<Body> (reply: FastifyReply, { run, beats, writer }: Collected<Body>): Promise<Body | FastifyReply> {
  const beat = beats.add(reply)
  try {
    await run.read(event => {
      writer.take(event)
      return undefined
    })
    const made = writer.end()
    const body = made instanceof Promise ? await made : made
    return beat.begun ? beat.end(body) : body
  } catch (error) {
    if (error instanceof RunAborted) return reply.hijack() // nobody is there to be told
    if (!beat.begun) throw error
    return beat.end(writer.fail(error instanceof ServiceError ? error : new AgentFailed(error))) // the status has gone out as 200
  } finally {
    beats.delete(beat)
  }
}

import type { FastifyReply } from 'fastify'
import { RunAborted } from '../../../plugins/runs/ending.js'
import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import { AgentFailed, ServiceError } from '../../../schemas/errors.js'
import type { KeepAlives } from './keep-alives.js'

/** Makes the body of a reply from the events of a run. */
export interface BodyWriter<Body> {
  add (event: RunEvent): void
  finish (): Body | Promise<Body>
  /** The body of a failure after the status 200 has been sent. */
  fail (error: ServiceError): unknown
}

interface Answer<Body> { run: RunView, keepAlives: KeepAlives, writer: BodyWriter<Body> }

/** The reply as one JSON body: it collects the same events that a stream would send. */
export async function collect<Body> (reply: FastifyReply, { run, keepAlives, writer }: Answer<Body>): Promise<Body | FastifyReply> {
  const keepAlive = keepAlives.add(reply)
  try {
    await run.read(event => {
      writer.add(event)
      return undefined
    })
    const finished = writer.finish()
    const body = finished instanceof Promise ? await finished : finished
    return keepAlive.begun ? keepAlive.end(body) : body
  } catch (error) {
    if (error instanceof RunAborted) return reply.hijack() // the client has gone: nothing is sent
    if (!keepAlive.begun) throw error
    return keepAlive.end(writer.fail(error instanceof ServiceError ? error : new AgentFailed(error))) // the status 200 has been sent
  } finally {
    keepAlives.delete(keepAlive)
  }
}

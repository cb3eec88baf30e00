import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Reader } from '../../../plugins/runs.js'

/** The client at the other end of a response, as the reader of a run. */
export function readerOf (response: ServerResponse): Reader {
  return {
    onLeave (leave) {
      // On a POST the request emits 'close' when its body has been read; only the response's 'close' means that the client has gone.
      response.once('close', () => leave(response.writableFinished))
      if (response.destroyed || response.req.socket.destroyed) leave(response.writableFinished) // it left before the listener was added
    }
  }
}

// Pipelined requests of one connection are handled one after the other. While a reply is queued behind another one, Node
// reports neither that the client has gone nor that it has read, and the queued data would stop the socket from being read.
export function awaitTurn (_request: FastifyRequest, { raw }: FastifyReply, done: () => void): void {
  if (raw.socket === null) raw.once('socket', () => done())
  else done()
}

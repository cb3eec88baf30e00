import type { ServerResponse } from 'node:http'
import type { Reader } from '../../../plugins/runs.js'

/** The client at the other end of a response. */
export function readerOf (response: ServerResponse): Reader {
  return {
    onLeave (leave) {
      // On a POST the request's own 'close' comes when its body has been read; only the response's tells that the client is gone.
      response.once('close', () => leave(response.writableFinished))
      if (response.destroyed || response.req.socket.destroyed) leave(response.writableFinished) // it went before anybody listened
    }
  }
}

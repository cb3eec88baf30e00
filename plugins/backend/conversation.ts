import type { IncomingMessage } from 'node:http'
import { unreachable } from './detect.js'
import { type Address, exchange, textOf } from './http.js'
import { Length, mostOf } from './length.js'
import type { CallTimeout } from './call-timeout.js'
import { type ServerInfo, refusal, refusesEffort } from './refusal.js'
import { type Delta, deltas } from './stream.js'

// How many milliseconds the text of a refusal may take to arrive.
const REFUSAL_TIMEOUT = 5000

export interface ChatCall {
  address: Address
  key?: string | undefined
  headers?: Record<string, string>
  body: { max_tokens?: number } & Record<string, unknown>
  serverInfo: ServerInfo
  timeout: CallTimeout
}

/**
 * One chat completion. It is always streamed, because only then does a server notice that the reader has gone, and stop.
 * If the call was aborted, it throws the reason of the abort.
 */
export async function * streamChat ({ address, key, headers, body, serverInfo, timeout }: ChatCall): AsyncGenerator<Delta> {
  const { signal } = timeout
  try {
    signal.throwIfAborted()
    const ask = (body: object) => {
      const call = {
        url: address.path('/v1/chat/completions'), key, signal,
        headers: { accept: 'text/event-stream', ...headers },
        body: { ...body, stream: true, stream_options: { include_usage: true } }
      }
      return timeout.wait(exchange(call)).catch((error: unknown) => { throw unreachable(serverInfo.where, error) })
    }
    let response = await ask(body)
    if (response.statusCode !== 200) {
      const { statusCode: status } = response
      const said = await briefTextOf(response)
      if (!refusesEffort(body, said, status)) throw refusal(serverInfo, said, status)
      response = await ask({ ...body, reasoning_effort: undefined })
      if (response.statusCode !== 200) throw refusal(serverInfo, await briefTextOf(response), response.statusCode)
    }
    const length = new Length(serverInfo.where, mostOf(body.max_tokens ?? serverInfo.context ?? 0))
    yield * deltas(response, serverInfo, timeout, length)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    timeout.release()
  }
}

/** The text of a refusal, up to a limit of length and time. */
async function briefTextOf (response: IncomingMessage): Promise<string> {
  const tooLong = setTimeout(() => response.destroy(), REFUSAL_TIMEOUT)
  try {
    return await textOf(response, 64 * 1024)
  } catch {
    return '' // the connection broke: the status has to do
  } finally {
    clearTimeout(tooLong)
  }
}

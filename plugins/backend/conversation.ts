import type { IncomingMessage } from 'node:http'
import { unreachable } from './detect.js'
import { type Address, exchange, textOf } from './http.js'
import { Length, mostOf } from './length.js'
import type { Patience } from './patience.js'
import { type Speaker, refusal, refusesEffort } from './refusal.js'
import { type Delta, deltas } from './stream.js'

// How long the words of a refusal are waited for.
const REFUSAL = 5000

export interface Talk {
  address: Address
  key?: string | undefined
  headers?: Record<string, string>
  body: { max_tokens?: number } & Record<string, unknown>
  speaker: Speaker
  patience: Patience
}

/**
 * One chat completion. Always streamed: only then do servers notice that the reader has gone, and stop.
 * Throws the reason of whoever ended it, else what went wrong.
 */
export async function * converse ({ address, key, headers, body, speaker, patience }: Talk): AsyncGenerator<Delta> {
  const { signal } = patience
  try {
    signal.throwIfAborted()
    const ask = (body: object) => {
      const call = {
        url: address.path('/v1/chat/completions'), key, signal,
        headers: { accept: 'text/event-stream', ...headers },
        body: { ...body, stream: true, stream_options: { include_usage: true } }
      }
      return patience.wait(exchange(call)).catch((error: unknown) => { throw unreachable(speaker.where, error) })
    }
    let response = await ask(body)
    if (response.statusCode !== 200) {
      const { statusCode: status } = response
      const said = await briefTextOf(response)
      if (!refusesEffort(body, said, status)) throw refusal(speaker, said, status)
      response = await ask({ ...body, reasoning_effort: undefined })
      if (response.statusCode !== 200) throw refusal(speaker, await briefTextOf(response), response.statusCode)
    }
    const length = new Length(speaker.where, mostOf(body.max_tokens ?? speaker.context ?? 0))
    yield * deltas(response, speaker, patience, length)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    patience.release()
  }
}

/** What a refusal says, as far as it comes in time. */
async function briefTextOf (response: IncomingMessage): Promise<string> {
  const tooLong = setTimeout(() => response.destroy(), REFUSAL)
  try {
    return await textOf(response, 64 * 1024)
  } catch {
    return '' // it broke off: the status says enough
  } finally {
    clearTimeout(tooLong)
  }
}

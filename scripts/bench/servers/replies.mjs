// The replies of the bare servers: exactly the same bodies and headers as the service's.
import { randomUUID } from 'node:crypto'
import { COUNTED } from '../agents/bench/agent.mjs'

const now = () => Math.floor(Date.now() / 1000)

export const headers = () => ({
  'x-request-id': randomUUID(),
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, x-ignored-parameters, retry-after, x-should-retry'
})

export const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }

export async function completion (model, events) {
  let content = ''
  let { prompt_tokens, completion_tokens } = COUNTED
  for await (const event of events) {
    if (typeof event === 'string') content += event
    else ({ prompt_tokens, completion_tokens } = event)
  }
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: now(),
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  }
}

/** The signal for an agent. Only the agent that waits for it gets a real one, because a bare server would not make any. */
export function signalOf (response, model) {
  if (model !== 'idle') return { get aborted () { return response.destroyed } }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

/** Writes the chunks in the simplest way: a JSON.stringify and a write per fragment. */
export function chunksOf (response, model) {
  const head = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', created: now(), model }
  return (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
}

export async function stream (response, model, events) {
  const send = chunksOf(response, model)
  send({ role: 'assistant', content: '' })
  try {
    for await (const event of events) if (typeof event === 'string') send({ content: event })
  } catch (error) {
    if (response.destroyed) return
    throw error
  }
  send({}, 'stop')
  response.write('data: [DONE]\n\n')
  response.end()
}

import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface Call {
  body: any // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it freely
  headers: IncomingMessage['headers']
  response: ServerResponse
  /** Sends one chunk of a streamed completion. */
  chunk: (delta: object, finish?: string | null, more?: object) => void
  /** Sends a raw event or comment. */
  raw: (text: string) => void
  /** Whether the caller has gone. */
  gone: () => boolean
}

export interface ScriptedBackend {
  url: string
  calls: Call[]
  /** What else was asked for. */
  paths: string[]
  close: () => Promise<void>
}

/** A page with another status than 200. */
export class Page {
  constructor (readonly status: number, readonly body: unknown) {}
}

/** A model server that speaks the backend's protocol over HTTP and does what a test tells it. */
export async function startBackend (
  t: Test, answer: (call: Call) => unknown, other: Record<string, unknown> = {}, port = 0
): Promise<ScriptedBackend> {
  const calls: Call[] = []
  const paths: string[] = []
  const server = createServer((request, response) => void serve(request, response))

  async function serve (request: IncomingMessage, response: ServerResponse) {
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    const path = request.url ?? ''
    if (path !== '/v1/chat/completions') {
      const known = other[path] ?? new Page(404, { error: { message: 'not here' } })
      const { status, body } = known instanceof Page ? known : new Page(200, known)
      paths.push(path)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
      return
    }
    let gone = false
    response.once('close', () => { gone = !response.writableFinished })
    const raw = (event: string) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event)
    }
    const call: Call = {
      body: JSON.parse(text),
      headers: request.headers,
      response,
      raw,
      gone: () => gone,
      chunk: (delta, finish = null, more = {}) => raw(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`)
    }
    calls.push(call)
    await answer(call)
  }

  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const close = () => new Promise<void>((resolve) => {
    server.closeAllConnections()
    server.close(() => resolve())
  })
  t.teardown(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, calls, paths, close }
}

/** Streams a text as a well-behaved server does. */
export function say (text: string, { usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, finish = 'stop' }: { usage?: object | null, finish?: string } = {}) {
  return ({ chunk, raw, response }: Call) => {
    chunk({ role: 'assistant', content: null })
    for (const piece of text.match(/[\s\S]{1,4}/gu) ?? []) chunk({ content: piece })
    chunk({}, finish)
    if (usage) raw(`data: ${JSON.stringify({ choices: [], usage })}\n\n`)
    raw('data: [DONE]\n\n')
    response.end()
  }
}

/** Streams calls of tools as llama.cpp and vLLM do: first the id and the name, then the arguments in pieces. */
export function callTools (calls: Array<{ id: string, name: string, arguments: string }>, { text = '' }: { text?: string } = {}) {
  return ({ chunk, raw, response }: Call) => {
    chunk({ role: 'assistant', content: text === '' ? null : text })
    for (const [index, { id, name, arguments: args }] of calls.entries()) {
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
      for (const piece of args.match(/[\s\S]{1,5}/gu) ?? []) chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
    }
    chunk({}, 'tool_calls')
    raw(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}\n\n`)
    raw('data: [DONE]\n\n')
    response.end()
  }
}

import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import OpenAI from 'openai'
import type { Test } from 'tap'
import { type AppOptions, buildApp } from '../../app.js'

export { until } from './time.js'

export const AGENTS = fileURLToPath(new URL('../fixtures/agents', import.meta.url))

export interface Service {
  app: FastifyInstance
  url: string
  /** The official SDK, without retries: what a test sees is one answer. */
  client: OpenAI
  post: Post
  /** The same to POST /v1/responses. */
  respond: Post
}

type Post = (body: unknown, headers?: Record<string, string>, signal?: AbortSignal) => Promise<Response>

/** The real service on a free port, with the scripted agents dropped in. */
export async function startService (t: Test, options: AppOptions = {}): Promise<Service> {
  const app = await buildApp({ agentsDirs: [AGENTS], drain: 0, ...options })
  t.teardown(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    app,
    url,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 }),
    post: poster(`${url}/v1/chat/completions`),
    respond: poster(`${url}/v1/responses`)
  }
}

function poster (url: string): Post {
  return (body, headers = {}, signal) => fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal })
  })
}

/** A request that makes the scripted agent play these steps. */
export function script (steps: unknown[], more: object = {}) {
  return { model: 'scripted', messages: [{ role: 'user' as const, content: JSON.stringify(steps) }], ...more }
}

/** The same in the form of POST /v1/responses. */
export function played (steps: unknown[], more: object = {}) {
  return { model: 'scripted', input: JSON.stringify(steps), ...more }
}

/** The events of an SSE body, each as it was sent. */
export function eventsOf (body: string): string[] {
  return body.split('\n\n').filter(event => event !== '')
}

/** The JSON of the data events, [DONE] and comments left out. */
export function chunksOf (body: string): any[] { // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it freely
  return eventsOf(body).filter(event => event.startsWith('data: ') && event !== 'data: [DONE]').map(event => JSON.parse(event.slice(6)))
}

/** The named events of an SSE body: comments left out, and each checked for its name. */
export function namedOf (body: string): any[] { // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it freely
  return eventsOf(body).filter(event => !event.startsWith(':')).map(event => {
    const [, name, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(event) ?? []
    const read = JSON.parse(data)
    if (read.type !== name) throw new Error(`an event of another name: ${event}`)
    return read
  })
}

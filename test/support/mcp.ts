import { Client, type ClientOptions, type RequestOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Test } from 'tap'

export interface Result {
  content: { type: string, text: string }[]
  structuredContent?: any // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it freely
  isError?: boolean
  _meta?: any // eslint-disable-line @typescript-eslint/no-explicit-any -- the same
}

interface Connecting { headers?: Record<string, string>, options?: ClientOptions }

/** The official client, connected to a service. */
export async function connect (t: Test, url: string, { headers = {}, options = {} }: Connecting = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options)
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
  t.teardown(() => client.close())
  return client
}

// A time limit that is long enough even on a busy machine (milliseconds).
const TIMEOUT = 240_000

export async function call (client: Client, name: string, given: object, options: RequestOptions = {}): Promise<Result> {
  return await client.callTool({ name, arguments: { ...given } }, { timeout: TIMEOUT, ...options }) as unknown as Result
}

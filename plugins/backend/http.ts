import http from 'node:http'
import https from 'node:https'

/** The address of a backend, given with or without `/v1` and a trailing slash. */
export class Address {
  /** The address for messages and logs, without credentials. */
  readonly shown: string
  readonly #root: URL

  constructor (url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    if (!parsed || !/^https?:$/.test(parsed.protocol)) {
      throw new Error(`--backend-url ${url} is no address such as http://127.0.0.1:1234/v1`)
    }
    parsed.search = parsed.hash = ''
    parsed.pathname = withoutSlashesAfter(parsed.pathname).replace(/\/chat\/completions$/, '').replace(/\/v1$/, '')
    this.#root = parsed
    this.shown = `${parsed.origin}${parsed.pathname.replace(/\/$/, '')}/v1`
  }

  get url (): URL { return new URL(this.#root) }

  path (path: string): URL {
    const url = this.url
    const [name = '', query = ''] = path.split('?')
    url.pathname = url.pathname.replace(/\/$/, '') + name
    url.search = query
    return url
  }
}

function withoutSlashesAfter (path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

export interface Call {
  url: URL
  key?: string | undefined
  headers?: Record<string, string>
  /** Sent as JSON by POST; a GET without it. */
  body?: unknown
  signal: AbortSignal
  onConnect?: () => void
}

/**
 * One request on a connection of its own: local servers close pooled connections while a request is being sent (8 of 320
 * requests were lost). It has no time limit, since a local model may take minutes.
 */
export function exchange ({ url, key, headers, body, signal, onConnect }: Call): Promise<http.IncomingMessage> {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: payload === undefined ? 'GET' : 'POST',
      agent: false,
      signal,
      headers: {
        ...headers,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(payload !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) })
      }
    })
    if (onConnect) outgoing.once('socket', socket => socket.once('connect', onConnect))
    outgoing.once('response', resolve)
    // Not `once`: an abort after the response emits another error.
    outgoing.on('error', reject)
    outgoing.once('close', () => reject(new Error('it closed the connection without an answer'))) // after a response this does nothing
    outgoing.end(payload)
  })
}

/** The text of a response, cut at a limit. */
export async function textOf (response: http.IncomingMessage, limit: number): Promise<string> {
  const { text, isWhole } = await readUpTo(response, limit)
  return isWhole ? text : text.slice(0, limit)
}

/** The text of a response; undefined if it is longer than the limit. */
export async function wholeTextOf (response: http.IncomingMessage, limit: number): Promise<string | undefined> {
  const { text, isWhole } = await readUpTo(response, limit)
  return isWhole ? text : undefined
}

async function readUpTo (response: http.IncomingMessage, limit: number): Promise<{ text: string, isWhole: boolean }> {
  let text = ''
  for await (const part of response.setEncoding('utf8')) {
    text += part
    if (text.length > limit) return { text, isWhole: false } // leaving the loop destroys the response
  }
  return { text, isWhole: true }
}

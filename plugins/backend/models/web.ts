import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import tls from 'node:tls'
import { proxyFor, proxyHeaders } from './proxy.js'

export interface WebRequest {
  method?: 'GET' | 'HEAD'
  headers?: Record<string, string>
  signal: AbortSignal
}

export interface WebResponse {
  status: number
  body: IncomingMessage
  header: (name: string) => string | undefined
}

const MOST_HOPS = 10
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Requests a page, through the proxy of the environment variables if there is one (`fetch` of Node 20 does not support them).
 * Redirects are followed until `isEnough` returns true. The authorization header is never sent to another host.
 */
export async function ask (
  address: URL, { headers = {}, ...request }: WebRequest, isEnough: (response: WebResponse) => boolean = () => false
): Promise<WebResponse> {
  let url = address
  for (let hop = 0; ; hop++) {
    const { authorization, ...open } = headers
    const isSameHost = authorization !== undefined && url.origin === address.origin
    const response = await once(url, { ...request, headers: isSameHost ? headers : open })
    const location = response.header('location')
    if (!REDIRECTS.has(response.status) || location === undefined || isEnough(response)) return response
    response.body.resume()
    if (hop === MOST_HOPS) throw new Error(`${address.host} redirects in a circle`)
    url = new URL(location, url)
  }
}

/** The text of a page. Throws if it is longer than any page that this service needs. */
export async function textOf ({ body }: WebResponse): Promise<string> {
  let text = ''
  for await (const part of body.setEncoding('utf8')) {
    text += String(part)
    if (text.length > 4 * 1024 * 1024) throw new Error('the answer is too long')
  }
  return text
}

async function once (url: URL, { method = 'GET', headers = {}, signal }: WebRequest): Promise<WebResponse> {
  signal.throwIfAborted()
  const proxy = proxyFor(url, process.env)
  const options = { method, headers: { 'user-agent': 'svc', ...headers }, signal, agent: false }
  if (!proxy) return await answerOf((url.protocol === 'https:' ? https : http).request(url, options))
  if (url.protocol === 'http:') {
    const proxied = { ...options.headers, ...proxyHeaders(proxy), host: url.host }
    return await answerOf(moduleOf(proxy).request(proxy, { ...options, path: url.href, headers: proxied }))
  }
  const socket = await tunnel(proxy, url, signal)
  const createConnection = () => tls.connect({ socket, servername: url.hostname })
  return await answerOf(https.request(url, { ...options, agent: undefined, createConnection }))
}

function answerOf (request: http.ClientRequest): Promise<WebResponse> {
  return new Promise((resolve, reject) => {
    request.once('error', reject)
    request.once('response', body => resolve({
      status: body.statusCode ?? 0,
      body,
      header (name) {
        const value = body.headers[name]
        return Array.isArray(value) ? value[0] : value
      }
    }))
    request.end()
  })
}

function tunnel (proxy: URL, { hostname, port }: URL, signal: AbortSignal): Promise<Socket> {
  const path = `${hostname}:${port || 443}`
  return new Promise((resolve, reject) => {
    const headers = { host: path, ...proxyHeaders(proxy) }
    const request = moduleOf(proxy).request(proxy, { method: 'CONNECT', path, headers, signal, agent: false })
    request.once('error', reject)
    request.once('response', ({ statusCode }) => {
      request.destroy()
      reject(new Error(`the proxy ${proxy.host} refuses (status ${statusCode})`))
    })
    request.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new Error(`the proxy ${proxy.host} refuses (status ${statusCode})`))
    })
    request.end()
  })
}

function moduleOf ({ protocol }: URL): typeof http | typeof https {
  return protocol === 'https:' ? https : http
}

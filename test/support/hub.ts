import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export const REPO = 'acme/tiny-GGUF'
export const FILE = 'tiny.Q4_K_M.gguf'

export interface Get {
  request: IncomingMessage
  response: ServerResponse
  /** The beginning of the requested range. */
  from: number
  /** How many downloads were requested before this one. */
  before: number
  /** Sends what a sound hub would send, or only so many bytes of it before `then`. */
  send: (options?: { bytes?: number, then?: 'cut' | 'stall', body?: Buffer, headers?: Record<string, string> }) => void
}

export interface Hub {
  /** The value for HF_ENDPOINT. */
  url: string
  gets: Get[]
  sha256: string
}

export interface HubOptions {
  /** Answers a download; by default correctly. */
  serve?: (get: Get) => void
  /** Headers that the hub sends about the file, in addition to or instead of the true ones. */
  told?: Record<string, string | undefined>
  /** The status of the answer to a HEAD request for the file. */
  status?: number
  /** The hub does not answer HEAD requests. */
  silent?: boolean
}

/** A hub of models on this machine: the manifest, the file's headers, and its storage at another path, as the real one has it. */
export async function startHub (
  t: Test, content: Buffer, { serve = get => get.send(), told = {}, status = 302, silent = false }: HubOptions = {}
): Promise<Hub> {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const gets: Get[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === `/v2/${REPO}/manifests/Q4_K_M`) return json(response, { ggufFile: { rfilename: FILE } })
    if (path === `/${REPO}/resolve/main/${FILE}`) {
      if (silent) return
      const headers = Object.entries({ 'x-linked-etag': `"${sha256}"`, 'x-linked-size': String(content.length), location: '/storage/blob', ...told })
      response.writeHead(status, Object.fromEntries(headers.filter(([, value]) => value !== undefined)))
      return response.end()
    }
    if (path === '/storage/blob') return get(request, response)
    response.writeHead(404).end()
  })

  function get (request: IncomingMessage, response: ServerResponse) {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const found: Get = {
      request, response, from, before: gets.length,
      send ({ bytes, then = 'cut', body = content, headers } = {}) {
        response.writeHead(from > 0 ? 206 : 200, headers ?? {
          'content-length': body.length - from,
          ...(from > 0 && { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` })
        })
        if (bytes === undefined) return response.end(body.subarray(from))
        response.write(body.subarray(from, from + bytes), () => { if (then === 'cut') setTimeout(() => response.destroy(), 20) })
      }
    }
    gets.push(found)
    serve(found)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, gets, sha256 }
}

function json (response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

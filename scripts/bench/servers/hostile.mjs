// A language model's server that sends malicious replies. The last message of a request names the reply.
import { createServer } from 'node:http'
import { REPLIES } from '../hostile/replies.mjs'
import { listens } from './probe.mjs'

const LIST = { object: 'list', data: [{ id: 'hostile', owned_by: 'vllm', max_model_len: 131_072 }] }

const server = createServer((request, response) => {
  const parts = []
  request.on('data', part => parts.push(part))
  request.once('end', () => {
    if (request.method !== 'POST') return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(LIST))
    const { messages } = JSON.parse(Buffer.concat(parts).toString())
    const reply = REPLIES[messages.at(-1).content] ?? REPLIES.short
    response.writeHead(200, { 'content-type': reply.type ?? 'text/event-stream' })
    response.on('error', () => {}) // its reader has gone
    pour(response, reply.parts())
  })
})

/** Writes as fast as the client reads, until the end or until the client has gone. */
function pour (response, parts) {
  for (const part of parts) {
    if (response.destroyed) return
    if (!response.write(part)) return response.once('drain', () => pour(response, parts))
  }
  response.end()
}

server.listen(0, '127.0.0.1', () => listens(server.address().port))

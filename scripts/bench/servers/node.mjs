// A bare server for comparison with the service: node:http, JSON.parse, and the reply, without validation. Its argument is a backend's URL.
import { createServer, request as call } from 'node:http'
import { plays } from '../agents/bench/agent.mjs'
import { listens } from './probe.mjs'
import { STREAM_HEADERS, completion, headers, stream, signalOf } from './replies.mjs'

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', part => { text += part })
  request.on('end', () => void answer(JSON.parse(text), response))
})

async function answer (body, response) {
  const { model, stream: streamed } = body
  if (model === 'relay') return relay(body, response)
  const events = plays[model](signalOf(response, model))
  if (streamed) {
    response.writeHead(200, { ...headers(), ...STREAM_HEADERS })
    return stream(response, model, events)
  }
  const text = JSON.stringify(await completion(model, events))
  response.writeHead(200, { ...headers(), 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/** Passes bytes through, which is the least that a hop can cost. */
function relay (body, response) {
  const outgoing = call(`${process.argv[2]}/chat/completions`, { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } }, incoming => {
    response.writeHead(200, { ...headers(), ...STREAM_HEADERS })
    incoming.pipe(response)
  })
  response.once('close', () => outgoing.destroy())
  outgoing.on('error', () => response.destroy())
  outgoing.end(JSON.stringify(body))
}

server.listen(0, '127.0.0.1', 4096, () => listens(server.address().port))

// The simplest server for a chat request: node:http reads and parses it, and sends the same bytes as the service, without an agent.
import { createServer } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FRAGMENTS, plays } from '../agents/bench/agent.mjs'
import { listens } from './probe.mjs'
import { STREAM_HEADERS, chunksOf, completion, headers } from './replies.mjs'

const bodies = { whole: JSON.stringify(await completion('whole', plays.whole())), counted: JSON.stringify(await completion('counted', plays.counted())) }

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', part => { text += part })
  request.on('end', () => void answer(JSON.parse(text), response))
})

async function answer ({ model, stream }, response) {
  if (stream) {
    response.writeHead(200, { ...headers(), ...STREAM_HEADERS })
    const send = chunksOf(response, model)
    send({ role: 'assistant', content: '' })
    for (const content of FRAGMENTS) {
      send({ content })
      if (model === 'turns') await nextTurn()
    }
    send({}, 'stop')
    response.end('data: [DONE]\n\n')
    return
  }
  const body = bodies[model]
  response.writeHead(200, { ...headers(), 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

server.listen(0, '127.0.0.1', 4096, () => listens(server.address().port))

// A language model's server that sends the time every 10 ms, the same to every client.
import { createServer } from 'node:http'
import { setInterval } from 'node:timers'
import { listens } from './probe.mjs'

const PACE = 10
const listeners = []

const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[{"id":"clock"}]}')
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    listeners.push(response)
    response.once('close', () => listeners.splice(listeners.indexOf(response), 1))
  })
})

let tick = 0
setInterval(() => {
  tick++
  const frame = `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: `<${tick} ${process.hrtime.bigint()}>` }, finish_reason: null }] })}\n\n`
  // The first client gets the data some microseconds earlier, so the clients take turns.
  for (let i = 0; i < listeners.length; i++) listeners[(tick + i) % listeners.length].write(frame)
}, PACE)

server.listen(0, '127.0.0.1', () => listens(server.address().port))

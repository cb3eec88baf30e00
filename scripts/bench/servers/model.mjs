// A language model's server with three models: `tokens` sends tokens one by one, each with the time when it was sent; `short` closes
// the connection a moment after its reply, as local servers do; `endless` continues until the client has gone.
import { createServer } from 'node:http'
import { clearInterval, setInterval } from 'node:timers'
import { listens } from './probe.mjs'

const PACE = 5
const TOKENS = 200
const IDLE = 5

/** When the server noticed the end of each endless reply, by run. */
const gone = {}

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', part => { text += part })
  request.once('end', () => {
    if (request.method === 'POST') return plays[JSON.parse(text).model](response, request.headers['x-svc-run'])
    const page = request.url === '/gone' ? gone : { object: 'list', data: [{ id: 'tokens', owned_by: 'vllm', max_model_len: 32768 }] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
  })
})

const chunk = (delta, finish = null) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const END = `${chunk({}, 'stop')}data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: TOKENS } })}\n\ndata: [DONE]\n\n`
const stamped = () => chunk({ content: `<${process.hrtime.bigint()}>` })

const plays = {
  tokens (response) {
    let left = TOKENS
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(stamped())
    const timer = setInterval(() => {
      if (--left > 0) return response.write(stamped())
      clearInterval(timer)
      response.end(END)
    }, PACE)
    response.once('close', () => clearInterval(timer))
  },

  short (response) {
    const { socket } = response
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${chunk({ content: 'whole' })}${END}`)
    setTimeout(() => socket.destroy(), IDLE * Math.random())
  },

  endless (response, run) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write(stamped()), PACE)
    response.once('close', () => {
      clearInterval(timer)
      gone[run] = String(process.hrtime.bigint())
    })
  }
}

server.listen(0, '127.0.0.1', () => listens(server.address().port))

import { createServer } from 'node:http'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A language model that plays what a trial gives it: `play = { answer, edit, endless }`, where `edit(names, round)` is the
 * call of one of the client's own tools that it makes in that round, if any. It keeps the requests in `seen`.
 */
export async function startModel () {
  const model = { play: {}, seen: [], open: 0, pieces: 0, stop, url: '' }
  const server = createServer((request, response) => { void serve(model, request, response) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  model.url = `http://127.0.0.1:${server.address().port}/v1`
  return model

  async function stop () {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

async function serve (model, request, response) {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  response.setHeader('content-type', 'application/json')
  if (request.method === 'GET' && request.url === '/v1/models') {
    return response.end(JSON.stringify({ object: 'list', data: [{ id: 'played', object: 'model' }] }))
  }
  if (request.url !== '/v1/chat/completions') return response.writeHead(404).end('{"error":{"message":"not here"}}')

  const body = JSON.parse(text)
  model.seen.push(body)
  model.open++
  response.once('close', () => { model.open-- })
  const call = callOf(model.play, body)
  if (!body.stream) {
    const message = { role: 'assistant', ...call ? { tool_calls: [call] } : { content: model.play.answer } }
    return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }], usage: USAGE }))
  }
  response.setHeader('content-type', 'text/event-stream')
  const chunk = (delta, finish = null) => response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
  chunk({ role: 'assistant', content: '' })
  if (call) chunk({ tool_calls: [{ index: 0, ...call }] })
  else for await (const content of pieces(model.play, response)) { chunk({ content }); model.pieces++ }
  chunk({}, call ? 'tool_calls' : 'stop')
  response.end(`data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`)
}

const USAGE = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }

async function * pieces ({ answer, endless }, response) {
  if (!endless) yield * answer.match(/[^]{1,12}/gu)
  for (let word = 0; endless && !response.destroyed; word++) {
    yield `and on, ${word}. `
    await sleep(50)
  }
}

/** The rounds of an edit are counted by the results of calls since the last word of the user. */
function callOf ({ edit }, { messages, tools }) {
  if (!edit || !tools?.length) return undefined
  const rounds = messages.filter(({ role }) => role === 'tool').length
  const call = edit(tools.map(({ function: { name } }) => name), rounds)
  return call && { id: `call_${rounds + 1}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } }
}

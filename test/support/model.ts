import type { Test } from 'tap'
import { type Call, type ScriptedBackend, startBackend } from './backend.js'
import { DIALECTS } from './dialects.js'

export const CONTEXT = 32768

export const ANSWERS: [[string, string], [string, string]] = [
  ['Say the colours of the rainbow', 'Red, orange, yellow, green, blue, indigo and violet.'],
  ['Count to five', 'One, two, three, four, five: that is all there is to it.']
]

export const ENDLESS = 'Tell me everything'

/** A model behind a llama.cpp server: the same answer to the same prompt, within max_tokens, stop texts and the context. */
export async function startModel (t: Test): Promise<ScriptedBackend> {
  return await startBackend(t, serve, DIALECTS['llama.cpp'](CONTEXT))
}

async function serve ({ body, chunk, raw, response, gone }: Call): Promise<void> {
  const prompt: string = body.messages.map(({ content }: { content: string }) => content).join('\n')
  const tokens = Math.ceil(prompt.length / 4)
  if (tokens > CONTEXT) {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { code: 400, message: `request (${tokens} tokens) exceeds the available context size (${CONTEXT} tokens), try increasing it`, type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: CONTEXT } }))
    return
  }
  const answer = ANSWERS.find(([asked]) => prompt.endsWith(asked))?.[1]
  const reply = [answer, ...body.stop ?? []].reduce((rest, stop) => rest?.split(stop)[0])
  chunk({ role: 'assistant', content: null })
  let completion = 0
  let finish = 'stop'
  for (const piece of reply?.match(/.{1,4}/gu) ?? again(gone)) {
    if (completion >= (body.max_tokens ?? Infinity)) { finish = 'length'; break }
    completion++
    chunk({ content: piece })
    if (answer === undefined) await new Promise(resolve => setTimeout(resolve, 1))
  }
  if (gone()) return
  chunk({}, finish)
  raw(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: completion, total_tokens: tokens + completion } })}\n\n`)
  raw('data: [DONE]\n\n')
  response.end()
}

function * again (gone: () => boolean): Generator<string> {
  while (!gone()) yield 'and on '
}

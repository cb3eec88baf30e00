import t, { type Test } from 'tap'
import { HttpBackend } from '../../../plugins/backend/http-backend.js'
import { readOverflow } from '../../../plugins/backend/overflow.js'
import { type Call, say } from '../../support/backend.js'
import { type Kind, startDialect } from '../../support/dialects.js'
import { silent } from '../../support/log.js'
import { ask, eventsFrom, never, textOf } from './contract.js'

// Error messages of real servers, with the figures that they contain.
const TEXTS: Array<[server: string, text: string, tokens: number | null, context: number | null]> = [
  ['llama.cpp', '{"error":{"code":400,"message":"request (60024 tokens) exceeds the available context size (32768 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":60024,"n_ctx":32768}}', 60024, 32768],
  ['llama.cpp, older', '{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"invalid_request_error"}}', null, null],
  ['llama.cpp in a reply', '{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}', null, null],
  ['LM Studio', '{"error":"Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}', 15857, 4096],
  ['LM Studio, newer', '{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."}', 13055, 4096],
  ['LM Studio in a reply', '{"error":{"message":"Reached context length of 4096 tokens with this model, but this model does not currently support mid-generation context overflow."}}', null, 4096],
  ['vLLM', '{"object":"error","message":"This model\'s maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","code":400}', 112946, 16384],
  ['vLLM, newer', '{"error":{"message":"This model\'s maximum context length is 128000 tokens. However, you requested 65535 output tokens and your prompt contains at least 62466 input tokens, for a total of at least 128001 tokens.","code":400}}', 62466, 128000],
  ['vLLM, max_tokens', '{"error":{"message":"\'max_tokens\' or \'max_completion_tokens\' is too large: 32000. This model\'s maximum context length is 40960 tokens and your request has 9215 input tokens (32000 > 40960 - 9215)."}}', 9215, 40960],
  ['vLLM, decoder', '{"error":{"message":"The decoder prompt (length 50000) is longer than the maximum model length of 40960. Make sure that `max_model_len` is no smaller than the number of text tokens."}}', 50000, 40960],
  ['Ollama', '{"error":{"message":"the input length exceeds the context length","type":"api_error"}}', null, null],
  ['Ollama over llama.cpp', '{"error":{"message":"request (5354 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"invalid_request_error"}}', 5354, 4096],
  ['Lemonade', '{"error":{"code":"backend_error","details":{"response":{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it","n_ctx":8192,"n_prompt_tokens":9000,"type":"exceed_context_size_error"}}},"message":"llama-server failed"}}', 9000, 8192],
  ['SGLang', '{"message":"The input (50000 tokens) is longer than the model\'s context length (40960 tokens)."}', 50000, 40960],
  ['an MLX server', '{"error":{"message":"Prompt too long: 51587 tokens exceeds max context window of 32768 tokens"}}', 51587, 32768],
  ['others', '{"error":{"message":"too long","code":"context_length_exceeded"}}', null, null]
]

for (const [server, text, tokens, context] of TEXTS) {
  void t.test(`${server}: the refusal of a conversation that does not fit is known, with its figures`, async t => {
    t.same(readOverflow(text), { tokens, context })
  })
}

void t.test('other refusals do not count as an overflow', async t => {
  for (const text of ['', '{"error":"model not found, try pulling it first"}', '{"error":{"message":"CUDA out of memory"}}', '{"error":{"message":"max_tokens must be at least 1"}}', '{"error":{"message":"context canceled"}}', '<html>413 Request Entity Too Large</html>', '{"error":"no such tool: context"}']) {
    t.equal(readOverflow(text), undefined, text)
  }
})

const servers: Array<[Kind, string]> = [['llama.cpp', 'llama.cpp'], ['lm-studio', 'LM Studio'], ['vllm', 'vLLM'], ['ollama', 'Ollama over llama.cpp'], ['lemonade', 'Lemonade']]
for (const [kind, name] of servers) {
  for (const isStreamed of [false, true]) {
    void t.test(`${kind} refuses a conversation${isStreamed ? ' after its reply has begun' : ''}: the caller's fault where the context is large enough, else the setting's`, async t => {
      const text = TEXTS.find(([server]) => server === name)?.[1] ?? ''
      for (const size of [4096, 40960]) {
        const body = text.replaceAll(/\b(?:32768|4096|16384|8192)\b/g, String(size))
        const server = await startDialect(t, kind, 40960, {
          answer: ({ raw, response, chunk }: Call) => {
            if (isStreamed) { chunk({ role: 'assistant' }); raw(`data: ${body.startsWith('{"object') ? `{"error":${body}}` : body}\n\n`); response.end() } else response.writeHead(400, { 'content-type': 'application/json' }).end(body)
          }
        })
        const backend = new HttpBackend({ url: server.url, log: silent })
        t.teardown(() => backend.close())
        await t.rejects(eventsFrom(backend.chat(ask('Hi'), never)), size === 4096 ? { name: 'ContextTooSmall', message: /4096.*32768.*32768/ } : { name: 'ContextOverflow', context: 40960 })
      }
    })
  }
}

const words = (count: number) => 'word '.repeat(count)

async function replyFrom (t: Test, kind: Kind, state: number, prompt_tokens: number, count: number, text = 'A fine answer') {
  const usage = { prompt_tokens, completion_tokens: 3, total_tokens: prompt_tokens + 3 }
  const server = await startDialect(t, kind, state, { answer: say(text, { usage }) })
  const backend = new HttpBackend({ url: server.url, log: silent })
  t.teardown(() => backend.close())
  return { server, reply: eventsFrom(backend.chat(ask(words(count)), never)).then(textOf) }
}

void t.test('a conversation that Ollama cut silently is detected by its prompt_tokens', async t => {
  // It told a context that is large enough, but a Modelfile or a new start made it smaller.
  for (const [read, sent] of [[2050, 7900], [4096, 7900], [2048, 16_000], [1026, 3000]] as const) {
    const { reply } = await replyFrom(t, 'ollama', 40960, read, sent)
    await t.rejects(reply, { name: 'PromptTruncated', message: new RegExp(`Ollama at .* read ${read} of at least \\d+ tokens.*32768.*OLLAMA_CONTEXT_LENGTH=32768`) }, `${read} of ${sent}`)
  }
})

void t.test('other vocabularies, other templates and figures with another meaning do not count as a cut conversation', async t => {
  for (const [read, sent] of [[7900, 7900], [6500, 7900], [9500, 7900], [10, 7900], [900, 900], [4096, 4200]] as const) {
    const { reply } = await replyFrom(t, 'ollama', 40960, read, sent)
    t.equal(await reply, 'A fine answer', `${read} of ${sent}`)
  }
  const { reply } = await replyFrom(t, 'llama.cpp', 40960, 2050, 7900)
  t.equal(await reply, 'A fine answer', 'llama.cpp refuses what does not fit')
})

void t.test('a usual size that was read to the last token is a cut where the context is not known', async t => {
  const server = await startDialect(t, 'ollama', 0, { answer: say('x', { usage: { prompt_tokens: 4096, completion_tokens: 3, total_tokens: 4099 } }) })
  const backend = new HttpBackend({ url: server.url, log: silent })
  t.teardown(() => backend.close())
  t.equal((await backend.info()).context, null)
  await t.rejects(eventsFrom(backend.chat(ask(words(4500)), never)), { name: 'PromptTruncated', message: /read 4096/ })
  t.equal(textOf(await eventsFrom(backend.chat(ask(words(4100)), never))), 'x')
})

void t.test('a server that would cut in silence is not asked what surely does not fit', async t => {
  const { server, reply } = await replyFrom(t, 'ollama', 32768, 16386, 40_000)
  await t.rejects(reply, { name: 'ContextOverflow', context: 32768 })
  t.equal(server.calls.length, 0)
})

void t.test('an empty reply to a conversation that fills the context is an overflow, to any other it is a reply', async t => {
  const { reply } = await replyFrom(t, 'lm-studio', 32768, 32768, 33_000, '')
  await t.rejects(reply, { name: 'ContextOverflow', context: 32768 })
  const { reply: short } = await replyFrom(t, 'lm-studio', 32768, 100, 100, '')
  t.equal(await short, '')
})

import { Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { refusal } from '../../../support/envelope.js'
import { chunksOf, script, startService } from '../../../support/service.js'
import { exchange, request } from '../../../support/socket.js'

const { url, post, client } = await startService(t, { aliases: { 'gpt-4o': 'scripted' } })

const LAST = { role: 'user', content: '[{"seen":true}]' }
const GOOD = { model: 'scripted', messages: [LAST] }

/** What the agent was given for a request. */
async function seen (t: Test, more: object): Promise<{ messages: unknown[], [name: string]: unknown }> {
  const response = await post({ ...GOOD, ...more })
  const text = await response.text()
  t.equal(response.status, 200, text)
  return JSON.parse(JSON.parse(text).choices[0].message.content)
}

async function refused (t: Test, body: unknown, message: string | RegExp): Promise<void> {
  const problem = await refusal(t, await post(body), 400, 'invalid_request')
  if (typeof message === 'string') t.equal(problem.message, message, JSON.stringify(body))
  else t.match(problem.message, message, JSON.stringify(body))
}

function send (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
}

void t.test('model is required and must be a string', async t => {
  await refused(t, { messages: [LAST] }, 'model is required')
  for (const model of [null, 5, true, ['scripted'], { id: 'scripted' }]) await refused(t, { ...GOOD, model }, 'model must be a string')
})

void t.test('messages is required', async t => {
  await refused(t, { model: 'scripted' }, 'messages is required')
  await refused(t, {}, 'messages is required')
})

void t.test('messages must be an array that is not empty', async t => {
  for (const messages of [null, 'hello', 123, true, { role: 'user', content: 'hi' }]) await refused(t, { ...GOOD, messages }, 'messages must be an array')
  await refused(t, { ...GOOD, messages: [] }, 'messages must not be empty')
})

void t.test('a message must be an object with a role and a content', async t => {
  for (const message of [123, 'hi', null, true, [], [LAST]]) await refused(t, { ...GOOD, messages: [message] }, /^messages\[0\] must be an object$/)
  await refused(t, { ...GOOD, messages: [{}] }, 'messages[0].role is required')
  await refused(t, { ...GOOD, messages: [{ content: 'hi' }] }, 'messages[0].role is required')
  for (const role of ['system', 'user', 'assistant', 'tool', 'developer']) {
    await refused(t, { ...GOOD, messages: [{ role }] }, 'messages[0].content is required')
  }
})

void t.test('the error names the message that is wrong', async t => {
  await refused(t, { ...GOOD, messages: [LAST, LAST, { role: 'user' }, LAST] }, 'messages[2].content is required')
  await refused(t, { ...GOOD, messages: [LAST, { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'text' }] }] }, 'messages[1].content[1].text is required')
})

void t.test('a role must be one of the specification', async t => {
  for (const role of [123, null, '', 'User', 'bot', 'function', ['user'], {}, true, 'user ', '__proto__']) {
    await refused(t, { ...GOOD, messages: [{ role, content: 'hi' }] }, /^messages\[0\]\.role must be one of system, user, assistant, tool$/)
  }
})

void t.test('content must be text or text parts', async t => {
  for (const content of [123, true, {}, { text: 'hi' }]) {
    for (const role of ['system', 'user', 'assistant', 'tool']) await refused(t, { ...GOOD, messages: [{ role, content }] }, /^messages\[0\]\.content must be a string or an array$/)
  }
})

void t.test('content may be null on an assistant turn only', async t => {
  for (const role of ['system', 'user', 'tool', 'developer']) await refused(t, { ...GOOD, messages: [{ role, content: null }, LAST] }, /^messages\[0\]\.content must be a string or an array$/)
  const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
  const { messages } = await seen(t, { messages: [{ role: 'assistant', content: null, tool_calls: calls }, { role: 'assistant', content: '' }, LAST] })
  t.strictSame(messages, [{ role: 'assistant', content: '', tool_calls: calls }, { role: 'assistant', content: '' }, LAST])
})

void t.test('empty content is content', async t => {
  const { messages } = await seen(t, { messages: [{ role: 'system', content: '' }, { role: 'user', content: '' }, LAST] })
  t.strictSame(messages, [{ role: 'system', content: '' }, { role: 'user', content: '' }, LAST])
})

void t.test('text parts are joined without a separator, and the agent gets a string', async t => {
  const part = (text: string, more = {}) => ({ type: 'text', text, ...more })
  const { messages } = await seen(t, { messages: [
    { role: 'system', content: [part('Be '), part('brief.', { cache_control: { type: 'ephemeral' } })] },
    { role: 'assistant', content: [part('One')] },
    { role: 'tool', content: [part('4'), part('2')], tool_call_id: 'c1' },
    { role: 'user', content: [] },
    { role: 'user', content: [part('[{"seen":'), part('true}]')] }
  ] })
  t.strictSame(messages, [
    { role: 'system', content: 'Be brief.' }, { role: 'assistant', content: 'One' }, { role: 'tool', content: '42', tool_call_id: 'c1' }, { role: 'user', content: '' }, LAST
  ])
})

void t.test('an image, a recording or a file is left out, and a line says so', async t => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  const { messages } = await seen(t, { messages: [
    { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }, { type: 'file', file: { file_id: 'f' } }] },
    LAST
  ] })
  t.strictSame(messages, [
    { role: 'user', content: 'What is this?\n[an image that cannot be read here]\n' },
    { role: 'user', content: '\n[a recording that cannot be read here]\n\n[a file that cannot be read here]\n' },
    LAST
  ])
  await refused(t, { ...GOOD, messages: [{ role: 'user', content: [image] }] }, /^messages must hold a text: images, recordings and files are left out/)
})

void t.test('a part of another type is refused by its name', async t => {
  for (const type of ['refusal', '', 'TEXT']) {
    await refused(t, { ...GOOD, messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, { type, [type]: {} }] }] }, new RegExp(`^messages\\[0\\]\\.content\\[1\\] .*"${type}"`))
  }
  await refused(t, { ...GOOD, messages: [{ role: 'user', content: [{ type: 'x'.repeat(10_000) }] }] }, /^.{20,300}$/)
})

void t.test('a part must be an object with a type and a text', async t => {
  for (const part of ['hi', 5, null, ['hi']]) await refused(t, { ...GOOD, messages: [{ role: 'user', content: [part] }] }, 'messages[0].content[0] must be an object')
  await refused(t, { ...GOOD, messages: [{ role: 'user', content: [{ text: 'hi' }] }] }, 'messages[0].content[0].type is required')
  await refused(t, { ...GOOD, messages: [{ role: 'user', content: [{ type: 5, text: 'hi' }] }] }, 'messages[0].content[0].type must be a string')
  await refused(t, { ...GOOD, messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text is required')
  for (const text of [5, null, ['hi'], {}]) await refused(t, { ...GOOD, messages: [{ role: 'user', content: [{ type: 'text', text }] }] }, 'messages[0].content[0].text must be a string')
})

void t.test('developer is treated as system, where it stands', async t => {
  const { messages } = await seen(t, { messages: [{ role: 'user', content: 'a' }, { role: 'developer', content: 'b' }, { role: 'developer', content: [{ type: 'text', text: 'c' }] }, LAST] })
  t.strictSame(messages, [{ role: 'user', content: 'a' }, { role: 'system', content: 'b' }, { role: 'system', content: 'c' }, LAST])
})

void t.test('a tool turn is handed on with its call, and without where it has none', async t => {
  const { messages } = await seen(t, { messages: [
    { role: 'tool', content: '42', tool_call_id: 'c1' }, { role: 'tool', content: '43' }, { role: 'tool', content: '44', tool_call_id: null }, LAST
  ] })
  t.strictSame(messages, [{ role: 'tool', content: '42', tool_call_id: 'c1' }, { role: 'tool', content: '43' }, { role: 'tool', content: '44' }, LAST])
  for (const id of [5, true, ['c1'], {}]) {
    await refused(t, { ...GOOD, messages: [{ role: 'tool', content: '42', tool_call_id: id }, LAST] }, 'messages[0].tool_call_id must be a string')
  }
})

void t.test('tool_calls of an assistant turn are an array of anything, or null', async t => {
  for (const calls of ['c1', 5, true, {}]) await refused(t, { ...GOOD, messages: [{ role: 'assistant', content: 'a', tool_calls: calls }, LAST] }, 'messages[0].tool_calls must be an array')
  const anything = [1, 'two', null, { three: [{}] }]
  const { messages } = await seen(t, { messages: [{ role: 'assistant', content: 'a', tool_calls: null }, { role: 'assistant', content: 'b', tool_calls: [] }, { role: 'assistant', content: 'c', tool_calls: anything }, LAST] })
  t.strictSame(messages, [{ role: 'assistant', content: 'a' }, { role: 'assistant', content: 'b', tool_calls: [] }, { role: 'assistant', content: 'c', tool_calls: anything }, LAST])
})

void t.test('tool fields on another role and unknown keys of a message are ignored and not listed', async t => {
  const response = await post({ ...GOOD, messages: [
    { role: 'system', content: 'a', tool_calls: 'none', tool_call_id: 5 },
    { role: 'assistant', content: 'b', tool_call_id: {}, refusal: null, name: 'bot', audio: { id: 'x' } },
    { role: 'tool', content: 'c', tool_calls: 5 },
    { ...LAST, name: 'Ann', tool_calls: [{}], tool_call_id: 'c1', cache_control: {} }
  ] })
  const body = JSON.parse(await response.text())
  t.equal(response.status, 200)
  t.notOk(response.headers.has('x-ignored-parameters'))
  t.strictSame(JSON.parse(body.choices[0].message.content).messages, [{ role: 'system', content: 'a' }, { role: 'assistant', content: 'b' }, { role: 'tool', content: 'c' }, LAST])
})

void t.test('endless nesting is refused or ignored, and never crashes anything', async t => {
  const nest = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const withCalls = (calls: string) => `{"model":"scripted","messages":[{"role":"assistant","content":"a","tool_calls":${calls}},${JSON.stringify(LAST)}]}`
  t.equal((await post(withCalls(nest(20)))).status, 200)
  await refused(t, withCalls(nest(150)), /tool_calls/)
  await refused(t, `{"model":"scripted","messages":${nest(150)}}`, /^messages/)
  await refused(t, nest(150), /object/)
  const beside = (depth: number) => `{"model":"scripted","messages":[${JSON.stringify(LAST)}],"metadata":${nest(depth)}}`
  t.equal((await post(beside(150))).status, 200)
  for (const depth of [1000, 100_000]) {
    for (const body of [withCalls(nest(depth)), `{"model":"scripted","messages":${nest(depth)}}`, nest(depth), beside(depth)]) await refused(t, body, /nests deeper than 200 levels/)
  }
})

const RANGES: Record<string, { good: unknown[], low?: unknown[], high?: unknown[], type: unknown[], says: string }> = {
  temperature: { good: [0, 0.5, 2, 2.0, 1e-9], low: [-0.1, -1e308], high: [2.0000001, 3, 1e300], type: ['1', true, [], {}, ''], says: 'temperature must be a number' },
  top_p: { good: [0, 0.1, 1], low: [-0.01], high: [1.01, 2], type: ['1', false, [1], {}], says: 'top_p must be a number' },
  max_tokens: { good: [1, 5.0, 8192, 1e9], low: [0, -1], type: [1.5, '5', true, [5], {}, 0.1], says: 'max_tokens must be an integer' },
  max_completion_tokens: { good: [1, 8192], low: [0, -1], type: [1.5, '5', true, []], says: 'max_completion_tokens must be an integer' },
  stream: { good: [false], type: ['true', 'false', 0, 1, '', [], {}], says: 'stream must be a boolean' },
  stream_options: { good: [{}, { include_usage: false }, { include_obfuscation: true }], type: ['x', true, 5, []], says: 'stream_options must be an object' }
}

for (const [name, { good, low = [], high = [], type, says }] of Object.entries(RANGES)) {
  void t.test(`${name} has its type and its range`, async t => {
    for (const value of good) t.equal((await post({ ...GOOD, [name]: value })).status, 200, `${name} ${JSON.stringify(value)}`)
    for (const value of low) await refused(t, { ...GOOD, [name]: value }, new RegExp(`^${name} must be >=? 0$`))
    for (const value of high) await refused(t, { ...GOOD, [name]: value }, new RegExp(`^${name} must be <= [12]$`))
    for (const value of type) await refused(t, { ...GOOD, [name]: value }, says)
  })
}

void t.test('the bounds are named in the error', async t => {
  await refused(t, { ...GOOD, temperature: 2.1 }, 'temperature must be <= 2')
  await refused(t, { ...GOOD, temperature: -1 }, 'temperature must be >= 0')
  await refused(t, { ...GOOD, top_p: 1.1 }, 'top_p must be <= 1')
  await refused(t, { ...GOOD, max_tokens: 0 }, 'max_tokens must be > 0')
})

void t.test('a number that JSON cannot hold is out of range', async t => {
  for (const [name, value] of [['temperature', '1e999'], ['top_p', '-1e999'], ['max_tokens', '1e999']]) {
    await refused(t, `{"model":"scripted","messages":[{"role":"user","content":"hi"}],"${name}":${value}}`, new RegExp(`^${name} must be`))
  }
})

void t.test('include_usage must be a boolean', async t => {
  for (const value of ['yes', 1, []]) await refused(t, { ...GOOD, stream_options: { include_usage: value } }, /^stream_options\.include_usage must be a boolean$/)
})

void t.test('null counts as absent for every optional field', async t => {
  const nothing = {
    temperature: null,
    top_p: null,
    max_tokens: null,
    max_completion_tokens: null,
    stream: null,
    stream_options: null,
    tools: null,
    stop: null,
    n: null
  }
  const response = await post({ ...GOOD, ...nothing })
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/, 'stream: null is no stream')
  t.notOk(response.headers.has('x-ignored-parameters'))
  t.strictSame(JSON.parse(JSON.parse(await response.text()).choices[0].message.content), { messages: [LAST], temperature: 0.7, top_p: 1 })
  const streamed = await post({ ...script(['hi']), stream: true, stream_options: { include_usage: null } })
  t.ok(chunksOf(await streamed.text()).every(chunk => !('usage' in chunk)))
})

void t.test('defaults are those of the specification', async t => {
  t.strictSame(await seen(t, {}), { messages: [LAST], temperature: 0.7, top_p: 1 })
})

void t.test('max_completion_tokens means max_tokens, and the smaller wins', async t => {
  for (const [given, max] of [
    [{ max_tokens: 7 }, 7],
    [{ max_completion_tokens: 8 }, 8],
    [{ max_tokens: 7, max_completion_tokens: 8 }, 7],
    [{ max_tokens: 9, max_completion_tokens: 8 }, 8],
    [{ max_tokens: null, max_completion_tokens: 8 }, 8],
    [{ max_tokens: 9, max_completion_tokens: null }, 9],
    [{ max_tokens: 1_000_000 }, 1_000_000]
  ] as const) {
    t.strictSame(await seen(t, given), { messages: [LAST], temperature: 0.7, top_p: 1, max_tokens: max })
  }
})

// Values of any type: what is not looked at cannot be wrong.
const UNSUPPORTED = {
  frequency_penalty: 99, presence_penalty: 'x', functions: [], tools: 'none', response_format: { type: 'json_object' }, logprobs: true, n: 5, stop: ['x'],
  user: 'ann', seed: 1, tool_choice: 'auto', parallel_tool_calls: false, logit_bias: {}, metadata: { a: 1 }, store: true, reasoning_effort: 'high', keep_alive: -1
}

void t.test('unsupported and unknown parameters are accepted, ignored and named in a header', async t => {
  const { data, response } = await client.chat.completions.create({ ...script(['hi']), ...UNSUPPORTED } as never).withResponse() as unknown as { data: { choices: unknown[] }, response: Response }
  t.equal(data.choices.length, 1, 'n is ignored')
  t.strictSame(response.headers.get('x-ignored-parameters')?.split(', ').sort(), Object.keys(UNSUPPORTED).sort())
  t.strictSame(await seen(t, UNSUPPORTED), { messages: [LAST], temperature: 0.7, top_p: 1 }, 'the agent is given none of them')
})

void t.test('each unsupported parameter of the specification is ignored by its name, streams included', async t => {
  for (const name of ['frequency_penalty', 'presence_penalty', 'functions', 'tools', 'response_format', 'logprobs', 'n', 'stop']) {
    for (const stream of [false, true]) {
      const response = await post({ ...script(['hi']), [name]: 1, stream })
      t.equal(response.status, 200)
      t.equal(response.headers.get('x-ignored-parameters'), name)
      await response.text()
    }
  }
})

void t.test('the header is absent where nothing was ignored', async t => {
  for (const stream of [false, true]) {
    const response = await post({ ...script(['hi']), stream, temperature: 1, top_p: 1, max_tokens: 5, max_completion_tokens: 5, stream_options: { include_usage: true } })
    await response.text()
    t.notOk(response.headers.has('x-ignored-parameters'))
  }
})

void t.test('the header stays short and safe whatever names a caller makes up', async t => {
  const names = ['a\r\nset-cookie: x=1', 'b, c', 'é\u{1F600}', '\ud800', '\u0000', 'x'.repeat(10_000), ...Array.from({ length: 2000 }, (_, n) => `p${n}`)]
  for (const stream of [false, true]) {
    const response = await post({ ...script(['hi']), stream, ...Object.fromEntries(names.map(name => [name, 1])) })
    await response.text()
    t.equal(response.status, 200)
    const value = response.headers.get('x-ignored-parameters') ?? ''
    t.match(value, /^[\w.?-]+(, [\w.?-]+)*$/)
    t.ok(value.length <= 1024, `${value.length} characters`)
    t.notOk(response.headers.has('set-cookie'))
  }
})

void t.test('what was ignored is told in a debug line of the log', async t => {
  let log = ''
  const stream = new Writable({ write (chunk, _encoding, done) { log += String(chunk); done() } })
  const { post } = await startService(t, { logger: { level: 'debug', stream } })
  await (await post({ ...script(['hi']), n: 2, 'made\nup': 1 })).text()
  const line = log.split('\n').find(line => line.includes('ignored'))
  t.match(line && JSON.parse(line), { level: 20, ignored: 'n, made?up' })
})

void t.test('keys that would reach a prototype are dropped', async t => {
  const hidden = '"__proto__":{"temperature":9,"polluted":true},"constructor":{"prototype":{"polluted":true}}'
  const response = await post(`{${hidden},"model":"scripted","messages":[{${hidden},"role":"user","content":"[{\\"seen\\":true}]"}]}`)
  t.equal(response.status, 200)
  t.strictSame(JSON.parse(JSON.parse(await response.text()).choices[0].message.content), { messages: [LAST], temperature: 0.7, top_p: 1 })
  t.notOk('polluted' in {})
})

void t.test('malformed JSON is a 400', async t => {
  for (const body of ['{', '{"model":', 'not json', "{'model':'scripted'}", '{"model":"scripted",}', '{model:1}', '[', '"', ' ', '\n', '\0', '{} {}', 'undefined', 'NaN', '{"a":01}', 'model=scripted']) {
    await refused(t, body, /JSON/)
  }
  await refusal(t, await send(Buffer.from('{"model":"scripted"}', 'utf16le'), { 'content-type': 'application/json' }), 400, 'invalid_request')
})

void t.test('a body that is no object is a 400', async t => {
  for (const body of ['[]', '5', '"hello"', 'true', '[{"model":"scripted"}]']) await refused(t, body, /object/)
  await refused(t, 'null', 'messages is required')
})

void t.test('no body at all means that messages is required, whatever the content type', async t => {
  const path = `${url}/v1/chat/completions`
  for (const type of [undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense', '']) {
    const headers = type === undefined ? [] : [`Content-Type: ${type}`]
    t.equal((await refusal(t, await exchange(path, request('POST /v1/chat/completions', headers)), 400, 'invalid_request')).message, 'messages is required', `${type} without a length`)
    t.equal((await refusal(t, await exchange(path, request('POST /v1/chat/completions', ['Content-Length: 0', ...headers])), 400, 'invalid_request')).message, 'messages is required', `${type} of length 0`)
  }
  for (const type of [['Content-Type: application/json'], ['Content-Type: text/plain'], []]) {
    const response = await exchange(path, request('POST /v1/chat/completions', [...type, 'Transfer-Encoding: chunked']) + '0\r\n\r\n')
    t.equal((await refusal(t, response, 400, 'invalid_request')).message, 'messages is required', `chunked, and no chunk ${type.join()}`)
  }
})

void t.test('a body of another type than JSON is a 415 and reaches no agent', async t => {
  const body = JSON.stringify(GOOD)
  for (const type of [
    'text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'text/json', 'application/jsonp', 'application/json5',
    'text/plain; application/json', 'application/x-www-form-urlencoded; application/json', 'text/plain, application/json', 'text/plain;charset=application/json', '*/*', 'json'
  ]) {
    t.match((await refusal(t, await send(body, { 'content-type': type }), 415, 'invalid_request')).message, /application\/json/, type)
  }
  await refusal(t, await send(new TextEncoder().encode(body)), 415, 'invalid_request')
  await refusal(t, await send(new URLSearchParams({ model: 'scripted' })), 415, 'invalid_request')
})

void t.test('the JSON content type may have parameters and any case', async t => {
  for (const type of ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON']) {
    t.equal((await send(JSON.stringify(GOOD), { 'content-type': type })).status, 200, type)
  }
})

void t.test('a compressed body is a 415, a plain one that says so is not', async t => {
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'x']) {
    const { message } = await refusal(t, await send(gzipSync(JSON.stringify(GOOD)), { 'content-type': 'application/json', 'content-encoding': encoding }), 415, 'invalid_request')
    t.match(message, /compress|encoding/i)
  }
  t.equal((await send(JSON.stringify(GOOD), { 'content-type': 'application/json', 'content-encoding': 'identity' })).status, 200)
})

void t.test('a body over the limit is a 413, by its length or by what comes', async t => {
  const { url, post } = await startService(t, { bodyLimit: 2000 })
  const sized = (length: number) => {
    const body = { ...GOOD, padding: '' }
    body.padding = 'x'.repeat(length - JSON.stringify(body).length)
    return JSON.stringify(body)
  }
  t.equal((await post(sized(2000))).status, 200)
  t.match((await refusal(t, await post(sized(2001)), 413, 'invalid_request')).message, /larger.*--body-limit/)
  const head = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
  const chunk = `${(4000).toString(16)}\r\n${' '.repeat(4000)}\r\n`
  await refusal(t, await exchange(url, request('POST /v1/chat/completions', head) + chunk + '0\r\n\r\n'), 413, 'invalid_request')
  await refusal(t, await exchange(url, request('POST /v1/chat/completions', ['Content-Type: application/json', 'Content-Length: 99999999999'])), 413, 'invalid_request')
})

void t.test('the limit is 8 MiB unless told otherwise', async t => {
  const size = 8 * 1024 * 1024
  const body = (length: number) => {
    const whole = (padding: string) => JSON.stringify({ ...script(['hi']), metadata: padding })
    return whole('x'.repeat(length - whole('').length))
  }
  t.equal((await post(body(size))).status, 200)
  await refusal(t, await post(body(size + 1)), 413, 'invalid_request')
})

void t.test('the shape of the body is checked before the model', async t => {
  await refused(t, { model: 'nothing' }, 'messages is required')
  await refused(t, { model: 'nothing', messages: [LAST], temperature: 5 }, 'temperature must be <= 2')
  await refused(t, { model: '', messages: [] }, 'messages must not be empty')
})

void t.test('a model that is not registered is a 404 that lists those that are', async t => {
  for (const stream of [false, true]) {
    for (const model of ['nothing', '', ' ', 'SVC-CODE', 'svc-code ', '__proto__', 'constructor', 'x'.repeat(100_000), '\u0000', 'ü\r\n']) {
      const { message } = await refusal(t, await post({ ...GOOD, model, stream }), 404, 'model_not_found')
      t.match(message, /not found/)
      t.match(message, /svc-code.*scripted.*narrow/)
      t.ok(message.length < 400)
    }
  }
})

void t.test('an alias stands for its agent', async t => {
  const { id, ...rest } = await client.chat.completions.create({ ...script(['hi']), model: 'gpt-4o' })
  t.ok(id)
  t.match(rest, { model: 'gpt-4o', choices: [{ message: { content: 'hi' } }] })
  const stream = await post({ ...script(['hi']), model: 'gpt-4o', stream: true })
  t.ok(chunksOf(await stream.text()).every(chunk => chunk.model === 'gpt-4o'))
  await refusal(t, await post({ ...GOOD, model: 'gpt-4' }), 404, 'model_not_found')
})

void t.test('a message of 10,000 characters and a conversation of 100 messages are ordinary', async t => {
  const long = 'äöü 123 '.repeat(1250)
  const one = await seen(t, { messages: [{ role: 'user', content: long }, LAST] })
  t.strictSame(one.messages, [{ role: 'user', content: long }, LAST])
  const turns = Array.from({ length: 99 }, (_, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', content: `turn ${n}` }))
  t.strictSame((await seen(t, { messages: [...turns, LAST] })).messages, [...turns, LAST])
})

void t.test('text of any language comes back as it was sent', async t => {
  const text = 'Grüße, 世界, \u{1F469}\u200d\u{1F4BB}, عربى, \u0000\u0007 "quoted" \\ \u2028 </script>'
  const reply = await client.chat.completions.create({ model: 'scripted', messages: [{ role: 'user', content: text }] })
  t.equal(reply.choices[0]?.message.content, text)
})

void t.test('no key is asked for and any key will do', async t => {
  for (const authorization of [undefined, 'Bearer anything', 'Bearer ', 'Basic eDp5', 'nonsense']) {
    t.equal((await post(script(['hi']), authorization === undefined ? {} : { authorization })).status, 200)
  }
})

void t.test('there is no rate limit', async t => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => post(script(['hi']))))
  t.ok(answers.every(({ status }) => status === 200))
  t.notOk([...answers[0]?.headers.keys() ?? []].some(name => /ratelimit/i.test(name)))
  await Promise.all(answers.map(answer => answer.text()))
})

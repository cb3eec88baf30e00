import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import OpenAI from 'openai'
import { until } from './support/processes.mjs'
import { realModel, widened } from './support/real-model.mjs'
import { startService } from './support/service.mjs'

// A real language model, as small as they come: what it says is hardly sense, and the service must answer well all the same.
const { file, lacks } = await realModel()
const options = { timeout: 300_000, skip: lacks }
const MODEL = 'svc-code'

test('a model made for a context that is too small is refused with what to do, and warned of when it is loaded', options, async () => {
  const service = await startService('--model', file)
  try {
    const asked = clientOf(service).chat.completions.create({ model: MODEL, messages: said('Hi') })
    await assert.rejects(asked, { status: 500, message: /context of 8192 tokens, and agents need 32768; .*--model/ })
    await until(() => service.log.some(({ level, msg }) => level === 40 && /8192 tokens, and agents need 32768/.test(msg)), 5000)
  } finally {
    await service.stop()
  }
})

describe('inside the service', { skip: lacks }, () => {
  let service
  let chat
  before(async () => {
    service = await startService('--model', widened(file), '--debug')
    chat = clientOf(service).chat.completions
  })
  after(() => service?.stop())

  test('it chats in several turns, and what was said before counts', options, async () => {
    const messages = []
    const read = []
    for (const question of ['What is the capital of France?', 'Which river flows through it?', 'Say it in one word.']) {
      messages.push(...said(question))
      const { choices: [{ message, finish_reason: finish }], usage } = await chat.create({ model: MODEL, messages, max_tokens: 60, temperature: 0 })
      assert.ok(message.content.trim().length > 0)
      assert.ok(['stop', 'length'].includes(finish), finish)
      assert.equal(usage.prompt_tokens + usage.completion_tokens, usage.total_tokens)
      assert.ok(usage.completion_tokens > 0)
      read.push(usage.prompt_tokens)
      messages.push({ role: 'assistant', content: message.content })
    }
    assert.match(messages[1].content, /Paris/)
    assert.ok(read[0] < read[1] && read[1] < read[2], `${read}`)
  })

  test('a limit of tokens is kept to the token', options, async () => {
    const { choices: [{ finish_reason: finish }], usage } = await chat.create({ model: MODEL, messages: said('Tell a long story about a fox.'), max_tokens: 30, temperature: 0 })
    assert.deepEqual({ finish, written: usage.completion_tokens }, { finish: 'length', written: 30 })
  })

  test('a stop text ends the reply before it', options, async () => {
    const { choices: [{ message, finish_reason: finish }] } = await chat.create({ model: MODEL, messages: said('Tell a story about a fox.'), stop: ['.'], max_tokens: 200, temperature: 0 })
    assert.ok(message.content.length > 0 && !message.content.includes('.'), message.content)
    assert.equal(finish, 'stop')
  })

  test('letters of all kinds come back whole, each written in several tokens', options, async () => {
    const wanted = 'Grüße, 漢字 👩‍🚀🇩🇪 عربى'
    let text = ''
    for await (const { choices: [choice] } of await chat.create({
      model: MODEL, messages: said(`Say ${wanted}`), max_tokens: 200, stream: true,
      response_format: { type: 'json_schema', json_schema: { name: 'said', strict: true, schema: { enum: [wanted] } } } // it would never say so by itself
    })) text += choice?.delta.content ?? ''
    assert.equal(JSON.parse(text), wanted)
  })

  test('a JSON schema is kept', options, async () => {
    const schema = { type: 'object', properties: { name: { type: 'string', maxLength: 30 }, age: { type: 'integer' } }, required: ['name', 'age'], additionalProperties: false }
    const { choices: [{ message, finish_reason: finish }] } = await chat.create({
      model: MODEL, messages: said('Anna is 31 years old. Who is she, as JSON?'), max_tokens: 200, temperature: 0,
      response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } }
    })
    assert.equal(finish, 'stop', message.content)
    const { name, age, ...more } = JSON.parse(message.content)
    assert.deepEqual([typeof name, Number.isInteger(age), more], ['string', true, {}])
  })

  test('a client that goes away ends the run, and the next one is answered', options, async () => {
    const stream = await chat.create({ model: MODEL, messages: said('Count from one to a thousand, in words.'), stream: true })
    for await (const { choices: [choice] } of stream) if (choice?.delta.content) break
    await until(() => service.log.some(({ msg }) => msg === 'run ends: the client went away'), 2000)
    const { choices: [{ message }] } = await chat.create({ model: MODEL, messages: said('What is the capital of France?'), max_tokens: 40, temperature: 0 })
    assert.match(message.content, /Paris/)
  })

  test('whatever it writes for a program is answered, and nothing is claimed that was not run', options, async () => {
    const { choices: [{ message, finish_reason: finish }] } = await chat.create({ model: MODEL, messages: said('Write a Python function add(a, b) that adds two numbers. add(1, 2) == 3'), temperature: 0, max_tokens: 1000 })
    assert.ok(['stop', 'length'].includes(finish), finish)
    assert.ok(message.content.trim().length > 0)
    if (message.content.includes('```python') && finish === 'stop') assert.match(message.content, /### Verification/)
  })
})

function clientOf ({ url }) {
  return new OpenAI({ baseURL: url, apiKey: 'unused', maxRetries: 0 })
}

function said (content) {
  return [{ role: 'user', content }]
}

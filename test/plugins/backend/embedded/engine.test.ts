import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { BackendEvent, BackendRequest } from '../../../../agents/types.js'
import { EmbeddedBackend, type EmbeddedBackendOptions } from '../../../../plugins/backend/embedded/embedded-backend.js'
import { type CallReport, EngineProcess } from '../../../../plugins/backend/embedded/engine-process.js'
import { tempFolder } from '../../../support/folders.js'
import { silent } from '../../../support/log.js'
import { ANSWERS, ENDLESS, PALINDROME, SPACED, modelAt, tinyModel, tinyModelFile } from '../../../support/tiny-model.js'
import { ask, eventsFrom, never, textOf } from '../contract.js'

function open (t: Test, options: Partial<EmbeddedBackendOptions> = {}): EmbeddedBackend {
  const backend = new EmbeddedBackend({ model: modelAt(tinyModelFile()), reason: 'a test', threads: 1, useGpu: false, log: silent, ...options })
  t.teardown(() => backend.close())
  return backend
}

const say = async (backend: EmbeddedBackend, prompt: string, more: Partial<BackendRequest> = {}) =>
  await eventsFrom(backend.chat(ask(prompt, more), never))
const usageOf = (events: BackendEvent[]) => events.find(event => event.type === 'usage')

void t.test('one engine', async t => {
  const backend = open(t)

  await t.test('reasoning is separated from the reply, and a tag within the reply is text', async t => {
    const events = await say(backend, 'Think first')
    t.equal(events.map(event => event.type === 'reasoning' ? event.text : '').join('').trim(), 'How many are there? Seven.')
    t.equal(textOf(events), 'Seven "<think>" tags.')
    const usage = usageOf(events)
    t.ok(usage?.type === 'usage' && (usage.reasoning_tokens ?? 0) > 3 && (usage.reasoning_tokens ?? 0) < usage.completion_tokens)
  })

  await t.test('characters that take several tokens come whole', async t => {
    t.equal(textOf(await say(backend, 'In other letters')), 'Grüße, 世界 👋🏽!')
  })

  await t.test('spaces are as the model wrote them', async t => {
    t.equal(textOf(await say(backend, 'With spaces')), SPACED)
  })

  await t.test('the same seed gives the same reply, none gives a different one', async t => {
    const roll = async (seed?: number) => textOf(await say(backend, 'Roll a dice', { temperature: 1, ...(seed !== undefined && { seed }) }))
    t.equal(new Set([await roll(7), await roll(7), await roll(7)]).size, 1)
    const rolls = new Set<string>()
    for (let i = 0; i < 30; i++) rolls.add(await roll())
    t.ok(rolls.size > 2, [...rolls].join())
    const cold = new Set<string>()
    for (let i = 0; i < 5; i++) cold.add(textOf(await say(backend, 'Roll a dice', { temperature: 0 })))
    t.equal(cold.size, 1, 'and at temperature 0 there is no chance')
    const narrow = new Set<string>()
    for (let i = 0; i < 8; i++) narrow.add(textOf(await say(backend, 'Roll a dice', { temperature: 1, top_p: 0 })))
    t.equal(narrow.size, 1, 'nor with top_p 0')
  })

  await t.test('a prompt is exact at any temperature, and a long one is read to its end', async t => {
    t.equal(textOf(await say(backend, 'is_palindrome', { temperature: 2 })), PALINDROME)
    t.equal(textOf(await say(backend, `is_palindrome ${'lorem ipsum dolor '.repeat(300)}`)), PALINDROME)
  })

  await t.test('calls beyond the number of slots wait with progress, and a waiting call can be aborted', async t => {
    const { slots } = await backend.info()
    const abort = new AbortController()
    const busy = Array.from({ length: slots ?? 0 }, async () => {
      for await (const { type } of backend.chat(ask(ENDLESS), abort.signal)) if (type === 'usage') break
    })
    const waited = (async () => {
      for await (const event of backend.chat(ask(ANSWERS[0][0]), never)) if (event.type === 'progress' && /waiting for the model/.test(event.text)) return event.text
      return undefined
    })()
    t.match(await waited, /one call|\d calls/)
    const last = say(backend, ANSWERS[1][0])
    await sleep(50)
    abort.abort(new Error('enough'))
    await Promise.allSettled(busy)
    t.equal(textOf(await last), ANSWERS[1][1])
  })

  await t.test('a prompt that a run has read already is not read again', async t => {
    const long = 'lorem ipsum dolor sit amet '.repeat(400)
    const timed = async (run: string) => {
      const since = performance.now()
      await say(backend, `${long}${run}${ANSWERS[0][0]}`, { run })
      return performance.now() - since
    }
    const [first, again] = [await timed('chatcmpl-a'), Math.min(await timed('chatcmpl-a'), await timed('chatcmpl-a'))]
    t.ok(again < first / 2, `${first.toFixed()} ms, then ${again.toFixed()} ms`)
  })
})

void t.test('what fits exactly is answered up to the last place, and what does not is refused with exact numbers', async t => {
  const file = join(tempFolder(t), 'small.gguf')
  writeFileSync(file, tinyModel({ context: 2048 }))
  const engine = new EngineProcess({ load: { path: file, threads: 1, useGpu: false }, log: silent, onPercent () {}, onEnd () {} })
  t.teardown(() => engine.close())
  t.match(await engine.loaded, { context: 2048, contextOfModel: 2048, threads: 1, gpu: null })
  const ends = async (words: number) => {
    const messages = [{ role: 'user' as const, content: `${'and '.repeat(words)}${ENDLESS}` }]
    let last: CallReport | undefined
    for await (const report of engine.chat({ messages, temperature: 0, top_p: 1, run: 'x' }, never)) last = report
    return { tokens: await engine.count(messages), outcome: last?.type === 'outcome' ? last.outcome : undefined }
  }
  const short = await ends(100)
  t.same(short.outcome, { type: 'done', prompt: short.tokens, completion: 2047 - short.tokens, reasoning: 0, finish: 'length' })
  const step = ((await ends(200)).tokens - short.tokens) / 100
  const most = 100 + Math.floor((2046 - short.tokens) / step)
  const full = await ends(most)
  t.same(full.outcome, { type: 'done', prompt: full.tokens, completion: 2047 - full.tokens, reasoning: 0, finish: 'length' })
  const over = await ends(most + 10)
  t.same(over.outcome, { type: 'overflow', tokens: over.tokens, context: 2048 })
})

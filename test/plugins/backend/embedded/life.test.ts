import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { BackendEvent, BackendRequest } from '../../../../agents/types.js'
import { EmbeddedBackend, type EmbeddedBackendOptions } from '../../../../plugins/backend/embedded/embedded-backend.js'
import { tempFolder } from '../../../support/folders.js'
import { readableLog, silent } from '../../../support/log.js'
import { isAlive } from '../../../support/cli.js'
import { until } from '../../../support/service.js'
import { ANSWERS, ENDLESS, modelAt, tinyModel, tinyModelFile } from '../../../support/tiny-model.js'
import { ask, eventsFrom, never, textOf } from '../contract.js'

function open (t: Test, options: Partial<EmbeddedBackendOptions> = {}): EmbeddedBackend {
  const backend = new EmbeddedBackend({ model: modelAt(tinyModelFile()), reason: 'a test', threads: 1, useGpu: false, log: silent, ...options })
  t.teardown(() => backend.close())
  return backend
}

const say = async (backend: EmbeddedBackend, prompt: string, more: Partial<BackendRequest> = {}) =>
  await eventsFrom(backend.chat(ask(prompt, more), never))

void t.test('an engine that is killed in the middle of a reply costs that reply, at once, and the next one works', async t => {
  const { log, lines } = readableLog()
  const backend = open(t, { log })
  let killed = false
  await t.rejects(async () => {
    for await (const { type } of backend.chat(ask(ENDLESS), never)) {
      if (type !== 'fragment' || killed) continue
      killed = true
      process.kill(backend.pid ?? 0, 'SIGKILL')
    }
  }, { name: 'BackendCutOff', message: /the engine has crashed \(SIGKILL\); ask again/ })
  t.match(lines.filter(({ level }) => level === 'error'), [{ text: /has crashed/ }])
  t.equal(textOf(await say(backend, ANSWERS[0][0])), ANSWERS[0][1])
  t.match(await backend.info(), { problem: null })
})

void t.test('it gives its memory back when nobody asks, and comes back when somebody does', async t => {
  const backend = open(t, { idle: 300 })
  await say(backend, ANSWERS[0][0])
  const pid = backend.pid ?? 0
  await until(() => !isAlive(pid), 20_000)
  t.match(await backend.info(), { problem: null, context: 32768 })
  t.equal(textOf(await say(backend, ANSWERS[1][0])), ANSWERS[1][1])
})

void t.test('while the model is downloaded and loaded, calls wait with progress', async t => {
  let arrive: (() => void) | undefined
  const model = {
    ...modelAt(''),
    async obtain (onProgress: (text: string) => void) {
      onProgress('model 43 %, 2 min left')
      await new Promise<void>(resolve => { arrive = resolve })
      return tinyModelFile()
    }
  }
  const backend = open(t, { model })
  t.match(await backend.info(), { problem: 'model 43 %, 2 min left', remedy: /requests wait/ })
  const events: BackendEvent[] = []
  for await (const event of backend.chat(ask(ANSWERS[0][0]), never)) {
    if (events.push(event) === 1) arrive?.()
  }
  t.same(events[0], { type: 'progress', text: 'model 43 %, 2 min left\n' })
  t.equal(textOf(events), ANSWERS[0][1])
})

void t.test('a model made for a smaller context is told of once it is loaded, and refused with what mends it', async t => {
  const { log, lines } = readableLog()
  const file = join(tempFolder(t), 'small.gguf')
  writeFileSync(file, tinyModel({ context: 8192 }))
  const backend = open(t, { model: modelAt(file), log })
  await t.rejects(say(backend, 'Hi'), { name: 'ContextTooSmall', message: /context of 8192 tokens, and agents need 32768; this model is made for no more: give another one with --model/ })
  t.match(await backend.info(), { context: 8192, problem: /8192/, remedy: /--model/ })
  t.match(lines.filter(({ level }) => level === 'warn'), [{ text: /8192 tokens, and agents need 32768; .*--model/ }])
})

void t.test('a file that is no model, or only half of one, is reported, and the engine does not hang', async t => {
  const folder = tempFolder(t)
  for (const [name, bytes] of Object.entries({ empty: Buffer.alloc(0), page: Buffer.from('<html>'), half: tinyModel().subarray(0, 200_000) })) {
    const file = join(folder, `${name}.gguf`)
    writeFileSync(file, bytes)
    const backend = open(t, { model: modelAt(file) })
    await t.rejects(say(backend, 'Hi'), { name: 'BackendRefused', message: new RegExp(`${name}\\.gguf`) })
    await backend.close()
  }
})

void t.test('closed while it loads, it ends', async t => {
  const backend = open(t)
  const call = say(backend, ANSWERS[0][0])
  await sleep(200)
  await Promise.all([backend.close(), t.rejects(call, { name: 'BackendClosed' })])
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { EmbeddedBackend } from '../../../../plugins/backend/embedded/embedded-backend.js'
import { DEMO_LESSONS, DEMO_PROMPTS, makeDemo } from '../../../../plugins/backend/reciter/demo.js'
import { makeReciter } from '../../../../plugins/backend/reciter/reciter.js'
import { tempFolder } from '../../../support/folders.js'
import { silent } from '../../../support/log.js'
import { modelAt } from '../../../support/tiny-model.js'
import { ask, eventsFrom, never, textOf } from '../contract.js'

// Words of svc-code's prompts, by which the demo tells what is asked for.
const TESTER = 'You work out by hand what a right program returns. Reply with the tests in one fenced block and nothing else.'

void t.test('every lesson of the demo is recited to its last letter, whatever the temperature, and anything else is answered with what it knows', async t => {
  const file = join(tempFolder(t), 'demo.gguf')
  writeFileSync(file, makeDemo())
  const backend = new EmbeddedBackend({ model: modelAt(file), reason: 'a test', threads: 1, useGpu: false, log: silent })
  t.teardown(() => backend.close())
  const said = async (task: string, temperature: number, system = 'You are an expert programmer.') =>
    textOf(await eventsFrom(backend.chat({ ...ask(task, { temperature }), messages: [{ role: 'system', content: system }, { role: 'user', content: `Task:\n${task}` }] }, never)))
  for (const { on, say, when = {} } of DEMO_LESSONS) {
    for (const text of on) t.equal(await said(`Please write ${text}.`, 1), say, text)
    t.equal(await said(`Please write ${on[0]}.`, 0.7, TESTER), when.tests ?? say, `tests of ${on[0]}`)
  }
  for (const prompt of DEMO_PROMPTS) t.ok((await said('Who are you?', 1)).includes(prompt))
})

void t.test('the same lessons make the same file, and more than there is room for make none', t => {
  t.ok(makeDemo().equals(makeDemo()))
  t.ok(makeDemo().length < 1024 ** 2)
  const lessons = Array.from({ length: 40 }, (_, i) => ({ on: [`subject number ${i}`], say: `reply number ${i}` }))
  t.throws(() => makeReciter({ name: 'full', lessons, fallback: 'nothing known' }), /room for 33 lessons/)
  t.throws(() => makeReciter({ name: 'twice', lessons: [{ on: ['the same'], say: 'a reply' }, { on: ['the same'], say: 'another reply' }], fallback: 'nothing known' }), /two texts share the token "the same"/)
  t.throws(() => makeReciter({ name: 'empty', lessons: [{ on: ['a subject'], say: ' ' }], fallback: 'nothing known' }), /nothing new in the recital/)
  t.end()
})

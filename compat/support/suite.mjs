import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { startService } from './service.mjs'

const EMOJI = 'Grüße, 漢字 👩‍🚀🇩🇪 \u{1F600}\n'
const PATIENCE = 30_000

/**
 * What every client must get from the service. A client is told by
 *   complete (url, request) and stream (url, request, onText): { text, finish, usage, reasoning }
 *   error (thrown): { status, code, message, name }, and `errors`, the names of its errors
 *   showsProgress: true for one that shows it in streams, 'always' for one of the Responses interface
 * where a request is { model, messages, signal, ignored, retries }: `ignored` asks for parameters that the service
 * does not take, and `retries: 0` switches the client's own retries off, which are on otherwise.
 */
export function suite (client) {
  let service
  before(async () => { service = await startService('--json-keepalive', '1') })
  after(() => service?.stop())

  const check = (title, work) => test(title, { timeout: PATIENCE }, work)
  const modes = { stream: (request, onText) => client.stream(service.url, request, onText), 'no stream': request => client.complete(service.url, request) }

  for (const [mode, ask] of Object.entries(modes)) {
    check(`${mode}: the reply, its end and its usage arrive`, async () => {
      const { request } = script(['Hel', 'lo', { type: 'usage', prompt_tokens: 7, completion_tokens: 5, reasoning_tokens: 2 }])
      const { text, finish, usage } = await ask(request)
      assert.equal(text, 'Hello')
      assert.equal(finish, 'stop')
      assert.deepEqual(usage, { input: 7, output: 5, total: 12, reasoning: 2 })
    })

    check(`${mode}: a reply that was cut says so`, async () => {
      const { request } = script(['cut', { type: 'finish', reason: 'length' }])
      assert.equal((await ask(request)).finish, 'length')
    })

    check(`${mode}: an empty reply ends well`, async () => {
      const { text, finish } = await ask(script([]).request)
      assert.deepEqual({ text, finish }, { text: '', finish: 'stop' })
    })

    check(`${mode}: UTF-8 comes through both ways, a character split between two fragments included`, async () => {
      const fragments = [EMOJI, '\ud83d', '\ude00', 'end']
      const { request } = script([{ seen: true }, ...fragments], [{ role: 'user', content: EMOJI }, { role: 'assistant', content: EMOJI }])
      const seen = JSON.stringify(request.messages.slice(0, -1))
      assert.equal((await ask(request)).text, seen + fragments.join(''))
    })

    check(`${mode}: a long reply arrives whole and in order`, async () => {
      const { request } = script([{ repeat: 5000, step: EMOJI }, 'end'])
      assert.equal((await ask(request)).text, EMOJI.repeat(5000) + 'end')
    })

    check(`${mode}: a conversation arrives turn by turn, the system's text included`, async () => {
      const turns = [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'One' }, { role: 'assistant', content: 'Two' }]
      const { request } = script([{ seen: true }], turns)
      assert.deepEqual(JSON.parse((await ask(request)).text), turns)
    })

    check(`${mode}: parameters that the service does not take change nothing`, async () => {
      const { request, key } = script(['fine'])
      const { text, finish } = await ask({ ...request, ignored: true })
      assert.deepEqual({ text, finish }, { text: 'fine', finish: 'stop' })
      const { request: seen } = await service.witness(key)
      assert.deepEqual(Object.keys(seen).filter(name => name !== 'max_tokens').sort(), ['messages', 'temperature', 'top_p'])
    })

    check(`${mode}: progress is no part of the text`, async () => {
      const { request } = script([{ type: 'progress', text: 'thinking' }, { wait: 1500 }, { type: 'progress', text: ' on' }, 'done'])
      const { text, reasoning } = await ask(request)
      assert.equal(text, 'done')
      assert.equal(reasoning, client.showsProgress === 'always' || (mode === 'stream' && client.showsProgress) ? 'thinking on' : undefined)
    })

    check(`${mode}: an unknown model is the client's own error for a 404`, async () => {
      const { request } = script(['never'])
      await refused(ask({ ...request, model: 'nobody' }), 404, 'model_not_found', /The model 'nobody' was not found\. Available models: .*scripted/)
    })

    check(`${mode}: an input that is too long is the client's own error for it`, async () => {
      const { request, key } = script([{ tooLong: 'The conversation has more than the 1000 tokens that scripted takes: leave out older messages.' }])
      await refused(ask(request), 400, 'context_length_exceeded', /leave out older messages/)
      assert.equal((await service.witness(key)).runs, 1)
    })

    check(`${mode}: an agent that fails is the client's own error for a 500`, async () => {
      const { request } = script([{ throw: 'no luck' }])
      await refused(ask({ ...request, retries: 0 }), 500, 'agent_error', /Agent processing failed: no luck/)
    })

    // Two clients judge by the status alone; their own remedies are tested beside them.
    check(`${mode}: an agent that fails is run ${client.retriesByStatus ? 'again by a client that reads no x-should-retry' : 'once though the client retries'}`, async () => {
      const { request, key } = script([{ throw: 'no luck' }])
      await thrownBy(ask(request))
      const { runs } = await service.witness(key)
      assert.ok(client.retriesByStatus ? runs > 1 : runs === 1, `${runs} runs`)
    })

    check(`${mode}: a client that gives up ends the run within a second`, async () => {
      const { request, key } = script(mode === 'stream' ? ['first', { hang: true }] : [{ hang: true }])
      const leaving = new AbortController()
      let left
      const leave = () => { left = Date.now(); leaving.abort() }
      const asked = ask({ ...request, signal: leaving.signal }, leave).then(() => 'ended', () => 'rejected')
      if (mode === 'no stream') {
        await until(async () => (await service.witness(key)).outcome === 'running')
        leave()
      }
      const outcome = await asked
      if (mode === 'no stream') assert.equal(outcome, 'rejected')
      const record = await until(async () => {
        const record = await service.witness(key)
        return record.outcome !== 'running' && record
      })
      assert.equal(record.outcome, 'aborted')
      assert.equal(record.runs, 1)
      assert.ok(record.endedAt - left < 1000, `it took ${record.endedAt - left} ms`)
    })
  }

  check('stream: text is there while the agent still works', async () => {
    const { request, key } = script(['first', { gate: true }, ' second'])
    const fragments = []
    const { text } = await modes.stream(request, async fragment => {
      fragments.push(fragment)
      if (fragments.length === 1) await service.witness(key, { open: true })
    })
    assert.deepEqual(fragments, ['first', ' second'])
    assert.equal(text, 'first second')
  })

  check('stream: an agent that fails in mid-stream is an error, not an end', async () => {
    const { request, key } = script(['first', { gate: true }, { throw: 'no luck' }])
    let text = ''
    const error = await thrownBy(modes.stream(request, async fragment => {
      text += fragment
      await service.witness(key, { open: true })
    }))
    assert.equal(text, 'first')
    assert.match(client.error(error).message, /Agent processing failed: no luck/)
    assert.equal((await service.witness(key)).runs, 1)
  })

  check('no stream: a reply that takes long is read past the white space before it', async () => {
    const { text } = await modes['no stream'](script([{ wait: 1500 }, 'at last']).request)
    assert.equal(text, 'at last')
  })

  check('no stream: an agent that fails after that white space is an error, not an end', async () => {
    const { request, key } = script([{ wait: 1500 }, { throw: 'no luck' }])
    await thrownBy(modes['no stream'](request))
    assert.equal((await service.witness(key)).runs, 1)
  })

  async function refused (asked, status, code, message) {
    const told = client.error(await thrownBy(asked))
    assert.match(told.message, message)
    assert.deepEqual({ ...told, message: '' }, { status, code, name: client.errors[status], message: '' })
  }

  return { check, script, thrownBy, until, service: () => service }
}

/** A request that makes the scripted agent play these steps, and the key under which the witness knows of it. */
function script (steps, turns = []) {
  const key = randomUUID()
  return { key, request: { model: 'scripted', messages: [...turns, { role: 'user', content: JSON.stringify({ key, steps }) }] } }
}

async function thrownBy (promise) {
  const outcome = await promise.then(value => ({ value }), error => ({ error }))
  assert.ok('error' in outcome, `it ended well: ${JSON.stringify(outcome.value)}`)
  return outcome.error
}

async function until (condition) {
  for (const end = Date.now() + 10_000; Date.now() < end; await new Promise(resolve => setTimeout(resolve, 10))) {
    const result = await condition()
    if (result) return result
  }
  throw new Error('it did not come true within 10 s')
}

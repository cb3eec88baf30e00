import t from 'tap'
import { refusal } from './support/envelope.js'
import { script, startService } from './support/service.js'

const { post, url } = await startService(t)
const chat = (more: string) => JSON.stringify(script(['hi'])).replace(/\}$/, `,${more}}`)

const TOO_MUCH: Record<string, [string, RegExp]> = {
  '201 levels': [chat(`"x":${'['.repeat(200)}${']'.repeat(200)}`), /deeper than 200 levels/],
  'millions of brackets': ['['.repeat(4_000_000) + ']'.repeat(4_000_000), /deeper than 200 levels/],
  'brackets that nobody closes': ['['.repeat(300), /deeper than 200 levels/],
  '[],[],': [chat(`"x":[${'[],'.repeat(2_600_000)}[]]`), /more than 100,000 values/],
  '{},{},': [`{"messages":[${'{},'.repeat(2_600_000)}{}]}`, /more than 100,000 values/],
  'many parts': [`{"model":"scripted","messages":[{"role":"user","content":[${'{"type":"text","text":"a"},'.repeat(40_000)}{"type":"text","text":"a"}]}]}`, /more than 100,000 values/]
}

for (const [what, [body, message]] of Object.entries(TOO_MUCH)) {
  void t.test(`a body of ${what} is a 400 that names the bound, and is never parsed`, async t => {
    for (const headers of [{}, { 'idempotency-key': what }]) {
      const problem = await refusal(t, await post(body, headers), 400, 'invalid_request')
      t.match(problem.message, message)
      t.match(problem.message, /200 levels and 100,000 values at most/, 'it says what is taken')
    }
  })
}

void t.test('JSON just within the bounds is accepted', async t => {
  const bodies = [chat(`"x":${'['.repeat(199)}${']'.repeat(199)}`), chat(`"x":[${'[],'.repeat(99_000)}[]]`), chat(`"x":"${'[{,'.repeat(2_000_000)}"`)]
  for (const body of bodies) {
    const reply = await post(body)
    t.equal(reply.status, 200)
    t.equal(reply.headers.get('x-ignored-parameters'), 'x')
    await reply.text()
  }
})

void t.test('a long invalid body gets the same errors as a short one', async t => {
  const long = 'x'.repeat(400_000)
  t.match((await refusal(t, await post(`{"model":"${long}`), 400, 'invalid_request')).message, /not valid JSON/)
  t.match((await refusal(t, await post(`{"model":"scripted","x":"${long}"}`), 400, 'invalid_request')).message, /messages is required/)
  t.match((await refusal(t, await post(`["${long}"]`), 400, 'invalid_request')).message, /must be a JSON object/)
})

void t.test('a long body with its own prototype is harmless', async t => {
  const reply = await post(chat(`"x":"${'x'.repeat(400_000)}","__proto__":{"stream":true}`))
  t.match(reply.headers.get('content-type'), /application\/json/)
})

void t.test('a long body that is not sent completely leaves the service unharmed', async t => {
  const gone = new AbortController()
  const sent = fetch(`${url}/v1/chat/completions`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, signal: gone.signal, duplex: 'half',
    body: new ReadableStream({ start (controller) { controller.enqueue(Buffer.from(`{"x":"${'x'.repeat(500_000)}`)) } })
  })
  setTimeout(() => gone.abort(), 50)
  await t.rejects(sent)
  t.equal((await post(script(['hi']))).status, 200)
})

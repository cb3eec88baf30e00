import t, { type Test } from 'tap'
import type { Backend, BackendEvent, BackendInfo, BackendRequest } from '../../../agents/types.js'

/** A backend under test, with a model that gives the answers below. */
export interface Subject {
  open: (t: Test) => Promise<Backend>
  /** A backend that cannot work: nothing listens at its address, or its file does not exist. */
  broken: (t: Test) => Promise<Backend>
  /** Prompts, and what the model answers to each whatever the temperature. */
  answers: [[prompt: string, reply: string], [prompt: string, reply: string]]
  /** A prompt whose reply goes on and on. */
  endless: string
}

export const never = new AbortController().signal

export const ask = (prompt: string, more: Partial<BackendRequest> = {}): BackendRequest =>
  ({ messages: [{ role: 'user', content: prompt }], temperature: 0, top_p: 1, step: 'answer', run: 'chatcmpl-test', ...more })

export async function eventsFrom (events: AsyncIterable<BackendEvent>): Promise<BackendEvent[]> {
  const all: BackendEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

export const textOf = (events: BackendEvent[]) => events.map(event => event.type === 'fragment' ? event.text : '').join('')

/** The behaviour that all backends share. */
export function keepsTheContract (name: string, { open, broken, answers, endless }: Subject): void {
  const [[prompt, reply], [otherPrompt, otherReply]] = answers

  void t.test(`${name}: the reply comes in fragments, then its usage, then why it ended`, async t => {
    const events = await eventsFrom((await open(t)).chat(ask(prompt), never))
    t.equal(textOf(events), reply)
    t.ok(events.filter(({ type }) => type === 'fragment').length > 1)
    const [usage, finish] = events.slice(-2)
    t.match(usage, { type: 'usage', prompt_tokens: Number, completion_tokens: Number })
    t.ok(usage?.type === 'usage' && usage.prompt_tokens > 0 && usage.completion_tokens > 0)
    t.same(finish, { type: 'finish', reason: 'stop' })
    t.same(events.slice(0, -2).filter(({ type }) => type === 'usage' || type === 'finish'), [])
  })

  void t.test(`${name}: max_tokens ends a reply, and the finish reason is length`, async t => {
    const events = await eventsFrom((await open(t)).chat(ask(endless, { max_tokens: 5 }), never))
    t.same(events.at(-1), { type: 'finish', reason: 'length' })
    const usage = events.at(-2)
    t.ok(usage?.type === 'usage' && usage.completion_tokens <= 5, JSON.stringify(usage))
  })

  void t.test(`${name}: a stop text ends the reply before it`, async t => {
    const [before, stop] = [reply.slice(0, reply.length >> 1), reply.slice(reply.length >> 1, (reply.length >> 1) + 3)]
    const events = await eventsFrom((await open(t)).chat(ask(prompt, { stop: [stop] }), never))
    t.equal(textOf(events), before.includes(stop) ? before.slice(0, before.indexOf(stop)) : before)
    t.same(events.at(-1), { type: 'finish', reason: 'stop' })
  })

  void t.test(`${name}: replies at the same time do not mix`, async t => {
    const backend = await open(t)
    const asked = Array.from({ length: 6 }, (_, i) => i % 2 === 0 ? { prompt, reply } : { prompt: otherPrompt, reply: otherReply })
    const replies = await Promise.all(asked.map(async ({ prompt }) => textOf(await eventsFrom(backend.chat(ask(prompt), never)))))
    t.same(replies, asked.map(({ reply }) => reply))
  })

  void t.test(`${name}: an abort throws the caller's reason, and the next call works`, async t => {
    const backend = await open(t)
    const abort = new AbortController()
    const reason = new Error('enough')
    await t.rejects(async () => {
      for await (const { type } of backend.chat(ask(endless), abort.signal)) if (type === 'fragment') abort.abort(reason)
    }, reason)
    await t.rejects(eventsFrom(backend.chat(ask(prompt), abort.signal)), reason)
    t.equal(textOf(await eventsFrom(backend.chat(ask(prompt), never))), reply)
  })

  void t.test(`${name}: a reader that stops early ends the call, and the next call works`, async t => {
    const backend = await open(t)
    for (let i = 0; i < 8; i++) {
      for await (const { type } of backend.chat(ask(endless), never)) if (type === 'fragment') break
    }
    t.equal(textOf(await eventsFrom(backend.chat(ask(prompt), never))), reply)
  })

  void t.test(`${name}: a conversation that does not fit is refused, not cut, and the next call works`, async t => {
    const backend = await open(t)
    const { context } = await isReady(backend)
    t.ok(context !== null)
    const long = `${'lorem ipsum dolor '.repeat(context ?? 0)}${prompt}`
    await t.rejects(eventsFrom(backend.chat(ask(long), never)), { name: 'ContextOverflow', tokens: Number, context: Number })
    t.equal(textOf(await eventsFrom(backend.chat(ask(prompt), never))), reply)
  })

  void t.test(`${name}: tokens are counted of the conversation as a whole, and no further than asked`, async t => {
    const backend = await open(t)
    await isReady(backend)
    const count = async (content: string, limit?: number) => await backend.countTokens([{ role: 'user', content }], limit)
    t.ok(await count('one') < await count('one two three four five six'))
    t.ok(await count('word '.repeat(5000), 100) > 100)
    const usage = (await eventsFrom(backend.chat(ask(prompt), never))).find(({ type }) => type === 'usage')
    t.ok(usage?.type === 'usage' && Math.abs(usage.prompt_tokens - await count(prompt)) <= 20, `counted ${await count(prompt)}, told ${JSON.stringify(usage)}`)
  })

  void t.test(`${name}: info() describes the backend, without a problem`, async t => {
    const backend = await open(t)
    const told = await isReady(backend)
    t.match(told, { kind: String, model: String, reason: String, problem: null, remedy: null })
    t.ok((told.context ?? 0) >= 32768)
    t.same(await backend.info(), told)
  })

  void t.test(`${name}: a backend that cannot work reports problem and remedy from every method`, async t => {
    const backend = await broken(t)
    const error = await eventsFrom(backend.chat(ask(prompt), never)).then(() => undefined, (error: unknown) => error)
    t.match(error, { name: /^(Backend|Context)[A-Z]/, problem: /./, remedy: /./ })
    await t.rejects(isReady(backend), { name: (error as Error).name })
    const { problem, remedy } = await backend.info()
    t.equal((error as Error).message, `${problem}; ${remedy}`)
  })

  void t.test(`${name}: once it is closed, calls end and further ones are refused`, async t => {
    const backend = await open(t)
    await t.rejects(async () => {
      for await (const { type } of backend.chat(ask(endless), never)) if (type === 'fragment') await backend.close()
    }, { name: 'BackendClosed' })
    await t.rejects(eventsFrom(backend.chat(ask(prompt), never)), { name: 'BackendClosed' })
    await backend.close()
  })
}

async function isReady (backend: Backend): Promise<BackendInfo> {
  const steps = backend.ready(never)
  for (;;) {
    const step = await steps.next()
    if (step.done === true) return step.value
  }
}
